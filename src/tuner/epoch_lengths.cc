#include "tuner/epoch_lengths.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "tuner/epoch_messages.h"
#include "tuner/forced_choice.h"

namespace starling {
namespace {

// Where something is to be learned, trials are made in the first calls of an epoch, and all its calls are stamped.
constexpr std::int32_t kMostCallsWhileLearning = 16;
// Epochs become short for so many keys that appear, and then for one in so many calls.
constexpr std::int64_t kMostAppearing = 64;
constexpr std::int64_t kCallsForOne = 32;
// Where nothing is, an epoch may be so many times as long as others at most.
constexpr std::int32_t kRestFactor = 64;

bool isSettled(const KeyTable::Entry& entry) {
  const bool is_final = entry.plan.state == KeyState::kSettled || entry.plan.state == KeyState::kPassesThrough;
  return entry.plans > 0 && is_final && !entry.is_stopped;
}

// Which calls of a size class an algorithm is valid for may differ, but for native and what runs through shared memory.
bool letsCallsRest(const Options& options) {
  if (options.mode != Mode::kTune || options.reproducible) return false;
  if (options.algorithm.empty()) return true;
  const Result<Choice> forced = forcedChoice(options);
  if (!forced.isOk()) return false;
  return forced.value().algorithm == kNativeAlgorithm || runsInMemory(forced.value().algorithm);
}

}  // namespace

EpochLengths::EpochLengths(const Options& options, std::int32_t samples)
    : tunes_(options.mode == Mode::kTune),
      may_rest_(letsCallsRest(options)),
      longest_(static_cast<std::int32_t>(options.longest_epoch)),
      samples_(samples) {}

bool EpochLengths::noteKey(const Key& key, const KeyTable& keys) {
  ++calls_;
  // The keys of the first epoch are in the table when those after it are over, and seem to appear again until then.
  if (closed_ < kEpochsToPlan || !tunes_ || keys.find(key)) return false;
  // Where sites are predicted wrong the keys that seem to appear never do.
  if (appeared_ >= 2 * (keys.size() + kShortEpoch)) return false;
  // Where many appear, and each is called a few times, agreements would take more time than can be won.
  if (appeared_ >= kMostAppearing + calls_ / kCallsForOne) return false;
  ++appeared_;
  hurry();
  return true;
}

void EpochLengths::noteClose() {
  short_epochs_ = std::max((closed_ == 0 ? kEpochsToPlan : short_epochs_) - 1, 0);
  closed_ = std::min(closed_ + 1, kEpochsToPlan);
}

std::int32_t EpochLengths::limit(bool rest) const {
  if (short_epochs_ > 0) return kShortEpoch;
  return rest ? kCallsBeforeRest : kNoLimit;
}

void EpochLengths::noteCall(const KeyTable::Entry& entry, bool may_rest) {
  all_at_rest_ = all_at_rest_ && may_rest;
  all_settled_ = all_settled_ && isSettled(entry);
}

std::int32_t EpochLengths::agree(std::int32_t calls) {
  agreed_length_ = calls;
  return withoutRest(calls);
}

std::int32_t EpochLengths::mostAtRest() const {
  const bool rests = may_rest_ && all_at_rest_ && short_epochs_ == 0;
  return rests ? std::max(agreed_length_ - kCallsBeforeRest, 0) : 0;
}

void EpochLengths::noteTimes(std::span<const EpochCall> calls, std::span<const CallSummary> samples) {
  std::array<Seconds, kMaxSamples> elapsed;  // of the disturbed calls from the front, of the others from the back
  std::size_t disturbed = 0;
  std::size_t others = elapsed.size();
  for (const EpochCall& call : calls) {
    if (call.sample < 0) continue;
    const CallSummary& summary = samples[static_cast<std::size_t>(call.sample)];
    const std::size_t place = call.follows == AgreementStep::kNone ? --others : disturbed++;
    elapsed[place] = (1.0 / summary.ranks()) * fromNanoseconds(summary.elapsedNs());
  }
  pace_.noteCalls(std::span(elapsed).first(disturbed), std::span(elapsed).subspan(others));
}

std::int32_t EpochLengths::next(std::int32_t wanted) const {
  if (all_at_rest_ && longest_ >= kCallsBeforeRest) return pace_.calls(wanted, kRestFactor * longest_);
  if (all_settled_) return pace_.calls(wanted, longest_);
  const std::int32_t all_stamped = std::min(kMostCallsWhileLearning, samples_);
  return pace_.calls(wanted, std::min(all_stamped, longest_), EpochPace::kLearningShare);
}

// Looking at a call takes one operation of the ranks, where an agreement takes three. What they cost here the cost
// model does not know: they are short, and the processor has as much to do with them as the network.
void EpochLengths::limitWatching(CallLimit& limit) const {
  if (limit.slow_ns == 0) return;
  const double looking = pace_.cost().value / 3.0;
  const double call = fromNanoseconds(limit.slow_ns).value / CallLimit::kSlowFactor;
  const double every = std::min(looking / (CallLimit::kShare * call), CallLimit::kRarest);
  limit.every = std::max(limit.every, static_cast<std::int32_t>(std::ceil(every)));
}

}  // namespace starling
