#include "plain_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

namespace starling::cli {

Descriptor openPlainFile(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return Descriptor();
  if (S_ISREG(status.st_mode)) {
    // Another file may have taken the name meanwhile.
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file.isOpen() || ::fstat(file.number(), &status) != 0) return Descriptor();
    if (S_ISREG(status.st_mode)) return file;
  }
  errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
  return Descriptor();
}

}  // namespace starling::cli
