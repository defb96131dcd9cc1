// Proves by symbolic execution that a set of schedules is an allreduce, a broadcast or a reduction.
#pragma once

#include <cstdint>
#include <span>

#include "base/status.h"
#include "schedule/schedule.h"

namespace starling {

enum class Collective : std::uint8_t { kAllreduce, kBroadcast, kReduce };

struct Claims {
  bool keeps_rank_order = false;  // operands combine as a binary tree over ascending virtual ranks
  Collective collective = Collective::kAllreduce;
  std::int32_t root = 0;  // of a broadcast or a reduction, as a virtual rank
};

// Checks `schedules` (one per virtual rank, in order): shapes and indices are sane; every message has exactly one
// sender and one receiver of the same block; no two steps of a rank touch the same elements in an undefined
// order; no deadlock with unbuffered sends and a window of one; every input is exactly once in every output; every
// element is the same operand tree on every rank; rank order is kept where claimed. In a broadcast every output is
// instead the root's input, and nobody sends what it has not received. In a reduction every input is exactly once in
// the root's output only. The error says which rank, step and elements break it. Reads the schedules only; never
// executes user data.
Status verify(std::span<const Schedule> schedules, const Claims& claims);

}  // namespace starling
