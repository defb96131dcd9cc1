! An MPI program with `use mpi` that knows nothing of Starling. preload_test runs it with the preload library in the way.
program preload_usempi
  use mpi
  implicit none
  integer, parameter :: calls = 50, n = 500
  integer :: ints(n), rank, ranks, ierror, call_number, wrong, total, provided
  double precision :: in(n), out(n)

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  total = ranks * (ranks + 1) / 2
  wrong = 0
  if (provided < MPI_THREAD_FUNNELED) wrong = 1
  do call_number = 1, calls
    ints = rank + 1
    in = (rank + 1) * 0.5d0
    out = -1.0d0
    ierror = -1
    call MPI_Allreduce(MPI_IN_PLACE, ints, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    if (ierror /= MPI_SUCCESS) wrong = wrong + 1
    call MPI_Allreduce(in, out, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
    if (ierror /= MPI_SUCCESS) wrong = wrong + 1
    wrong = wrong + count(ints /= total) + count(out /= total * 0.5d0)
  end do
  call MPI_Finalize(ierror)
  if (wrong > 0) error stop 1
end program
