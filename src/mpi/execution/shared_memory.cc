#include "mpi/execution/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/address_space.h"

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

// A limit of files' sizes would end the process with a signal.
bool mayGrowTo(std::size_t bytes) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes;
}

int makeMemory(std::size_t bytes) {
  if (!mayGrowTo(bytes)) return -1;
  const int made = memfd_create("starling", MFD_CLOEXEC);
  if (made >= 0 && ftruncate(made, static_cast<off_t>(bytes)) != 0) {
    close(made);
    return -1;
  }
  return made;
}

// What is there under that name in another machine's or process namespace may be anything: it is looked at first.
int openMemoryOf(const Offer& offer, std::size_t bytes) {
  if (offer.process_namespace != processNamespace() || offer.process == getpid()) return -1;
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%lld/fd/%d", static_cast<long long>(offer.process), offer.descriptor);
  struct stat found {};
  if (stat(path.data(), &found) != 0 || !S_ISREG(found.st_mode) || static_cast<std::size_t>(found.st_size) != bytes) {
    return -1;
  }
  return open(path.data(), O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

bool holdsToken(const std::byte* end, std::int64_t token) {
  std::int64_t found = 0;
  std::memcpy(&found, end, sizeof found);
  return found == token;
}

bool isTrueOnAll(MPI_Comm communicator, bool value) {
  const int mine = value ? 1 : 0;
  int least = 0;
  return PMPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, communicator) == MPI_SUCCESS && least == 1;
}

std::int64_t makeToken() {
  std::int64_t token = 0;
  if (getrandom(&token, sizeof token, GRND_NONBLOCK) != sizeof token) token = getpid();
  return token == 0 ? 1 : token;  // which new memory does not hold
}

}  // namespace

// Closes a file descriptor.
class SharedMemory::Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int number() const { return number_; }
  bool isOpen() const { return number_ >= 0; }

 private:
  int number_;
};

SharedMemory::~SharedMemory() { munmap(data_, bytes_); }

// The token lies behind what was asked for. Rank 0 has written it before the others hear where it is.
std::unique_ptr<SharedMemory> SharedMemory::map(MPI_Comm communicator, std::size_t bytes, bool may_share) {
  int rank = 0;
  PMPI_Comm_rank(communicator, &rank);
  const std::size_t all_bytes = bytes + sizeof(Offer::token);
  const bool is_ready = may_share && leavesAddressSpace(all_bytes);
  Descriptor descriptor(rank == 0 && is_ready ? makeMemory(all_bytes) : -1);
  std::unique_ptr<SharedMemory> memory = mapped(descriptor, all_bytes);
  Offer offer{getpid(), processNamespace(), makeToken(), memory ? descriptor.number() : -1};
  if (memory && rank == 0) std::memcpy(memory->data() + bytes, &offer.token, sizeof offer.token);
  const int told = PMPI_Bcast(&offer, sizeof offer, MPI_BYTE, 0, communicator);
  if (told != MPI_SUCCESS || offer.descriptor < 0) return nullptr;
  if (rank != 0 && is_ready) {
    descriptor = Descriptor(openMemoryOf(offer, all_bytes));
    memory = mapped(descriptor, all_bytes);
  }
  const bool is_right = memory && holdsToken(memory->data() + bytes, offer.token);
  // Nobody closes the descriptor before all have opened it.
  return isTrueOnAll(communicator, is_right) ? std::move(memory) : nullptr;
}

std::unique_ptr<SharedMemory> SharedMemory::mapped(const Descriptor& descriptor, std::size_t bytes) {
  struct stat found {};
  if (!descriptor.isOpen() || fstat(descriptor.number(), &found) != 0) return nullptr;
  if (static_cast<std::size_t>(found.st_size) != bytes) return nullptr;
  void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.number(), 0);
  if (data == MAP_FAILED) return nullptr;
  return std::unique_ptr<SharedMemory>(new SharedMemory(static_cast<std::byte*>(data), bytes));
}

}  // namespace starling
