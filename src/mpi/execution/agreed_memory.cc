#include "mpi/execution/agreed_memory.h"

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

void AgreedMemory::want(std::int64_t bytes) {
  const std::int64_t wanted = powerOfTwoFor(bytes);
  // A size that could not be had must not keep smaller calls from getting their memory.
  if (wanted < refused_here_) wanted_ = std::max(wanted_, wanted);
}

std::int64_t AgreedMemory::reserveFor(std::int64_t bytes) {
  const std::int64_t wanted = powerOfTwoFor(bytes);
  if (bytes <= capacity_ || wanted >= refused_here_) return capacity_;
  if (grow_(static_cast<std::size_t>(wanted))) {
    capacity_ = wanted;
    return capacity_;
  }
  refused_here_ = wanted;
  wanted_ = capacity_;
  logOnce(LogLevel::kWarning, calls_, [&] {
    return std::string("memory is short for ") + calls_ + " that need " + std::to_string(wanted) +
           " bytes beside the program's; they pass through to the MPI library";
  });
  return capacity_;
}

void AgreedMemory::agree(std::int64_t least) {
  agreed_ = std::max(agreed_, least);
  is_agreed_ = true;
}

void AgreedMemory::refuse(std::int64_t bytes) { refused_ = std::min(refused_, bytes); }

}  // namespace starling
