// A block of memory that grows where memory allows, and never throws.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace starling {

// THREADS: not thread-safe.
class GrowingMemory {
 public:
  // Makes sure of so many bytes; what was in them is lost where they are more than before. Returns false when memory is
  // short; all is then as before. The bytes are not initialised, so that pages that nobody uses are never touched.
  bool grow(std::size_t bytes) {
    if (bytes <= size_) return true;
    std::unique_ptr<std::byte[]> larger(new (std::nothrow) std::byte[bytes]);
    if (!larger) return false;
    bytes_ = std::move(larger);
    size_ = bytes;
    return true;
  }
  std::byte* data() { return bytes_.get(); }
  std::size_t size() const { return size_; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0;
};

}  // namespace starling
