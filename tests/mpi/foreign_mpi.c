/* An MPI library of another kind than Starling is built for, whose handles are numbers: as much of one as
 * foreign_program needs, for one rank. preload_loading_test preloads Starling in front of it. */
#include <string.h>

int PMPI_Get_library_version(char* version, int* length) {
  *length = (int)strlen(strcpy(version, "Foreign MPI 7.1, for tests\nof the preload library"));
  return 0;
}

int MPI_Init(int* argc, char*** argv) { return argc != NULL && argv == NULL; }

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, int datatype, int op, int comm) {
  memcpy(recvbuf, sendbuf, sizeof(int) * (size_t)count);
  return datatype == 1 && op == 2 && comm == 3 ? 0 : 1;
}
