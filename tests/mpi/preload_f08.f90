! An MPI program with `use mpi_f08` that knows nothing of Starling, with and without the optional error argument.
! preload_test runs it with the preload library in the way.
program preload_f08
  use mpi_f08
  implicit none
  integer, parameter :: calls = 50, n = 500
  integer :: ints(n), rank, ranks, ierror, call_number, wrong, total
  double precision :: in(n), out(n)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  total = ranks * (ranks + 1) / 2
  wrong = 0
  do call_number = 1, calls
    ints = rank + 1
    in = (rank + 1) * 0.5d0
    out = -1.0d0
    ierror = -1
    call MPI_Allreduce(MPI_IN_PLACE, ints, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    if (ierror /= MPI_SUCCESS) wrong = wrong + 1
    call MPI_Allreduce(in, out, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    wrong = wrong + count(ints /= total) + count(out /= total * 0.5d0)
  end do
  call MPI_Finalize()
  if (wrong > 0) error stop 1
end program
