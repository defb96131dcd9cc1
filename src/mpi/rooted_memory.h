// Memory that a rooted collective needs beside the program's, and how much of it all ranks are known to have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

namespace starling {

// Of one function on one communicator. Grows to powers of two. Sizes are of one call's vector, in bytes.
// THREADS: one.
class RootedMemory {
 public:
  static constexpr std::int64_t kMost = std::int64_t{1} << 30;  // larger calls pass through

  // `grow` makes room for so many bytes; false: memory is short, and what there was is as before.
  explicit RootedMemory(std::function<bool(std::size_t)> grow) : grow_(std::move(grow)) {}

  // A call has come that reserve() is to have room for, unless so much could not be had. REQUIRES: 0 < bytes <= kMost.
  void want(std::int64_t bytes);
  // This rank's capacity after it tried to have enough for the calls so far.
  std::int64_t reserve() { return reserveFor(wanted_); }
  // The same for one call, whatever the others were.
  std::int64_t reserveFor(std::int64_t bytes);

  // All ranks have so much at least.
  void agree(std::int64_t least);
  // All ranks know that one of them has less than this.
  void refuse(std::int64_t bytes);

  bool isAgreed() const { return is_agreed_; }
  bool has(std::int64_t bytes) const { return bytes <= agreed_; }
  // Not to be asked for again.
  bool isRefused(std::int64_t bytes) const { return bytes >= refused_; }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  std::function<bool(std::size_t)> grow_;
  std::int64_t capacity_ = 0;
  std::int64_t wanted_ = 0;
  std::int64_t refused_here_ = kNever;
  std::int64_t agreed_ = 0;
  std::int64_t refused_ = kNever;
  bool is_agreed_ = false;
};

}  // namespace starling
