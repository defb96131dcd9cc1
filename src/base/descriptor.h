// An open file of the system's.
#pragma once

#include <unistd.h>

#include <utility>

namespace starling {

// Owns a file descriptor, and closes it. THREADS: not thread-safe.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  bool isOpen() const { return number_ >= 0; }
  int number() const { return number_; }  // negative: it is not open
  // Returns the number, which is the caller's to close.
  int release() { return std::exchange(number_, -1); }
  // Returns whether all that was written has arrived, as far as the file system tells.
  bool close() { return !isOpen() || ::close(release()) == 0; }

 private:
  int number_;
};

}  // namespace starling
