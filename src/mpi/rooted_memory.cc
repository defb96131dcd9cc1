#include "mpi/rooted_memory.h"

#include <algorithm>
#include <bit>
#include <string>

#include "base/log.h"

namespace starling {
namespace {

std::int64_t powerOfTwoFor(std::int64_t bytes) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes)));
}

}  // namespace

void RootedMemory::want(std::int64_t bytes) {
  const std::int64_t wanted = powerOfTwoFor(bytes);
  // What could not be had must not keep calls between that and the capacity from getting theirs.
  if (wanted < refused_here_) wanted_ = std::max(wanted_, wanted);
}

std::int64_t RootedMemory::reserveFor(std::int64_t bytes) {
  const std::int64_t wanted = powerOfTwoFor(bytes);
  if (bytes <= capacity_ || wanted >= refused_here_) return capacity_;
  if (grow_(static_cast<std::size_t>(wanted))) {
    capacity_ = wanted;
    return capacity_;
  }
  refused_here_ = wanted;
  wanted_ = capacity_;
  logOnce(LogLevel::kWarning, "rooted memory",
          "memory is short for broadcasts and reductions of " + std::to_string(wanted) +
              " bytes; they pass through to the MPI library");
  return capacity_;
}

void RootedMemory::agree(std::int64_t least) {
  agreed_ = std::max(agreed_, least);
  is_agreed_ = true;
}

void RootedMemory::refuse(std::int64_t bytes) { refused_ = std::min(refused_, bytes); }

}  // namespace starling
