/* Calls MPI's Fortran routines in the spellings that Fortran compilers give them, each with MPI_IN_PLACE and MPI_BOTTOM
 * in the same spelling. preload_test runs it with the preload library in the way; without it, MPI libraries know
 * MPI_IN_PLACE in one of these spellings alone. */
#include <mpi.h>
#include <stdio.h>

enum { kCalls = 40, kCount = 100 };

typedef void (*Allreduce)(const void*, void*, const MPI_Fint*, const MPI_Fint*, const MPI_Fint*, const MPI_Fint*,
                          MPI_Fint*);

#define DECLARE(allreduce, in_place, bottom)                                                                         \
  void allreduce(const void*, void*, const MPI_Fint*, const MPI_Fint*, const MPI_Fint*, const MPI_Fint*, MPI_Fint*); \
  int in_place;                                                                                                      \
  int bottom;
DECLARE(mpi_allreduce_, mpi_fortran_in_place_, mpi_fortran_bottom_)
DECLARE(mpi_allreduce, mpi_fortran_in_place, mpi_fortran_bottom)
DECLARE(mpi_allreduce__, mpi_fortran_in_place__, mpi_fortran_bottom__)
DECLARE(MPI_ALLREDUCE, MPI_FORTRAN_IN_PLACE, MPI_FORTRAN_BOTTOM)

typedef struct {
  const char* name;
  Allreduce allreduce;
  void* in_place;
  void* bottom;
} Spelling;

static MPI_Aint g_where = 0; /* the vector, as seen from MPI_BOTTOM */

static void addAbsolute(void* left, void* right, int* count, MPI_Datatype* type) {
  const int* in = (const int*)((char*)left + g_where);
  int* in_out = (int*)((char*)right + g_where);
  (void)count;
  (void)type;
  for (int i = 0; i < kCount; ++i) in_out[i] += in[i];
}

static int wrongAfterCall(const Spelling* spelling, void* recvbuf, int* values, int count, MPI_Datatype type,
                          MPI_Op op) {
  const MPI_Fint f_count = count;
  const MPI_Fint f_type = MPI_Type_c2f(type);
  const MPI_Fint f_op = MPI_Op_c2f(op);
  const MPI_Fint f_comm = MPI_Comm_c2f(MPI_COMM_WORLD);
  MPI_Fint code = -1;
  int rank = 0;
  int ranks = 0;
  int wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < kCount; ++i) values[i] = rank + i;
  spelling->allreduce(spelling->in_place, recvbuf, &f_count, &f_type, &f_op, &f_comm, &code);
  for (int i = 0; i < kCount; ++i) wrong += values[i] != ranks * (ranks - 1) / 2 + ranks * i;
  return wrong + (code != MPI_SUCCESS);
}

int main(int argc, char** argv) {
  const Spelling spellings[] = {
      {"one underscore", mpi_allreduce_, &mpi_fortran_in_place_, &mpi_fortran_bottom_},
      {"none", mpi_allreduce, &mpi_fortran_in_place, &mpi_fortran_bottom},
      {"two underscores", mpi_allreduce__, &mpi_fortran_in_place__, &mpi_fortran_bottom__},
      {"upper case", MPI_ALLREDUCE, &MPI_FORTRAN_IN_PLACE, &MPI_FORTRAN_BOTTOM},
  };
  static int values[kCount];
  const int length = kCount;
  int all_wrong = 0;
  MPI_Datatype absolute = MPI_DATATYPE_NULL;
  MPI_Op add = MPI_OP_NULL;
  MPI_Init(&argc, &argv);
  MPI_Get_address(values, &g_where);
  MPI_Type_create_hindexed(1, &length, &g_where, MPI_INT, &absolute);
  MPI_Type_commit(&absolute);
  MPI_Op_create(addAbsolute, 1, &add);
  for (unsigned i = 0; i < sizeof(spellings) / sizeof(spellings[0]); ++i) {
    int in_place = 0;
    int bottom = 0;
    for (int call = 0; call < kCalls; ++call) {
      in_place += wrongAfterCall(&spellings[i], values, values, kCount, MPI_INT, MPI_SUM);
      bottom += wrongAfterCall(&spellings[i], spellings[i].bottom, values, 1, absolute, add);
    }
    if (in_place + bottom > 0) {
      fprintf(stderr, "preload_spellings: %s: %d wrong in place, %d from MPI_BOTTOM\n", spellings[i].name, in_place,
              bottom);
    }
    all_wrong += in_place + bottom;
  }
  MPI_Op_free(&add);
  MPI_Type_free(&absolute);
  MPI_Finalize();
  return all_wrong > 0;
}
