// Memory that counts, and that ends where a test wants it to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <new>

namespace starling {

// Counts what is in use; has nothing from the allocation on that it is told.
class Counting final : public std::pmr::memory_resource {
 public:
  std::int64_t allocations_left = std::numeric_limits<std::int64_t>::max();
  std::int64_t allocations = 0;
  std::int64_t in_use = 0;
  std::int64_t peak = 0;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (allocations_left-- <= 0) throw std::bad_alloc();
    ++allocations;
    in_use += static_cast<std::int64_t>(bytes);
    peak = std::max(peak, in_use);
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    in_use -= static_cast<std::int64_t>(bytes);
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

}  // namespace starling
