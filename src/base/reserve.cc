#include "base/reserve.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <new>

namespace starling {
namespace {

constexpr std::size_t kGrain = alignof(std::max_align_t);

std::size_t roundUp(std::size_t bytes) { return (bytes + kGrain - 1) / kGrain * kGrain; }

}  // namespace

struct alignas(kGrain) Reserve::Piece {
  std::size_t bytes;         // with this head
  std::size_t bytes_before;  // of the piece before it in its block, if that is free; else 0
  bool is_free;
  // These link a free piece to its neighbours in the list.
  Piece* next;
  Piece* previous;

  Piece& after() { return *reinterpret_cast<Piece*>(reinterpret_cast<std::byte*>(this) + bytes); }
  Piece& before() { return *reinterpret_cast<Piece*>(reinterpret_cast<std::byte*>(this) - bytes_before); }
  void* payload() { return this + 1; }
  static Piece& of(void* payload) { return *(static_cast<Piece*>(payload) - 1); }
};

Reserve::~Reserve() {
  for (const Block& block : blocks_) upstream_->deallocate(block.begin, block.bytes, kGrain);
}

bool Reserve::grow(std::size_t bytes) noexcept {
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) return false;
  // A block has two heads at first: that of the one free piece, and that of the empty one at the end.
  const std::size_t needed = roundUp(bytes) + 2 * sizeof(Piece);
  if (std::ranges::any_of(blocks_, [needed](const Block& block) { return block.bytes >= needed; })) return true;
  try {
    blocks_.reserve(blocks_.size() + 1);
    blocks_.push_back({static_cast<std::byte*>(upstream_->allocate(needed, kGrain)), needed});
  } catch (const std::bad_alloc&) {
    return false;
  }
  std::byte* begin = blocks_.back().begin;
  Piece& all = *new (begin) Piece{needed - sizeof(Piece), 0, true, nullptr, nullptr};
  new (&all.after()) Piece{0, all.bytes, false, nullptr, nullptr};
  link(all);
  releaseUnusedBut(begin);
  return true;
}

std::size_t Reserve::free() const {
  std::size_t bytes = 0;
  for (const Piece* piece = first_free_; piece != nullptr; piece = piece->next) bytes += piece->bytes - sizeof(Piece);
  return bytes;
}

void* Reserve::do_allocate(std::size_t bytes, std::size_t alignment) {
  try {
    return upstream_->allocate(bytes, alignment);
  } catch (const std::bad_alloc&) {
    void* memory = alignment <= kGrain ? take(bytes) : nullptr;
    if (memory == nullptr) throw;
    was_used_ = true;
    return memory;
  }
}

void Reserve::do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) {
  if (owns(memory)) {
    giveBack(memory);
  } else {
    upstream_->deallocate(memory, bytes, alignment);
  }
}

void* Reserve::take(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) return nullptr;
  const std::size_t needed = roundUp(bytes) + sizeof(Piece);
  Piece* piece = first_free_;
  while (piece != nullptr && piece->bytes < needed) piece = piece->next;
  if (piece == nullptr) return nullptr;
  unlink(*piece);
  const std::size_t rest = piece->bytes - needed;
  if (rest > sizeof(Piece)) {
    piece->bytes = needed;
    link(*new (&piece->after()) Piece{rest, 0, true, nullptr, nullptr});
  }
  piece->after().bytes_before = 0;
  return piece->payload();
}

void Reserve::giveBack(void* memory) {
  Piece* piece = &Piece::of(memory);
  if (piece->after().is_free) {
    Piece& after = piece->after();
    unlink(after);
    piece->bytes += after.bytes;
  }
  if (piece->bytes_before > 0) {
    Piece& before = piece->before();
    unlink(before);
    before.bytes += piece->bytes;
    piece = &before;
  }
  link(*piece);
  if (blocks_.size() > 1) releaseUnusedBut(std::ranges::max_element(blocks_, {}, &Block::bytes)->begin);
}

bool Reserve::owns(const void* memory) const {
  // Pointers to different objects have an order with std::less alone.
  const auto* byte = static_cast<const std::byte*>(memory);
  const std::less<> is_before;
  return std::ranges::any_of(blocks_, [&](const Block& block) {
    return !is_before(byte, block.begin) && is_before(byte, block.begin + block.bytes);
  });
}

bool Reserve::isUnused(const Block& block) {
  const auto& first = *reinterpret_cast<const Piece*>(block.begin);
  return first.is_free && first.bytes + sizeof(Piece) == block.bytes;
}

void Reserve::releaseUnusedBut(const std::byte* kept) {
  std::erase_if(blocks_, [&](const Block& block) {
    if (block.begin == kept || !isUnused(block)) return false;
    unlink(*reinterpret_cast<Piece*>(block.begin));
    upstream_->deallocate(block.begin, block.bytes, kGrain);
    return true;
  });
}

// Expects that the piece is free and that those around it are not.
void Reserve::link(Piece& piece) {
  piece.is_free = true;
  piece.previous = nullptr;
  piece.next = first_free_;
  if (first_free_ != nullptr) first_free_->previous = &piece;
  first_free_ = &piece;
  piece.after().bytes_before = piece.bytes;
}

void Reserve::unlink(Piece& piece) {
  piece.is_free = false;
  (piece.previous != nullptr ? piece.previous->next : first_free_) = piece.next;
  if (piece.next != nullptr) piece.next->previous = piece.previous;
}

}  // namespace starling
