// Adds up how long calls take of which not all are timed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace starling {

// Clocks take as long as a tenth of the shortest calls: of short ones one in many is timed, of others all are. THREADS:
// not thread-safe.
class SampledTime {
 public:
  // The first `first` calls are timed, and then one in `each` of those that take `short_ns` or less in the mean.
  // REQUIRES: each > 0.
  SampledTime(std::int64_t first, std::int64_t each, std::int64_t short_ns)
      : first_(first), each_(each), short_ns_(short_ns) {}

  // Returns for how many calls the time of the next one stands; 0: it is not to be timed.
  std::int64_t weightOfNext() const {
    if (calls_ < first_ || spent_ns_ > told_ * short_ns_) return 1;
    return until_timed_ == 0 ? each_ : 0;
  }
  // Notes that call, of that weight, and how long it took if it was timed.
  void add(std::int64_t weight, std::int64_t took_ns) {
    ++calls_;
    until_timed_ = until_timed_ == 0 ? each_ - 1 : until_timed_ - 1;
    if (weight == 0) return;
    told_ += weight;
    spent_ns_ += timeOf(weight, took_ns);
  }
  // Returns how long so many calls took, of which one was timed: one that was held up says nothing of the others.
  std::int64_t timeOf(std::int64_t weight, std::int64_t took_ns) const {
    return took_ns + (weight - 1) * std::min(took_ns, short_ns_);
  }

  std::int64_t calls() const { return calls_; }
  std::int64_t spentNs() const { return spent_ns_; }
  // Begins anew; returns how long the calls have taken.
  std::int64_t take() {
    calls_ = told_ = until_timed_ = 0;
    return std::exchange(spent_ns_, 0);
  }

 private:
  std::int64_t first_;
  std::int64_t each_;
  std::int64_t short_ns_;
  std::int64_t calls_ = 0;
  std::int64_t until_timed_ = 0;  // of short calls; a remainder would take longer to find out
  std::int64_t told_ = 0;         // calls for which the timed ones stand
  std::int64_t spent_ns_ = 0;
};

}  // namespace starling
