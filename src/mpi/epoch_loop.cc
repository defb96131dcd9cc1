#include "mpi/epoch_loop.h"

#include <new>
#include <string>

#include "algos/topology.h"
#include "base/log.h"
#include "tuner/epoch_messages.h"

namespace starling {

static_assert(AgreedMemory::kMax <= Agreement::kMaxCapacity, "the ranks can tell each other what they have");

EpochLoop::EpochLoop(const SessionServices& services, Channel& channel, PlanMemory& memory)
    : services_(services),
      channel_(channel),
      memory_(memory),
      calls_(EpochLengths::ofFirst(services.settings.options, services.promises_gain), samplesPerEpoch(channel.ranks()),
             channel.rank(), &reserve_),
      sites_(channel.rank() == 0),
      lengths_(services.settings.options, samplesPerEpoch(channel.ranks())),
      learner_(services, channel, keys_, tracker_, sites_) {}

bool EpochLoop::reserve() {
  try {
    agreement_ = std::make_unique<Agreement>(channel_.communicator(), channel_.ranks());
    call_watch_ = std::make_unique<CallWatch>(channel_.communicator(), channel_.rank());
    calls_.reserve();
    update_.plan.trials.reserve(kMaxTrials);
    update_.plan.placed.reserve(kMostPlaced);
    keys_.reserveForetold();
  } catch (const std::bad_alloc&) {
    return false;
  }
  return reserve_.grow(kMinRoom);
}

void EpochLoop::open(const CostModel& model, const StampClock& stamps, const Topology& topology, bool has_device_driver,
                     bool is_shape_known) {
  stamp_clock_ = stamps;
  has_device_driver_ = has_device_driver;
  shares_memory_ = sharesOneMemory(&topology);
  learner_.open(model, stamps.isKnown(), topology);
  // A communicator that is prepared by its own calls has made those of its first epoch.
  if (calls_.made() == 0)
    calls_.setLength(EpochLengths::ofFirst(services_.settings.options, is_shape_known || services_.promises_gain));
}

SiteId EpochLoop::predict(const CallOrigin& origin, const Signature& signature) const {
  return origin.handle != kAnySite ? origin.handle : tracker_.predict(signature);
}

void EpochLoop::note(const CallKind& kind, EpochCall call, LocalSite local, SiteId predicted,
                     const std::optional<CallStamps>& stamps) {
  rest_.end();
  call.bytes = kind.signature.bytes();
  call.tunable = kind.tunable;
  const Key key = keyOf(predicted, kind.signature);
  if (lengths_.noteKey(key, keys_)) limitCalls();
  call.usual_key = keys_.count(key);
  call.follows_rest = rest_.takeHasRested();
  call.follows = std::exchange(latest_step_, AgreementStep::kNone);
  is_disturbed_ = call.follows != AgreementStep::kNone;
  try {
    calls_.add(call, stamps);
    tracker_.record(local, kind.signature, predicted);
  } catch (const std::bad_alloc&) {
    has_noted_all_ = false;
  }
}

int EpochLoop::watch(std::int32_t key, const std::optional<std::int64_t>& elapsed_ns) {
  if (!isAgreeing() && !call_watch_->isOpen() && !elapsed_ns) return MPI_SUCCESS;
  return beside([&] { return goOnWatching(key, elapsed_ns); });
}

int EpochLoop::goOnWatching(std::int32_t key, const std::optional<std::int64_t>& elapsed_ns) {
  if (const int code = goOnAgreeing(); code != MPI_SUCCESS) return code;
  if (call_watch_->isOpen()) {
    if (!call_watch_->isDue()) return call_watch_->advance();
    if (const int code = call_watch_->finish(); code != MPI_SUCCESS) return code;
    judgeWatched();
  }
  return elapsed_ns ? call_watch_->start({key, keys_.entry(key).changes, is_disturbed_}, *elapsed_ns) : MPI_SUCCESS;
}

// Calls that were to rest in this epoch would run what was planned when it began.
void EpochLoop::limitCalls() {
  rest_.planNone();
  limitEpoch();
}

void EpochLoop::judgeWatched() {
  const WatchedCall& call = call_watch_->call();
  if (call.key == kNoCall) return;
  const Judgement found = judge(call, call_watch_->shortestNs(), call_watch_->lastRank(), keys_, learner_);
  if (found.is_stopped) rest_.planNone();
  if (!found.comes_otherwise) return;
  lengths_.hurry();
  limitCalls();
}

void EpochLoop::assignKey(const SiteTracker::Call& call, EpochCall& report) {
  const Key key = keyOf(call.site, call.signature);
  const std::int32_t known = keys_.size();
  const KeyTable::Place place = keys_.resolve(key, call.signature, report.usual_key);
  report.key = place.key;
  report.usual_key = place.usual;
  report.index = place.index;
  if (place.lacks_part && special_added_ < KeyTable::kMostSpecial) {
    ++special_added_;
    keys_.addSpecial(place.usual);
    learner_.addSpecialKey(place.usual);
  }
  if (place.usual < known) return;
  learner_.addKey(key, call, report);
}

// What was begun after a call is finished after a later one that is looked at.
bool EpochLoop::beginRest() {
  if (!rest_.isPlanned() || call_watch_->isOpen()) return false;
  rest_.begin(services_.clocks.clock->nanoseconds());
  tracker_.interrupt();
  return true;
}

int EpochLoop::attendRest() {
  if (call_watch_->isOpen()) {
    if (const int code = call_watch_->finish(); code != MPI_SUCCESS) return code;
    rest_.hear(call_watch_->shortestNs());
    return MPI_SUCCESS;
  }
  if (!rest_.isToBeAsked()) return MPI_SUCCESS;
  const std::int64_t now_ns = services_.clocks.clock->nanoseconds();
  return call_watch_->start({kNoCall}, rest_.tell(now_ns, learner_.asksForEndOfRest()));
}

// Returns whether what the next step of the end completes is complete, or is to be waited for.
bool EpochLoop::isEndReady(Wait wait) {
  if (wait == Wait::kToEnd || (wait == Wait::kToLastStart && !last_started_)) return true;
  return wait == Wait::kNo &&
         (agreement_->decisionsAreOpen() ? agreement_->decisionsAreComplete() : agreement_->epochIsComplete());
}

bool EpochLoop::advanceEnd(Wait wait) {
  is_ending_ = true;
  if (call_watch_ && call_watch_->isOpen() && !channel_.isBroken() && wait != Wait::kToLastStart) {
    if (wait == Wait::kToEnd)
      static_cast<void>(call_watch_->finish());
    else if (!call_watch_->isComplete())
      return false;
  }
  int code = MPI_SUCCESS;
  while (code == MPI_SUCCESS && agreement_ && !channel_.isBroken()) {
    applyDecisions();
    if (isAgreeing()) {
      if (!isEndReady(wait)) return false;
      code = agreement_->decisionsAreOpen() ? learnDecisions() : takeEpoch();
    } else if (last_started_) {
      return true;
    } else {
      last_started_ = true;
      code = closeEpoch();
    }
  }
  if (code != MPI_SUCCESS) breakDown(code);
  return true;
}

void EpochLoop::breakDown(int code) {
  rest_.end();
  channel_.breakDown();
  logOnce(LogLevel::kWarning, "agreement", [code] {
    return "an agreement between ranks failed (MPI error " + std::to_string(code) +
           "); calls pass through to the MPI library from now on";
  });
}

}  // namespace starling
