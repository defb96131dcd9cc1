// Counts what was seen of an incumbent that nobody had measured as it is arranged now.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace starling {

// The plan says how many calls the incumbent may make (KeyPlan::probation_calls). THREADS: not thread-safe.
class Probation {
 public:
  static constexpr std::int64_t kSamples = 3;  // stamped calls that a choice is judged by

  // Counts the calls anew, because the plan took force or is renewed. Samples stay.
  void restartCalls() { calls_ = calls_of_key_ = 0; }

  void count(bool is_incumbent) {
    ++calls_of_key_;
    calls_ += is_incumbent ? 1 : 0;
  }
  void observe() { ++samples_; }

  bool isSampled() const { return samples_ >= kSamples; }
  // Returns how many samples judge the incumbent. Where it makes no more calls until it is judged, those that were
  // stamped must do.
  std::size_t samplesToJudge(std::int32_t allowed_calls) const {
    const bool is_over = allowed_calls > 0 && calls_ >= allowed_calls;
    return static_cast<std::size_t>(is_over ? std::min(samples_, kSamples) : kSamples);
  }
  // Returns whether the calls are used up, or are never made because memory is short or another key is predicted.
  bool isOver(std::int32_t allowed_calls) const { return calls_ >= allowed_calls || calls_of_key_ >= kCallsToRun; }
  bool neverRuns() const { return calls_ == 0 && calls_of_key_ >= kCallsToRun; }

 private:
  static constexpr std::int64_t kCallsToRun = 32;

  std::int64_t samples_ = 0;
  std::int64_t calls_ = 0;  // of the incumbent
  std::int64_t calls_of_key_ = 0;
};

}  // namespace starling
