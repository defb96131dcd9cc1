#include "mpi/root_learner.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/log.h"
#include "mpi/execution/call_kind.h"
#include "mpi/machine/site_names.h"
#include "mpi/machine/world_ranks.h"
#include "tuner/epoch_messages.h"
#include "tuner/recorded_costs.h"

namespace starling {

RootLearner::RootLearner(const SessionServices& services, const Channel& channel, const KeyTable& keys,
                         const SiteTracker& tracker, CallSites& sites)
    : services_(services),
      channel_(channel),
      tracker_(tracker),
      sites_(sites),
      at_rest_(keys, tracker, sites),
      last_drain_(services.clocks.clock->now()) {}

void RootLearner::endLearning(const std::exception& fault) {
  tuner_.reset();
  logOnce(LogLevel::kWarning, "learning",
          [&] { return std::string("learning ended: ") + fault.what() + "; the plans in force stay"; });
}

void RootLearner::open(const CostModel& model, bool has_clock, const Topology& topology) {
  if (channel_.rank() != 0) return;
  const int ranks = channel_.ranks();
  has_clock_ = has_clock;
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  PMPI_Comm_get_name(channel_.original(), name.data(), &length);
  try {
    at_rest_.reserve();
    tuner_ = std::make_unique<CommunicatorTuner>(
        TunerSettings{services_.settings.options, model, has_clock, topology, samplesPerEpoch(ranks), services_.shared},
        ranks);
    communicator_ = {services_.communicator_id, name.data(), ranks, comparedBy(has_clock), std::nullopt};
    recordCosts(model, topology, communicator_);
    introductions_.communicators = {communicator_};
    world_ranks_ = worldRanksOf(channel_.original());
  } catch (const std::exception& fault) {
    endLearning(fault);
  }
}

void RootLearner::addKey(const Key& key, const SiteTracker::Call& call, const EpochCall& report) {
  whileLearning([&] {
    const SiteRecord site = sites_.describe(call.site, tracker_.localSite(call.site));
    introductions_.sites.push_back(site);
    KeyId id{services_.communicator_id, site.identity, key.size_class, typeName(key.type),
             operationName(key.operation)};
    if (report.on_device) id.type += kOnDevice;
    const auto* const policies = services_.policies.get();
    tuner_->addKey(id, {channel_.ranks(), call.signature.count, call.signature.commutative},
                   Bytes{call.signature.element_size}, originOf(key, site), report.tunable && !report.on_device,
                   policies != nullptr ? std::span<const PolicyRecord>(*policies) : std::span<const PolicyRecord>{});
    at_rest_.bookEarlier(*tuner_, report.usual_key, key);
  });
}

// Calls of which no site is known, or with operations of the program's own, are not alike elsewhere.
KeyOrigin RootLearner::originOf(const Key& key, const SiteRecord& site) {
  const bool is_known = site.identity != siteOfSignature().identity && longestOf(key);
  return {key.type, key.operation, is_known ? site.identity : ""};
}

void RootLearner::addSpecialKey(std::int32_t usual) {
  whileLearning([&] { tuner_->addSpecialKey(usual); });
}

Decisions RootLearner::foretell() {
  Decisions decisions;
  whileLearning([&] {
    tuner_->noteEarlierRuns(earlierPolicies());
    decisions = tuner_->foretell();
  });
  return decisions;
}

std::vector<EarlierPolicy> RootLearner::earlierPolicies() const {
  std::vector<EarlierPolicy> policies;
  if (services_.policies == nullptr) return policies;
  for (const PolicyRecord& record : *services_.policies) {
    const std::optional<Key> key = ownKeyNamed(record.type, record.operation, record.size_class);
    if (key) policies.push_back({&record, {key->type, key->operation, record.site}, *longestOf(*key)});
  }
  return policies;
}

void RootLearner::noteForetoldStop(const Key& key, const Choice& choice, Seconds shortest) {
  whileLearning([&] { tuner_->noteForetoldStop(key, choice, shortest); });
}

void RootLearner::noteStop(std::int32_t key, const Choice& choice, Seconds shortest) {
  whileLearning([&] { tuner_->noteStop(key, choice, shortest); });
}

void RootLearner::digest(const EpochReport& report) {
  whileLearning([&] {
    const auto is_whole = [this](const CallSummary& sample) { return sample.ranks() == channel_.ranks(); };
    if (!std::ranges::all_of(report.samples, is_whole)) {
      throw std::runtime_error("this MPI library's MPI_Ireduce left out what some ranks sent");
    }
    for (const CallSummary& sample : report.samples) {
      if (has_clock_) noteClockError(sample.errorNs());
    }
    tuner_->digest(report);
    std::optional<Seconds> unstamped;
    const auto others_ns = report.samples.empty() ? std::nullopt : report.samples.front().othersNs();
    if (others_ns) unstamped = (1.0 / channel_.ranks()) * fromNanoseconds(*others_ns);
    const double share = tuner_->closeTotals(unstamped, at_rest_.usualTime(*tuner_));
    at_rest_.book(*tuner_, report.calls, share, services_.communicator_id);
  });
}

// The database has the greatest error of all calls that were stamped.
void RootLearner::noteClockError(std::int64_t error_ns) {
  const double error = fromNanoseconds(error_ns).value;
  if (communicator_.clock_error && *communicator_.clock_error >= error) return;
  communicator_.clock_error = error;
  introductions_.communicators = {communicator_};
}

Decisions RootLearner::decide(std::size_t limit) {
  Decisions decisions;
  whileLearning([&] { decisions = tuner_->decide(limit); });
  return decisions;
}

void RootLearner::postpone(const Decisions& decisions, std::size_t sent) {
  whileLearning([&] { tuner_->postpone(decisions, sent); });
}

void RootLearner::tookForce() {
  whileLearning([this] { tuner_->tookForce(); });
}

Batch RootLearner::drain() {
  if (!tuner_) return {};
  last_drain_ = services_.clocks.clock->now();
  Batch batch = tuner_->drain();
  for (ArrivalRecord& arrival : batch.arrivals) {
    const int world_rank = world_ranks_[static_cast<std::size_t>(arrival.rank)];
    if (world_rank != MPI_UNDEFINED) arrival.world_rank = world_rank;
  }
  batch.communicators.swap(introductions_.communicators);
  batch.sites.swap(introductions_.sites);
  at_rest_.drain(batch);
  return batch;
}

void RootLearner::forget() {
  if (!tuner_) return;
  last_drain_ = services_.clocks.clock->now();
  static_cast<void>(tuner_->drain());
}

}  // namespace starling
