// Proof by symbolic execution that a set of schedules is an allreduce.
#pragma once

#include <span>

#include "algos/schedule.h"
#include "base/status.h"

namespace starling {

struct Claims {
  bool keeps_rank_order = false;  // operands combine as a binary tree over ascending virtual ranks
};

// Checks `schedules` (one per virtual rank, in order): shapes and indices are sane; every message has exactly one
// sender and one receiver of the same block; no two steps of a rank touch the same elements in an undefined
// order; no deadlock with unbuffered sends and a window of one; every input is exactly once in every output; every
// element is the same operand tree on every rank; rank order is kept where claimed. The error says which rank, step
// and elements break it. Reads the schedules only; never executes user data.
Status verify(std::span<const Schedule> schedules, const Claims& claims);

}  // namespace starling
