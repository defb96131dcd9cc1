// Memory that all ranks of a communicator have mapped.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>

namespace starling {

// It has no name anywhere: rank 0 makes it (memfd_create), the others open it by the descriptor of that process, and it
// is gone with the last process that has it mapped, however that ends. It does not count against the size of /dev/shm.
// THREADS: any; it is plain memory.
class SharedMemory {
 public:
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  // Maps `bytes` of zeros on all ranks. Returns null on all where one of them cannot, because it is in the process of
  // rank 0, of another machine, user or process namespace, or short of memory, or where `may_share` is false on one of
  // them. Collective; waits for all ranks. Throws std::bad_alloc where not even a few bytes are left.
  static std::unique_ptr<SharedMemory> map(MPI_Comm communicator, std::size_t bytes, bool may_share);

  std::byte* data() const { return data_; }

 private:
  class Descriptor;
  static std::unique_ptr<SharedMemory> mapped(const Descriptor& descriptor, std::size_t bytes);
  SharedMemory(std::byte* data, std::size_t bytes) : data_(data), bytes_(bytes) {}

  std::byte* data_;
  std::size_t bytes_;  // mapped
};

}  // namespace starling
