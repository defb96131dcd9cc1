// How late the ranks are expected to be in the calls that follow, by what they have told each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace starling {

// A busy processor alone may make this much of the time between two ranks.
inline constexpr std::int64_t kNoiseFloorNs = 20'000;

// Finds a pattern of latenesses in the mean stamps of a period; differences that
// are small beside the largest one, or within the error of the clocks, count as none, and a pattern stays in force
// until another one differs by more than that, so plans do not follow noise. It uses whole numbers only, so all ranks
// have the same pattern. Nothing is allocated after construction. THREADS: one.
class AgreedLateness {
 public:
  explicit AgreedLateness(std::int32_t ranks);

  // `stamps_ns` has the mean arrivals by rank; the time between two of them is right within `clock_error_ns`. Returns
  // true when another pattern is in force now.
  bool update(std::span<const std::int64_t> stamps_ns, std::int64_t clock_error_ns);

  // Returns latenesses by rank; nobody is late before the first update.
  std::span<const std::int64_t> latenessNs() const { return in_force_; }

 private:
  std::vector<std::int64_t> in_force_;
  std::vector<std::int64_t> newest_;
};

}  // namespace starling
