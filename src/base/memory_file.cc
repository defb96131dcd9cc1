#include "base/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace starling {
namespace {

// A file that grows beyond the limit would end the process with a signal.
bool mayGrowTo(std::size_t bytes) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes;
}

}  // namespace

Descriptor makeMemoryFile(std::size_t bytes) {
  if (!mayGrowTo(bytes)) return Descriptor();
  Descriptor made(memfd_create("starling", MFD_CLOEXEC));
  if (!made.isOpen() || ftruncate(made.number(), static_cast<off_t>(bytes)) != 0) return Descriptor();
  return made;
}

// The same number may stand for anything in another machine or process namespace: it is looked at before it is opened.
Descriptor openMemoryFile(pid_t process, int descriptor, std::size_t bytes) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%lld/fd/%d", static_cast<long long>(process), descriptor);
  struct stat found {};
  if (stat(path.data(), &found) != 0 || !S_ISREG(found.st_mode)) return Descriptor();
  if (static_cast<std::size_t>(found.st_size) != bytes) return Descriptor();
  return Descriptor(open(path.data(), O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
}

}  // namespace starling
