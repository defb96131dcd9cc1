/* A program of the MPI library foreign_mpi.c. Exit status 0: its call has done what it should. */
int MPI_Init(int* argc, char*** argv);
int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, int datatype, int op, int comm);

int main(int argc, char** argv) {
  const int in[2] = {5, 6};
  int out[2] = {0, 0};
  if (MPI_Init(&argc, &argv) != 0) return 1;
  for (int call = 0; call < 3; ++call) {
    if (MPI_Allreduce(in, out, 2, 1, 2, 3) != 0) return 1;
  }
  return out[0] != 5 || out[1] != 6;
}
