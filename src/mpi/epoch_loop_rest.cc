// This part of the epoch loop says how long epochs are: short where a key appears, else as long as what agreeing costs
// here asks, and with calls at rest where nothing is left to learn.
#include <algorithm>
#include <array>
#include <cmath>

#include "mpi/epoch_loop.h"

namespace starling {
namespace {

// Where nothing is left to learn so many calls of an epoch are looked at.
constexpr std::int32_t kCallsBeforeRest = 16;
// Where something is to be learned, trials are made in the first calls of an epoch, and all its calls are stamped.
constexpr std::int32_t kMostCallsWhileLearning = 16;
// Where nothing is, an epoch may be so many times as long as others at most.
constexpr std::int32_t kRestFactor = 64;
// After so long they agree all the same.
constexpr std::int64_t kLongestRestNs = 100'000'000;
// No rest is so short, which a rank says to end it.
constexpr std::int64_t kAskForEndNs = 0;

}  // namespace

// A key that has appeared is to have a plan soon, whatever else has settled. Whether it is new is equal on all ranks.
void EpochLoop::noteKey(const Key& key) {
  const Options& options = services_.settings.options;
  if (calls_.closedEpoch() < 0 || options.mode != Mode::kTune || keys_.find(key)) return;
  // Where sites are predicted wrong the keys that seem to appear never do.
  if (appeared_ >= 2 * (keys_.size() + kShortEpoch)) return;
  ++appeared_;
  hurryEpochs();
}

// What the latest calls have shown is to be known soon.
void EpochLoop::hurryEpochs() {
  short_epochs_ = kEpochsToPlan;
  limitEpoch();
}

void EpochLoop::limitEpoch() {
  const std::int32_t of_settled = rest_.isPlanned() ? kCallsBeforeRest : EpochCalls::kNoLimit;
  calls_.setLimit(short_epochs_ > 0 ? kShortEpoch : of_settled);
}

// All that is asked here is equal on all ranks. How long the rest is differs from epoch to epoch, so that a program
// with a rhythm is not always looked at at the same beat.
void EpochLoop::planRest() {
  const Options& options = services_.settings.options;
  const bool learns_freely = options.mode == Mode::kTune && options.algorithm.empty() && !options.reproducible;
  const std::int32_t most = agreed_length_ - kCallsBeforeRest;
  const bool rests = learns_freely && all_at_rest_ && short_epochs_ == 0 && most > 0;
  const std::uint64_t hash = mixHash(0, static_cast<std::uint64_t>(calls_.closedEpoch()));
  rest_.plan(rests ? most - static_cast<std::int32_t>(hash % static_cast<std::uint64_t>(most / 8 + 1)) : 0);
  resting_keys_.setMemoryRests(shares_memory_ && !has_device_driver_);
  if (rests) resting_keys_.refresh(keys_);
}

// What was begun after a call is finished after a later one that is looked at.
bool EpochLoop::beginRest() {
  if (!rest_.isPlanned() || call_watch_->isOpen()) return false;
  rest_.begin();
  tracker_.interrupt();
  has_rested_ = true;
  resting_since_ns_ = services_.clocks.clock->nanoseconds();
  return true;
}

// Where calls have become long, or come from places that nobody has looked at, the ranks must not rest for as many as
// had been planned. They tell each other now and then how long they have rested, after a call, and know it after the
// next one.
int EpochLoop::attendRest() {
  if (call_watch_->isOpen()) {
    if (const int code = call_watch_->finish(); code != MPI_SUCCESS) return code;
    const std::int64_t rested_ns = call_watch_->shortestNs();
    rested_ns > kLongestRestNs || rested_ns == kAskForEndNs ? rest_.end() : rest_.goOn();
    return MPI_SUCCESS;
  }
  if (!rest_.hasMoreParts()) return MPI_SUCCESS;
  rest_.goOnBriefly();
  const std::int64_t rested_ns = services_.clocks.clock->nanoseconds() - resting_since_ns_;
  return call_watch_->start({kNoCall}, isRoot() && asksForEnd() ? kAskForEndNs : std::max(rested_ns, kAskForEndNs + 1));
}

std::optional<std::int32_t> EpochLoop::keyOfPlace(const RestedCalls::Place& place) const {
  Key key = place.any;
  key.site = place.handle != kAnySite ? place.handle : tracker_.siteOf(place.local);
  return keys_.find(key);
}

// Each time twice as many calls have to come from places that have no key: where the ranks do not call from the same
// places they never get one.
bool EpochLoop::asksForEnd() {
  std::int64_t unplaced = 0;
  for (const RestedCalls::Place& place : rested_.places()) unplaced += keyOfPlace(place) ? 0 : place.calls;
  if (unplaced < most_unplaced_) return false;
  most_unplaced_ *= 2;
  return true;
}

const RestingCall* EpochLoop::findResting(int count, MPI_Datatype datatype, MPI_Op op) {
  const CallKind kind = classifyCall(count, datatype, op);
  const Choice* const choice = resting_keys_.choiceAtRest(keyOf(kAnySite, kind.signature));
  if (choice == nullptr) return nullptr;
  resting_call_ = {keyOf(kAnySite, kind.signature), kind.signature.bytes(), *choice, kind.reducer};
  if (arePredefined(datatype, op)) rest_.remember(count, datatype, op, resting_call_);
  return &resting_call_;
}

// Tells the tuner how many calls have rested, of each key.
void EpochLoop::digestRested() {
  for (const RestedCalls::Place& place : rested_.places()) {
    if (const std::optional<std::int32_t> known = keyOfPlace(place)) {
      tuner_->countUnseen(*known, place.choice, place.calls);
    } else if (!unplaced_.add(place, sites_, services_.communicator_id)) {
      shareOut(place);
    }
  }
}

// Calls of too many places count as calls like them do that were looked at, else as those of the key that had the most.
void EpochLoop::shareOut(const RestedCalls::Place& place) {
  const auto is_alike = [&](std::int32_t key) { return anySiteOf(keys_.entry(key).key) == place.any; };
  const std::span<const EpochCall> seen = calls_.closed();
  const std::int64_t alike = std::ranges::count_if(seen, is_alike, &EpochCall::key);
  std::int64_t index = 0;
  for (const EpochCall& call : seen) {
    if (!is_alike(call.key)) continue;
    tuner_->countUnseen(call.key, place.choice, place.calls / alike + (index < place.calls % alike ? 1 : 0));
    ++index;
  }
  if (alike > 0) return;
  std::optional<std::int32_t> most;
  for (std::int32_t key = 0; key < keys_.size(); ++key) {
    if (is_alike(key) && (!most || keys_.entry(key).known_calls > keys_.entry(*most).known_calls)) most = key;
  }
  if (most) tuner_->countUnseen(*most, place.choice, place.calls);
}

void EpochLoop::notePace(std::span<const CallSummary> samples) {
  std::array<Seconds, kMaxSamples> elapsed;  // of the disturbed calls from the front, of the others from the back
  std::size_t disturbed = 0;
  std::size_t others = elapsed.size();
  for (const EpochCall& call : calls_.closed()) {
    if (call.sample < 0) continue;
    const CallSummary& summary = samples[static_cast<std::size_t>(call.sample)];
    const std::size_t place = call.follows == AgreementStep::kNone ? --others : disturbed++;
    elapsed[place] = (1.0 / summary.ranks()) * fromNanoseconds(summary.elapsedNs());
  }
  pace_.noteCalls(std::span(elapsed).first(disturbed), std::span(elapsed).subspan(others));
}

// Epochs follow what their ends take, which is most beside short calls. `wanted` is the tuner's length.
std::int32_t EpochLoop::pacedLength(std::int32_t wanted) {
  const auto longest = static_cast<std::int32_t>(services_.settings.options.longest_epoch);
  if (all_at_rest_ && longest >= kCallsBeforeRest) return pace_.calls(wanted, kRestFactor * longest);
  if (all_settled_) return pace_.calls(wanted, longest);
  const std::int32_t all_stamped = std::min(kMostCallsWhileLearning, samplesPerEpoch(channel_.ranks()));
  return pace_.calls(wanted, std::min(all_stamped, longest), EpochPace::kLearningShare);
}

// Looking at a call takes one operation of the ranks, where an agreement takes three. What they cost here the cost
// model does not know: they are short, and the processor has as much to do with them as the network.
void EpochLoop::limitWatching(CallLimit& limit) const {
  if (limit.slow_ns == 0) return;
  const double looking = pace_.cost().value / 3.0;
  const double call = fromNanoseconds(limit.slow_ns).value / CallLimit::kSlowFactor;
  const double every = std::min(looking / (CallLimit::kShare * call), CallLimit::kRarest);
  limit.every = std::max(limit.every, static_cast<std::int32_t>(std::ceil(every)));
}

}  // namespace starling
