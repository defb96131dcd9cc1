#include "base/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/memory_file.h"

namespace starling {

Result<std::string> readTextFile(const std::string& path, std::size_t most_bytes) {
  const auto unreadable = [] { return Status::error(fmt::format("cannot be read: {}", std::strerror(errno))); };
  // Opening a pipe would else wait for somebody who writes to it.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat state {};
  if (!file.isOpen() || fstat(file.number(), &state) != 0) return unreadable();
  if (S_ISDIR(state.st_mode)) return Status::error("is a folder");
  if (!S_ISREG(state.st_mode)) return Status::error("is no plain file");
  std::string text;
  char part[16 * 1024];
  for (;;) {
    const ssize_t number = read(file.number(), part, sizeof part);
    if (number < 0 && errno == EINTR) continue;
    if (number < 0) return unreadable();
    if (number == 0) return text;
    text.append(part, static_cast<std::size_t>(number));
    if (text.size() > most_bytes) return Status::error(fmt::format("has more than {} MiB", most_bytes >> 20));
  }
}

}  // namespace starling
