#include "mpi/epoch_loop.h"

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <stdexcept>

#include "base/log.h"
#include "mpi/machine/world_ranks.h"
#include "tuner/recorded_costs.h"

namespace starling {

static_assert(AgreedMemory::kMax <= Agreement::kMaxCapacity, "the ranks can tell each other what they have");

void EpochLoop::endLearning(const std::exception& fault) {
  tuner_.reset();
  logOnce(LogLevel::kWarning, "learning",
          [&] { return std::string("learning ended: ") + fault.what() + "; the plans in force stay"; });
}

EpochLoop::EpochLoop(const SessionServices& services, Channel& channel, PlanMemory& memory)
    : services_(services),
      channel_(channel),
      memory_(memory),
      calls_(static_cast<std::int32_t>(services.settings.options.minimum_calls), samplesPerEpoch(channel.ranks()),
             channel.rank(), &reserve_),
      sites_(channel.rank() == 0),
      last_drain_(services.clocks.clock->now()) {}

bool EpochLoop::reserve() {
  try {
    agreement_ = std::make_unique<Agreement>(channel_.communicator(), channel_.ranks());
    call_watch_ = std::make_unique<CallWatch>(channel_.communicator(), channel_.rank());
    calls_.reserve();
    update_.plan.trials.reserve(kMaxTrials);
    update_.plan.placed.reserve(kMostPlaced);
  } catch (const std::bad_alloc&) {
    return false;
  }
  return reserve_.grow(kMinRoom);
}

void EpochLoop::open(const CostModel& model, const StampClock& stamps, const Topology& topology,
                     bool has_device_driver) {
  const int ranks = channel_.ranks();
  model_ = model;
  stamp_clock_ = stamps;
  has_device_driver_ = has_device_driver;
  shares_memory_ = sharesOneMemory(&topology);
  if (!isRoot()) return;
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  PMPI_Comm_get_name(channel_.original(), name.data(), &length);
  try {
    rested_.reserve();
    tuner_ = std::make_unique<CommunicatorTuner>(TunerSettings{services_.settings.options, model, stamps.isKnown(),
                                                               topology, samplesPerEpoch(ranks), services_.shared},
                                                 ranks);
    communicator_ = {services_.communicator_id, name.data(), ranks, comparedBy(stamps.isKnown()), std::nullopt};
    recordCosts(model, topology, communicator_);
    introductions_.communicators = {communicator_};
    world_ranks_ = worldRanksOf(channel_.original());
  } catch (const std::exception& fault) {
    endLearning(fault);
  }
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
  noteKey(key);
  call.usual_key = keys_.count(key);
  call.follows_rest = std::exchange(has_rested_, false);
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
  if (const int code = goOnAgreeing(); code != MPI_SUCCESS) return code;
  if (call_watch_->isOpen()) {
    if (!call_watch_->isDue()) return call_watch_->advance();
    if (const int code = call_watch_->finish(); code != MPI_SUCCESS) return code;
    judgeWatched();
  }
  return elapsed_ns ? call_watch_->start({key, keys_.entry(key).changes, is_disturbed_}, *elapsed_ns) : MPI_SUCCESS;
}

// What is judged here is equal on all ranks, so that all stop an incumbent at the same call.
void EpochLoop::judgeWatched() {
  const CallWatch::Call& call = call_watch_->call();
  if (call.key == kNoCall) return;
  KeyTable::Entry& entry = keys_.entry(call.key);
  if (entry.changes != call.changes) return;
  if (entry.noteLast(call_watch_->lastRank())) hurryEpochs();
  if (!entry.noteWatched(call_watch_->shortestNs(), call.is_disturbed)) return;
  const Seconds shortest = fromNanoseconds(call_watch_->shortestNs());
  whileLearning([&] { tuner_->noteStop(call.key, entry.plan.incumbent, shortest); });
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
    whileLearning([&] { tuner_->addSpecialKey(place.usual); });
  }
  if (place.usual < known) return;
  if (report.tunable && !is_ending_ && services_.settings.options.mode == Mode::kTune) {
    memory_.reserveFor(call.signature);
  }
  whileLearning([&] { introduce(key, call, report); });
}

std::span<const PolicyRecord> EpochLoop::policies() const {
  if (services_.policies == nullptr) return {};
  return *services_.policies;
}

// Tells the tuner and the database of a new key.
void EpochLoop::introduce(const Key& key, const SiteTracker::Call& call, const EpochCall& report) {
  const SiteRecord site = sites_.describe(call.site, tracker_.localSite(call.site));
  introductions_.sites.push_back(site);
  KeyId id{services_.communicator_id, site.identity, key.size_class, typeName(key.type), operationName(key.operation)};
  if (report.on_device) id.type += kOnDevice;
  tuner_->addKey(id, {channel_.ranks(), call.signature.count, call.signature.commutative},
                 Bytes{call.signature.element_size}, report.tunable && !report.on_device, policies());
  const SiteId handle = key.site >= kFirstHandleSite ? key.site : kAnySite;
  const RestedCalls::Place rested = unplaced_.take(anySiteOf(key), handle, tracker_.localSite(call.site));
  if (rested.calls == 0) return;
  tuner_->countUnseen(report.usual_key, rested.choice, rested.calls);
  most_unplaced_ = kUnplacedCalls;
}

void EpochLoop::digestEpoch() {
  const std::span<const CallSummary> samples = agreement_->samples();
  const auto is_whole = [this](const CallSummary& sample) { return sample.ranks() == channel_.ranks(); };
  if (!std::all_of(samples.begin(), samples.end(), is_whole)) {
    throw std::runtime_error("this MPI library's MPI_Ireduce left out what some ranks sent");
  }
  for (const CallSummary& sample : samples) {
    if (stamp_clock_.isKnown()) noteClockError(sample.errorNs());
  }
  notePace(samples);
  tuner_->digest({calls_.closedEpoch(), calls_.closed(), samples});
  digestRested();
}

// The database has the greatest error of all calls that were stamped.
void EpochLoop::noteClockError(std::int64_t error_ns) {
  const double error = fromNanoseconds(error_ns).value;
  if (communicator_.clock_error && *communicator_.clock_error >= error) return;
  communicator_.clock_error = error;
  introductions_.communicators = {communicator_};
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

Batch EpochLoop::drain() {
  if (!tuner_) return {};
  last_drain_ = services_.clocks.clock->now();
  Batch batch = tuner_->drain();
  for (ArrivalRecord& arrival : batch.arrivals) {
    const int world_rank = world_ranks_[static_cast<std::size_t>(arrival.rank)];
    if (world_rank != MPI_UNDEFINED) arrival.world_rank = world_rank;
  }
  batch.communicators.swap(introductions_.communicators);
  batch.sites.swap(introductions_.sites);
  unplaced_.drain(batch);
  return batch;
}

void EpochLoop::forget() {
  if (!tuner_) return;
  last_drain_ = services_.clocks.clock->now();
  static_cast<void>(tuner_->drain());
}

}  // namespace starling
