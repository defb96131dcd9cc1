// Keeps memory that calls need beside the program's, and knows how much of it all ranks have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

namespace starling {

// The memory of one kind of calls on one communicator. Sizes are bytes. It grows to powers of two: these are what the
// ranks tell each other, so that all of it can be agreed on.
// THREADS: one.
class AgreedMemory {
 public:
  static constexpr std::int64_t kMax = std::int64_t{1} << 30;  // larger calls pass through

  // `calls` names them in messages, as in "broadcasts". `grow` makes room for so many bytes; it returns false when
  // memory is short, and what there was is then as before.
  AgreedMemory(const char* calls, std::function<bool(std::size_t)> grow) : calls_(calls), grow_(std::move(grow)) {}

  // Notes a call that reserve() is to have room for, unless so much could not be had. REQUIRES: 0 < bytes <= kMax.
  void want(std::int64_t bytes);
  // Tries to have enough for the calls so far, and returns this rank's capacity.
  std::int64_t reserve() { return reserveFor(wanted_); }
  // Tries to have enough for one call, whatever the others were, and returns this rank's capacity. REQUIRES: what
  // want() requires, or 0 bytes.
  std::int64_t reserveFor(std::int64_t bytes);
  std::int64_t capacity() const { return capacity_; }

  // Notes that all ranks have at least so much.
  void agree(std::int64_t least);
  // Notes that all ranks know that one of them has less than this.
  void refuse(std::int64_t bytes);

  bool isAgreed() const { return is_agreed_; }
  bool has(std::int64_t bytes) const { return bytes <= agreed_; }
  // Returns whether a rank was short of so much before, so that it is not asked for again.
  bool isRefused(std::int64_t bytes) const { return bytes >= refused_; }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  const char* calls_;
  std::function<bool(std::size_t)> grow_;
  std::int64_t capacity_ = 0;
  std::int64_t wanted_ = 0;
  std::int64_t refused_here_ = kNever;
  std::int64_t agreed_ = 0;
  std::int64_t refused_ = kNever;
  bool is_agreed_ = false;
};

}  // namespace starling
