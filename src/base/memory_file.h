// Memory without a name, which a process makes and others open.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <utility>

namespace starling {

// Owns a file descriptor, and closes it.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  bool isOpen() const { return number_ >= 0; }
  int number() const { return number_; }  // negative: it is not open

 private:
  int number_;
};

// Returns memory of so many bytes, all 0, which is gone when nobody has it open or mapped. It is not open where the
// system, or a limit of files' sizes, does not allow it. THREADS: any.
Descriptor makeMemoryFile(std::size_t bytes);

// Opens what another process of the same user has made, by the number of its descriptor there. The result is not open
// where there is no file of that size, or this process may not open it. THREADS: any.
Descriptor openMemoryFile(pid_t process, int descriptor, std::size_t bytes);

}  // namespace starling
