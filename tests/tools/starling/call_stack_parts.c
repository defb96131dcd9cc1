/* Small programs and libraries that stand for an MPI program, an MPI library and tools. Nothing of them is ever run:
 * `starling doctor` reads their files. One macro says which part is made. */
#if defined(PART_MPI)
int PMPI_Init(int* argc, char*** argv) { return argc == 0 && argv == 0; }
int PMPI_Allreduce(void) { return 0; }
__attribute__((weak)) int MPI_Init(int* argc, char*** argv) { return PMPI_Init(argc, argv); }
__attribute__((weak)) int MPI_Allreduce(void) { return PMPI_Allreduce(); }
#elif defined(PART_FORTRAN_MPI)
int PMPI_Allreduce(void);
void pmpi_allreduce_(void) { PMPI_Allreduce(); }
__attribute__((weak)) void mpi_allreduce_(void) { PMPI_Allreduce(); }
#elif defined(PART_WRAPPERS)
int PMPI_Init(int* argc, char*** argv);
int PMPI_Allreduce(void);
int MPI_Init(int* argc, char*** argv) { return PMPI_Init(argc, argv); }
int MPI_Allreduce(void) { return PMPI_Allreduce(); }
void mpi_allreduce_(void) { PMPI_Allreduce(); }
#elif defined(PART_PRELOAD)
int MPI_Init(int* argc, char*** argv) { return argc == 0 && argv == 0; }
int MPI_Allreduce(void) { return 0; }
void mpi_allreduce_(void) {}
#elif defined(PART_PLAIN_LIBRARY)
int tuned_allreduce(void) { return 0; }
#elif defined(PART_NEXT_TOOL)
void* dlsym(void* handle, const char* name);
int MPI_Allreduce(void) { return ((int (*)(void))dlsym((void*)-1L, "MPI_Allreduce"))(); }
#elif defined(PART_INIT_TOOL)
int PMPI_Init(int* argc, char*** argv);
int MPI_Init(int* argc, char*** argv) { return PMPI_Init(argc, argv); }
#elif defined(PART_C_PROGRAM)
int MPI_Init(int* argc, char*** argv);
int MPI_Allreduce(void);
int main(int argc, char** argv) { return MPI_Init(&argc, &argv) + MPI_Allreduce(); }
#elif defined(PART_FORTRAN_PROGRAM)
void mpi_allreduce_(void);
int main(void) {
  mpi_allreduce_();
  return 0;
}
#elif defined(PART_INIT_PROGRAM)
int MPI_Init(int* argc, char*** argv);
int main(int argc, char** argv) { return MPI_Init(&argc, &argv); }
#elif defined(PART_WRAPPING_PROGRAM)
int PMPI_Allreduce(void);
int MPI_Allreduce(void) { return PMPI_Allreduce(); }
int main(void) { return MPI_Allreduce(); }
#elif defined(PART_STATIC_PROGRAM)
void _start(void) {
  for (;;) {
  }
}
#else
int main(void) { return 0; }
#endif
