// Keeps memory that was taken beforehand, for when there is no more.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <vector>

namespace starling {

// Allocates from `upstream` and, where that throws std::bad_alloc, from blocks that grow() took from it beforehand:
// the first piece that is large enough. Neighbouring pieces that are free become one. After grow(n), with nothing in
// use, any allocations succeed whose sizes, with kOverhead each, sum up to n, whatever is freed in between.
// Alignments go up to that of std::max_align_t. Where neither has enough, std::bad_alloc is thrown.
// Time: allocation from the reserve is linear in its free pieces; the rest is constant.
// THREADS: one.
class Reserve final : public std::pmr::memory_resource {
 public:
  // An allocation takes at most so many bytes of the reserve beside its size.
  static constexpr std::size_t kOverhead = 112;

  explicit Reserve(std::pmr::memory_resource* upstream = std::pmr::new_delete_resource()) : upstream_(upstream) {}
  Reserve(const Reserve&) = delete;
  Reserve& operator=(const Reserve&) = delete;
  // REQUIRES: all that was allocated has been given back.
  ~Reserve() override;

  // Makes sure of one block of at least `bytes`; smaller ones go once nothing of them is in use. Returns false when
  // memory is short; the reserve is then as before. The pages are not touched, so they cost addresses only.
  bool grow(std::size_t bytes) noexcept;
  // Returns the bytes that are not in use.
  std::size_t free() const;
  // Returns whether it has served an allocation since it was made or last told to forget that.
  bool wasUsed() const { return was_used_; }
  void forgetUse() { was_used_ = false; }

 private:
  // Stands before each piece of a block, free or not; the last piece of a block is an empty one in use.
  struct Piece;
  struct Block {
    std::byte* begin;
    std::size_t bytes;
  };

  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  void* take(std::size_t bytes);
  void giveBack(void* memory);
  bool owns(const void* memory) const;
  static bool isUnused(const Block& block);
  void releaseUnusedBut(const std::byte* kept);
  void link(Piece& piece);
  void unlink(Piece& piece);

  std::pmr::memory_resource* upstream_;
  std::vector<Block> blocks_;
  Piece* first_free_ = nullptr;
  bool was_used_ = false;
};

}  // namespace starling
