! An MPI program of the old kind that knows nothing of Starling.
! preload_test runs it with the preload library in the way.
      program preload_fortran
      implicit none
      include 'mpif.h'
      integer calls, n
      parameter (calls = 50, n = 500)
      integer ints(n), rank, ranks, ierror, call, i, wrong, total
      double precision in(n), out(n)
      call mpi_init(ierror)
      call mpi_comm_rank(mpi_comm_world, rank, ierror)
      call mpi_comm_size(mpi_comm_world, ranks, ierror)
      total = ranks * (ranks + 1) / 2
      wrong = 0
      do call = 1, calls
        do i = 1, n
          ints(i) = rank + 1
          in(i) = (rank + 1) * 0.5d0
          out(i) = -1.0d0
        end do
        ierror = -1
        call mpi_allreduce(mpi_in_place, ints, n, mpi_integer,
     &                     mpi_sum, mpi_comm_world, ierror)
        if (ierror .ne. mpi_success) wrong = wrong + 1
        call mpi_allreduce(in, out, n, mpi_double_precision,
     &                     mpi_sum, mpi_comm_world, ierror)
        if (ierror .ne. mpi_success) wrong = wrong + 1
        do i = 1, n
          if (ints(i) .ne. total) wrong = wrong + 1
          if (out(i) .ne. total * 0.5d0) wrong = wrong + 1
        end do
      end do
      call mpi_finalize(ierror)
      if (wrong .gt. 0) stop 1
      end
