// Decides who owns what in a direct allreduce, and how contributions travel, when ranks arrive one after another.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "schedule/schedule.h"

namespace starling {

// Tells how a rank's contributions reach the owners.
enum class Contribution : std::uint8_t {
  kWhole,  // one message for each owner
  kParts,  // the first segment of every owner's block, then the next: results can go out while they come
  kLast,   // the same, in step with the results, since all others are there before
};

// An owner combines everybody's contributions to its block and sends the result to all. The vector is cut into segments
// that are finished one after another, each by a set of owners that have equal blocks of it. Let N be the time of one
// vector on the wire. A rank that comes d before the last has max(0, N - d) of its contributions still to send when
// that one arrives, and owns only segments whose turn comes after. So the owners of a segment are those that are free
// by then, and half of the ranks at least, which bounds what an owner must keep of the others. Ranks that come with the
// last own nothing. Where all this would not be faster than equal blocks for everybody in one segment, it is that.
//
// All numbers are integers, so that every rank computes the same. THREADS: const after construction.
class Ownership {
 public:
  // `lateness_ns` is predicted, by virtual rank, in any order; empty means all on time. `vector_ns` is N; where it is
  // 0, which means not known, all count as on time. `segments` is a wish: there are less where elements are few, and
  // one when nobody is late. REQUIRES: ranks, count, segments > 0; lateness is not negative; it and `vector_ns` are at
  // most 10^15.
  Ownership(std::int32_t ranks, std::int64_t count, std::int64_t segments, std::span<const std::int64_t> lateness_ns,
            std::int64_t vector_ns, std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  // These return the most segments that there can be, and the bytes that an Ownership with so many takes.
  static std::int64_t maxSegments(std::int32_t ranks, std::int64_t count, std::int64_t segments);
  static std::int64_t bytesFor(std::int32_t ranks, std::int64_t segments);

  std::int32_t segments() const { return static_cast<std::int32_t>(owners_.size()); }
  Contribution contributionOf(std::int32_t rank) const { return contributions_[rank]; }
  // These return all that the rank owns, which is one range of elements, and what of that belongs to one segment. An
  // empty block means nothing.
  Block blockOf(std::int32_t rank) const { return blocks_[rank]; }
  Block blockOf(std::int32_t rank, std::int32_t segment) const {
    return segments_of_blocks_[rank * owners_.size() + segment];
  }

 private:
  void chooseContributions(std::span<const std::int64_t> backlogs, std::int64_t vector_time);
  bool chooseOwners(std::span<const std::int64_t> backlogs, std::int64_t vector_time, std::int64_t segments);
  void cut(std::int64_t count);

  std::int32_t ranks_;
  std::pmr::vector<std::int32_t> by_backlog_;  // ranks, those with the least first
  std::pmr::vector<std::int32_t> owners_;      // by segment: so many of the first in by_backlog_
  std::pmr::vector<Contribution> contributions_;
  std::pmr::vector<Block> blocks_;
  std::pmr::vector<Block> segments_of_blocks_;  // by rank, then segment
};

}  // namespace starling
