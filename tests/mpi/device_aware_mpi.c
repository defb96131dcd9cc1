/* Makes an MPI library device-aware, for memory of the fake driver: MPI_Allreduce copies what lies on the device to the
 * host and the result back. device_buffers_test preloads it behind Starling. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>

typedef int (*IsDevice)(const void*);
typedef void (*Copy)(void*, const void*, size_t);

static int isDevice(const void* address) {
  const IsDevice ask = (IsDevice)dlsym(RTLD_DEFAULT, "fake_is_device");
  return address != MPI_IN_PLACE && ask(address);
}

static void copy(void* to, const void* from, size_t bytes) {
  ((Copy)dlsym(RTLD_DEFAULT, "fake_copy"))(to, from, bytes);
}

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  int size = 0;
  PMPI_Type_size(datatype, &size);
  const size_t bytes = (size_t)count * (size_t)size;
  void* send_copy = isDevice(sendbuf) ? malloc(bytes) : NULL;
  void* receive_copy = isDevice(recvbuf) ? malloc(bytes) : NULL;
  if (send_copy != NULL) copy(send_copy, sendbuf, bytes);
  if (receive_copy != NULL) copy(receive_copy, recvbuf, bytes);
  const int code = PMPI_Allreduce(send_copy != NULL ? send_copy : sendbuf,
                                  receive_copy != NULL ? receive_copy : recvbuf, count, datatype, op, comm);
  if (receive_copy != NULL) copy(recvbuf, receive_copy, bytes);
  free(send_copy);
  free(receive_copy);
  return code;
}
