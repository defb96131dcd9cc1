// How late ranks are in calls that follow, by what the ranks have told each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace starling {

// What two clocks and a busy processor alone may make of the time between two ranks.
inline constexpr std::int64_t kNoiseFloorNs = 20'000;

// From the mean stamps of a period, of clocks that agree. Differences that are small beside the largest one count as
// none, and a pattern stays in force until another one differs by more than that: plans do not follow noise. Whole
// numbers only: all ranks have the same. No allocation after construction. THREADS: one.
class AgreedLateness {
 public:
  explicit AgreedLateness(std::int32_t ranks);

  // `stamps_ns`: mean arrival by rank. True: another pattern is in force.
  bool update(std::span<const std::int64_t> stamps_ns);

  // By rank; nobody is late before the first update.
  std::span<const std::int64_t> latenessNs() const { return in_force_; }

 private:
  std::vector<std::int64_t> in_force_;
  std::vector<std::int64_t> newest_;
};

}  // namespace starling
