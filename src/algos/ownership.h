// Who owns what in a direct allreduce, and how contributions travel, when ranks arrive one after another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algos/schedule.h"

namespace starling {

// How a rank's contributions reach the owners.
enum class Contribution : std::uint8_t {
  kWhole,  // one message for each owner
  kParts,  // the first part of every owner's block, then the next: results can go out while they come
  kLast,   // the same, in step with the results, since all others are there before
};

// An owner combines everybody's contributions to its block and sends the result to all. The vector is cut into parts
// that are finished one after another, each by a set of owners that have equal blocks of it. Let N be the time of one
// vector on the wire. A rank that comes d before the last has max(0, N - d) of its contributions still to send when
// that one arrives, and owns only parts whose turn comes after. So the owners of a part are those that are free by
// then, and half of the ranks at least, which bounds what an owner must keep of the others. Ranks that come with the
// last own nothing. Where all this would not be faster than equal blocks for everybody in one part, it is that.
//
// All integers, so that every rank computes the same. Thread rule: const after construction.
class Ownership {
 public:
  // `lateness_ns`: predicted, by virtual rank, in any order; empty means all on time. `vector_ns` is N; 0: not known,
  // then all count as on time. `parts` is a wish: there are less where elements are few, and one when nobody is late.
  // REQUIRES: ranks, count, parts > 0; lateness is not negative; it and `vector_ns` are at most 10^15.
  Ownership(std::int32_t ranks, std::int64_t count, std::int64_t parts, std::span<const std::int64_t> lateness_ns,
            std::int64_t vector_ns);

  std::int32_t parts() const { return static_cast<std::int32_t>(owners_.size()); }
  Contribution contributionOf(std::int32_t rank) const { return contributions_[rank]; }
  // All that the rank owns, one range of elements; and of that what belongs to one part. Empty: nothing.
  Block blockOf(std::int32_t rank) const { return blocks_[rank]; }
  Block blockOf(std::int32_t rank, std::int32_t part) const { return parts_of_blocks_[rank * owners_.size() + part]; }

 private:
  void chooseContributions(std::span<const std::int64_t> backlogs, std::int64_t vector_time);
  bool chooseOwners(std::span<const std::int64_t> backlogs, std::int64_t vector_time, std::int64_t parts);
  void cut(std::int64_t count);

  std::int32_t ranks_;
  std::vector<std::int32_t> by_backlog_;  // ranks, those with the least first
  std::vector<std::int32_t> owners_;      // by part: so many of the first in by_backlog_
  std::vector<Contribution> contributions_;
  std::vector<Block> blocks_;
  std::vector<Block> parts_of_blocks_;  // by rank, then part
};

}  // namespace starling
