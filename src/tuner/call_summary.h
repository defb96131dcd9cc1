// What the stamps of all ranks in one call come to, in a size that does not depend on how many they are.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

namespace starling {

// Summaries travel between ranks and are reduced on the way by add(), in any order: the result is the same to the last
// bit. Stamps are in nanoseconds of the clock that the ranks have in common; where they have none, each rank counts
// from when it left the call.
// THREADS: one.
class CallSummary {
 public:
  // So many of the ranks that came last are named.
  static constexpr std::size_t kNamed = 8;
  // A rank that came last but one, two and so on is told by how long it came before the last one, in these steps.
  static constexpr std::int64_t kStepNs = 64;

  // A summary of no rank.
  CallSummary() = default;
  // The summary of one rank, whose stamps are right within `error_ns`.
  CallSummary(std::int32_t rank, std::int64_t arrival_ns, std::int64_t exit_ns, std::int64_t error_ns);
  // The summary of one rank whose clock does not compare with others'.
  static CallSummary ofElapsed(std::int32_t rank, std::int64_t elapsed_ns) { return {rank, -elapsed_ns, 0, 0}; }

  void add(const CallSummary& other);
  // Has it tell, too, how long its rank was in other calls.
  void noteOthers(std::int64_t elapsed_ns);
  // Makes it that of a call which each of its ranks left so much later.
  void delayExits(std::int64_t delay_ns) {
    elapsed_ns_ += ranks_ * delay_ns;
    shortest_ns_ += delay_ns;
  }

  std::int32_t ranks() const { return ranks_; }
  std::int64_t latestNs() const { return latest_ns_; }      // arrival
  std::int64_t earliestNs() const { return earliest_ns_; }  // arrival
  std::int64_t waitedNs() const { return waited_ns_; }      // sum over ranks: from the arrival to the last arrival
  std::int64_t elapsedNs() const { return elapsed_ns_; }    // sum over ranks
  // Sum over ranks, right within half a microsecond for each; empty: more than an hour, and not known.
  std::optional<std::int64_t> othersNs() const;
  std::int64_t shortestNs() const { return shortest_ns_; }  // elapsed, of the rank that was there for the least time
  // The time between stamps of any two ranks is right within this.
  std::int64_t errorNs() const { return std::int64_t{errors_ns_[0]} + errors_ns_[1]; }

  struct Named {
    std::int32_t rank = -1;
    std::uint32_t before_latest = 0;  // steps; the greatest value: that or more

    bool operator==(const Named&) const = default;
  };
  // The ranks that came last, the last one first; of those that came together the lower ones first.
  std::span<const Named> named() const {
    return std::span(named_).first(std::min<std::size_t>(static_cast<std::size_t>(ranks_), kNamed));
  }

  bool operator==(const CallSummary&) const = default;

 private:
  void addNamed(const CallSummary& other, std::int64_t latest_ns);

  std::int64_t latest_ns_ = 0;
  std::int64_t earliest_ns_ = 0;
  std::int64_t waited_ns_ = 0;
  std::int64_t elapsed_ns_ = 0;
  std::int64_t shortest_ns_ = 0;
  std::array<std::uint32_t, 2> errors_ns_{};  // the two greatest
  std::int32_t ranks_ = 0;
  std::uint32_t others_us_ = 0;
  std::array<Named, kNamed> named_{};
};
static_assert(std::is_trivially_copyable_v<CallSummary> && sizeof(CallSummary) == 120);

}  // namespace starling
