// What one clock says of another one: their offset and drift, found from exchanges of stamps, with an error that is
// proved, not guessed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace starling {

// No two machines' oscillators differ by more than this part: each is off by at most 100 millionths.
inline constexpr double kGreatestDrift = 200e-6;

// At one moment another clock is ahead of this one by at least `least_ns` and at most `most_ns`.
struct OffsetBounds {
  std::int64_t local_ns = 0;  // the moment, on this clock
  std::int64_t least_ns = 0;
  std::int64_t most_ns = 0;

  std::int64_t width() const { return most_ns - least_ns; }
};

// Returns what two bounds say together at the time of the newer ones.
OffsetBounds narrowed(const OffsetBounds& older, const OffsetBounds& newer);

// One exchange: this side asked at `sent_ns` and had the answer at `received_ns`, both by its own clock. The other side
// answered in between, when its clock showed `told_ns`, right within `told_error_ns`.
struct ClockExchange {
  std::int64_t sent_ns = 0;
  std::int64_t received_ns = 0;
  std::int64_t told_ns = 0;
  std::int64_t told_error_ns = 0;

  // Bounds the offset at the time of receipt.
  OffsetBounds bounds() const;
};

// Turns this clock's time into that of another one. The default is a clock's model of itself.
struct ClockModel {
  std::int64_t at_ns = 0;  // on this clock: where offset and error are those below
  std::int64_t offset_ns = 0;
  double drift = 0.0;         // by so much the offset grows in a nanosecond
  std::int64_t error_ns = 0;  // the offset is right within this
  double drift_error = 0.0;   // the drift is right within this

  bool operator==(const ClockModel&) const = default;
  // Returns what the other clock shows when this one shows `local_ns`; it is right within errorAt(local_ns).
  std::int64_t toOther(std::int64_t local_ns) const;
  std::int64_t errorAt(std::int64_t local_ns) const;
};

// Fits a line to the bounds of the offset; of more than kWindow the widest are forgotten. It is the line of least
// squares through the middles of the bounds, those of narrow ones weighing more, moved into what the bounds allow. So
// the error is proved: among all lines that keep to the bounds the true one is nowhere farther away, if the clocks'
// rates were constant while the bounds were found. Where no line keeps to all of them, the rates have changed, and the
// oldest bounds are forgotten. THREADS: one.
class ClockFit {
 public:
  static constexpr std::size_t kWindow = 16;

  ClockFit() { window_.reserve(kWindow); }

  // Takes bounds, which come in the order of their times. Those that say nothing beyond what is known are left out.
  // Returns whether the model is another one now. Allocates nothing.
  bool add(const OffsetBounds& bounds);

  // REQUIRES: bounds were added.
  const ClockModel& model() const { return model_; }
  bool isEmpty() const { return window_.empty(); }

 private:
  struct Drifts {
    double least = -kGreatestDrift;
    double most = kGreatestDrift;
  };
  bool tellsMore(const OffsetBounds& bounds) const;
  Drifts allowedDrifts() const;
  ClockModel fit(const Drifts& drifts) const;

  std::vector<OffsetBounds> window_;  // the oldest first
  ClockModel model_;
};

}  // namespace starling
