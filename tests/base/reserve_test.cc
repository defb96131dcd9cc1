#include "base/reserve.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <new>
#include <random>
#include <vector>

namespace starling {
namespace {

// Counts what is in use; has nothing from the allocation on that it is told.
class Upstream final : public std::pmr::memory_resource {
 public:
  std::int64_t allocations_left = std::numeric_limits<std::int64_t>::max();
  std::size_t in_use = 0;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (allocations_left-- <= 0) throw std::bad_alloc();
    in_use += bytes;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    in_use -= bytes;
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

TEST(Reserve, isNotUsedWhileThereIsMemory) {
  Upstream upstream;
  Reserve reserve(&upstream);
  ASSERT_TRUE(reserve.grow(1000));
  const std::size_t free = reserve.free();
  EXPECT_GE(free, 1000U);
  void* memory = reserve.allocate(500);
  EXPECT_FALSE(reserve.wasUsed());
  EXPECT_EQ(reserve.free(), free);
  reserve.deallocate(memory, 500);
}

TEST(Reserve, servesWhereMemoryIsShort) {
  Upstream upstream;
  Reserve reserve(&upstream);
  ASSERT_TRUE(reserve.grow(1000));
  const std::size_t free = reserve.free();
  upstream.allocations_left = 0;
  void* memory = reserve.allocate(1000);
  std::memset(memory, 1, 1000);
  EXPECT_TRUE(reserve.wasUsed());
  EXPECT_THROW(static_cast<void>(reserve.allocate(1000)), std::bad_alloc);
  reserve.deallocate(memory, 1000);
  EXPECT_EQ(reserve.free(), free);
  EXPECT_TRUE(reserve.wasUsed());
  reserve.forgetUse();
  EXPECT_FALSE(reserve.wasUsed());
}

TEST(Reserve, throwsWhereNeitherHasEnough) {
  Upstream upstream;
  upstream.allocations_left = 0;
  Reserve reserve(&upstream);
  EXPECT_FALSE(reserve.grow(100));
  EXPECT_EQ(reserve.free(), 0U);
  EXPECT_THROW(static_cast<void>(reserve.allocate(1)), std::bad_alloc);
  upstream.allocations_left = 1;
  ASSERT_TRUE(reserve.grow(1000));
  EXPECT_THROW(static_cast<void>(reserve.allocate(8, 4096)), std::bad_alloc);
  EXPECT_THROW(static_cast<void>(reserve.allocate(std::numeric_limits<std::size_t>::max() - 8)), std::bad_alloc);
  EXPECT_FALSE(reserve.wasUsed());
  EXPECT_FALSE(reserve.grow(std::numeric_limits<std::size_t>::max() - 8));
}

TEST(Reserve, staysAsItWasWhenItCannotGrow) {
  Upstream upstream;
  upstream.allocations_left = 1;
  Reserve reserve(&upstream);
  ASSERT_TRUE(reserve.grow(1000));
  const std::size_t free = reserve.free();
  EXPECT_FALSE(reserve.grow(2000));
  EXPECT_TRUE(reserve.grow(500)) << "it has more than that";
  EXPECT_EQ(reserve.free(), free);
}

TEST(Reserve, hasOneBlockWhenItHasGrownAndNothingIsInUse) {
  Upstream upstream;
  Reserve reserve(&upstream);
  ASSERT_TRUE(reserve.grow(1000));
  ASSERT_TRUE(reserve.grow(3000));
  EXPECT_LT(upstream.in_use, 3200U);
  upstream.allocations_left = 0;
  void* memory = reserve.allocate(100);
  upstream.allocations_left = 10;
  ASSERT_TRUE(reserve.grow(9000));
  EXPECT_GT(upstream.in_use, 12'000U) << "the smaller block is in use";
  reserve.deallocate(memory, 100);
  EXPECT_LT(upstream.in_use, 9200U);
}

TEST(Reserve, givesEverythingBack) {
  Upstream upstream;
  {
    Reserve reserve(&upstream);
    ASSERT_TRUE(reserve.grow(1000));
    ASSERT_TRUE(reserve.grow(5000));
    EXPECT_GT(upstream.in_use, 0U);
  }
  EXPECT_EQ(upstream.in_use, 0U);
}

TEST(Reserve, tellsItsMemoryFromThatOfTheUpstream) {
  Upstream upstream;
  Reserve reserve(&upstream);
  ASSERT_TRUE(reserve.grow(1000));
  const std::size_t before = upstream.in_use;
  void* from_upstream = reserve.allocate(100);
  upstream.allocations_left = 0;
  void* from_reserve = reserve.allocate(100);
  EXPECT_EQ(upstream.in_use, before + 100);
  reserve.deallocate(from_upstream, 100);
  EXPECT_EQ(upstream.in_use, before);
  reserve.deallocate(from_reserve, 100);
  EXPECT_EQ(upstream.in_use, before);
}

TEST(Reserve, equalsItselfOnly) {
  Reserve a;
  Reserve b;
  EXPECT_TRUE(a.is_equal(a));
  EXPECT_FALSE(a.is_equal(b));
}

// What is allocated, filled with a byte of its own.
class Pieces {
 public:
  explicit Pieces(Reserve& reserve) : reserve_(reserve) {}

  void add(std::size_t bytes) {
    auto* memory = static_cast<unsigned char*>(reserve_.allocate(bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % alignof(std::max_align_t), 0U);
    ++value_;
    std::memset(memory, value_, bytes);
    pieces_.push_back({memory, bytes, value_});
  }
  void remove(std::size_t index) {
    const Piece piece = pieces_[index];
    for (std::size_t i = 0; i < piece.bytes; ++i) ASSERT_EQ(piece.memory[i], piece.value);
    reserve_.deallocate(piece.memory, piece.bytes);
    pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(index));
  }
  std::size_t size() const { return pieces_.size(); }

 private:
  struct Piece {
    unsigned char* memory;
    std::size_t bytes;
    unsigned char value;
  };

  Reserve& reserve_;
  std::vector<Piece> pieces_;
  unsigned char value_ = 0;
};

TEST(Reserve, servesAnySequenceThatSumsUpToItsSize) {
  constexpr unsigned kSeed = 7;
  constexpr std::size_t kBytes = 100'000;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  for (int round = 0; round < 200; ++round) {
    const std::int64_t fails_from = round % 4 == 0 ? 0 : static_cast<std::int64_t>(random() % 40);
    Upstream upstream;
    Reserve reserve(&upstream);
    ASSERT_TRUE(reserve.grow(kBytes));
    const std::size_t free = reserve.free();
    upstream.allocations_left = fails_from;
    Pieces pieces(reserve);
    const std::size_t largest = std::size_t{1} << (4 + random() % 12);
    for (std::size_t sum = 0;;) {
      const std::size_t bytes = random() % largest;
      sum += bytes + Reserve::kOverhead;
      if (sum > kBytes) break;
      ASSERT_NO_THROW(pieces.add(bytes));
      while (pieces.size() > 0 && random() % 3 == 0) pieces.remove(random() % pieces.size());
    }
    while (pieces.size() > 0) pieces.remove(random() % pieces.size());
    EXPECT_EQ(reserve.free(), free) << "all of it is one piece again";
    upstream.allocations_left = 0;
    EXPECT_NO_THROW(reserve.deallocate(reserve.allocate(kBytes), kBytes));
  }
}

}  // namespace
}  // namespace starling
