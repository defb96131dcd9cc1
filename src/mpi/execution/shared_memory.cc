#include "mpi/execution/shared_memory.h"

#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <utility>

#include "base/address_space.h"
#include "base/memory_file.h"
#include "mpi/execution/common_answers.h"

namespace starling {
namespace {

// Rank 0 tells this; a rank that finds the token in the memory has opened the right one.
struct Offer {
  std::int64_t process = 0;
  std::int64_t process_namespace = 0;
  std::int64_t token = 0;
  std::int32_t descriptor = -1;  // negative: there is none
};

// A process is known by its number within such a namespace only.
std::int64_t processNamespace() {
  struct stat found {};
  return stat("/proc/self/ns/pid", &found) == 0 ? static_cast<std::int64_t>(found.st_ino) : -1;
}

bool holdsToken(const std::byte* end, std::int64_t token) {
  std::int64_t found = 0;
  std::memcpy(&found, end, sizeof found);
  return found == token;
}

std::int64_t makeToken() {
  std::int64_t token = 0;
  if (getrandom(&token, sizeof token, GRND_NONBLOCK) != sizeof token) token = getpid();
  return token == 0 ? 1 : token;  // which new memory does not hold
}

}  // namespace

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

// The token lies behind what was asked for. Rank 0 has written it before the others hear where it is.
std::optional<SharedMemory> SharedMemory::map(MPI_Comm communicator, std::size_t bytes, bool may_share) {
  int rank = 0;
  PMPI_Comm_rank(communicator, &rank);
  const std::size_t all_bytes = bytes + sizeof(Offer::token);
  const bool is_ready = may_share && leavesAddressSpace(all_bytes);
  Descriptor descriptor = rank == 0 && is_ready ? makeMemoryFile(all_bytes) : Descriptor();
  std::optional<SharedMemory> memory = mapped(descriptor, all_bytes);
  Offer offer{getpid(), processNamespace(), makeToken(), memory ? descriptor.number() : -1};
  if (memory) std::memcpy(memory->data() + bytes, &offer.token, sizeof offer.token);
  const int told = PMPI_Bcast(&offer, sizeof offer, MPI_BYTE, 0, communicator);
  if (told != MPI_SUCCESS || offer.descriptor < 0) return std::nullopt;
  // In the process of rank 0 are threads that stand for ranks, of which one may run at a time only.
  const bool may_open = offer.process_namespace == processNamespace() && offer.process != getpid();
  if (rank != 0 && is_ready && may_open) {
    descriptor = openMemoryFile(static_cast<pid_t>(offer.process), offer.descriptor, all_bytes);
    memory = mapped(descriptor, all_bytes);
  }
  const bool is_right = memory && holdsToken(memory->data() + bytes, offer.token);
  if (is_right) memory->token_ = offer.token;
  // Nobody closes the descriptor before all have opened it.
  return isTrueOnAll(communicator, is_right) ? std::move(memory) : std::nullopt;
}

std::optional<SharedMemory> SharedMemory::mapped(const Descriptor& descriptor, std::size_t bytes) {
  if (!descriptor.isOpen()) return std::nullopt;
  void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.number(), 0);
  if (data == MAP_FAILED) return std::nullopt;
  return SharedMemory(static_cast<std::byte*>(data), bytes);
}

}  // namespace starling
