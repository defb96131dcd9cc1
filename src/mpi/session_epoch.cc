// The part of a session that runs at the ends of epochs.
#include <algorithm>
#include <array>
#include <bit>
#include <exception>

#include "base/log.h"
#include "mpi/machine.h"
#include "mpi/private_communicator.h"
#include "mpi/probe.h"
#include "mpi/session.h"
#include "mpi/site_names.h"

namespace starling {
namespace {

// Updates of plans that one agreement carries at most.
constexpr std::size_t kMostUpdates = 8;
// Scratch that is taken for tuning: calls that need more do without the algorithm that does, or pass through.
constexpr std::size_t kMostScratch = std::size_t{1} << 30;
// Bytes that no predefined type's element exceeds.
constexpr std::size_t kLargestElement = 32;

std::size_t decisionBytes(int ranks) { return kDecisionHeaderBytes + kMostUpdates * maximumUpdateBytes(ranks); }

}  // namespace

void Session::prepare() {
  private_ = makePrivateCommunicator(communicator_);
  if (private_ == MPI_COMM_NULL) {
    broken_ = true;
    return;
  }
  tag_limit_ = highestTag() - kOwnTags;
  const bool clocks_agree = shareOneClock(private_, services_.clock_offset);
  topology_ = gatherTopology(private_, services_.settings.options.links, *services_.clock);
  const CostModel model = probeCosts(private_, topology_, *services_.clock);
  agreement_ = std::make_unique<Agreement>(private_, rank_, ranks_, decisionBytes(ranks_));
  announcements_ = std::make_unique<Announcements>(private_, rank_, ranks_, announcementTag());
  announced_.reserve(static_cast<std::size_t>(ranks_));
  flags_ = std::make_unique<ArrivalFlags>(private_, firstFlagTag());
  if (!isRoot()) return;
  tuner_ = std::make_unique<CommunicatorTuner>(
      TunerSettings{services_.settings.options, model, clocks_agree, topology_}, ranks_);
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  PMPI_Comm_get_name(communicator_, name.data(), &length);
  introductions_.communicators.push_back({services_.communicator_id, name.data(), ranks_});
}

void Session::agreeOnScratch(std::int64_t bytes) {
  executor_.reserve(static_cast<std::size_t>(bytes));
  auto capacity = static_cast<std::int64_t>(executor_.capacity());
  std::int64_t smallest = 0;
  PMPI_Allreduce(&capacity, &smallest, 1, MPI_INT64_T, MPI_MIN, private_);
  agreed_scratch_ = smallest;
}

void Session::endEpoch() {
  epoch_ended_ = true;
  if (private_ == MPI_COMM_NULL) prepare();
  if (broken_) return;
  if (agreement_->decisionsAreOpen()) applyDecisions();
  if (agreement_->epochIsOpen()) {
    takeEpoch();
    if (!broken_) startDecisions();
  }
  if (!broken_) closeEpoch();
}

void Session::applyDecisions() {
  if (const int code = agreement_->finishDecisions(); code != MPI_SUCCESS) return breakDown(code);
  const Result<Decisions> decisions = decodeDecisions(agreement_->decisionBuffer(), ranks_);
  if (!decisions.isOk()) {
    logOnce(LogLevel::kWarning, "decisions", decisions.status().message() + "; the plans in force stay");
    return;
  }
  for (const PlanUpdate& update : decisions.value().updates) keys_.apply(update);
  if (decisions.value().next_epoch_length > 0) epoch_length_ = decisions.value().next_epoch_length;
  if (tuner_) tuner_->tookForce();
}

void Session::takeEpoch() {
  Agreement::Outcome outcome;
  if (const int code = agreement_->finishEpoch(outcome); code != MPI_SUCCESS) return breakDown(code);
  agreed_scratch_ = std::max(agreed_scratch_, outcome.scratch_bytes);
  const std::span<const SiteTracker::Call> calls = tracker_.resolve(outcome.sites_agree);
  for (std::size_t i = 0; i < calls.size(); ++i) meetKey(calls[i], closed_calls_[i]);
  whileLearning([this] { digestEpoch(); });
}

void Session::meetKey(const SiteTracker::Call& call, EpochCall& report) {
  const Key key = keyOf(call.site, call.signature);
  const std::int32_t known = keys_.size();
  report.key = keys_.meet(key, call.signature);
  if (report.key < known) return;
  if (report.tunable) reserveScratch(key);
  if (!tuner_) return;
  const SiteRecord site = describeSite(call.site);
  introductions_.sites.push_back(site);
  const KeyId id{services_.communicator_id, site.identity, key.size_class, typeName(key.type),
                 operationName(key.operation)};
  tuner_->addKey(id, {ranks_, call.signature.count, call.signature.commutative}, Bytes{call.signature.element_size},
                 report.tunable, services_.policies);
}

// Room for the largest call of the key, if it can be for every algorithm.
void Session::reserveScratch(const Key& key) {
  if (services_.settings.options.mode != Mode::kTune || key.size_class > 40) return;
  const std::size_t bytes = (std::size_t{1} << key.size_class) * largestElementGrowth(key.type);
  const Shape shape{ranks_, static_cast<std::int64_t>(bytes / kLargestElement)};
  // A power of two, as agreed.
  std::size_t most = std::bit_ceil(kLargestElement * static_cast<std::size_t>(mostScratchElements(shape)));
  if (most > kMostScratch) most = bytes;
  if (bytes <= kMostScratch && !executor_.reserve(most) && !executor_.reserve(bytes)) {
    logOnce(LogLevel::kWarning, "scratch",
            "memory is short for calls of " + std::to_string(bytes) + " bytes; they pass through to the MPI library");
  }
}

void Session::digestEpoch() {
  const std::span<const EpochStamps> stamps = agreement_->stamps();
  std::vector<Seconds> arrivals;
  std::vector<Seconds> exits;
  for (const EpochCall& call : closed_calls_) {
    if (call.sample < 0) continue;
    for (const EpochStamps& of_rank : stamps) {
      arrivals.push_back({of_rank.arrivals[static_cast<std::size_t>(call.sample)]});
      exits.push_back({of_rank.exits[static_cast<std::size_t>(call.sample)]});
    }
  }
  tuner_->digest({epoch_ - 1, closed_calls_, arrivals, exits});
}

void Session::startDecisions() {
  if (isRoot()) {
    Decisions decisions;
    whileLearning([&] { decisions = tuner_->decide(kMostUpdates); });
    encodeDecisions(decisions, agreement_->decisionBuffer());
  }
  if (const int code = agreement_->startDecisions(); code != MPI_SUCCESS) breakDown(code);
}

// Learning is done on rank 0 alone: if it fails there (memory), the plans in force stay on all ranks.
void Session::whileLearning(const std::function<void()>& work) {
  if (!tuner_) return;
  try {
    work();
  } catch (const std::exception& fault) {
    tuner_.reset();
    logOnce(LogLevel::kWarning, "learning",
            std::string("learning ended: ") + fault.what() + "; the plans in force stay");
  }
}

void Session::closeEpoch() {
  const std::uint64_t hash = tracker_.closeEpoch();
  closed_calls_.swap(open_calls_);
  open_calls_.clear();
  const auto capacity = static_cast<std::int64_t>(executor_.capacity());
  const int code = agreement_->startEpoch(hash, capacity, stamps_);
  samples_ = 0;
  ++epoch_;
  if (code != MPI_SUCCESS) breakDown(code);
}

SiteRecord Session::describeSite(SiteId site) const {
  if (site >= kFirstHandleSite) return siteOfLabel(handle_labels_[static_cast<std::size_t>(site - kFirstHandleSite)]);
  const LocalSite local = tracker_.localSite(site);
  if (local == 0) return siteOfSignature();
  const auto label = labels_.find(local);
  return label != labels_.end() ? siteOfLabel(label->second) : siteOfAddress(local);
}

void Session::startEnd() {
  if (!agreement_ || broken_) return;
  if (agreement_->decisionsAreOpen()) applyDecisions();
  if (agreement_->epochIsOpen()) takeEpoch();  // nothing new is decided any more
  if (!broken_) closeEpoch();
}

void Session::finishEnd() {
  has_ended_ = true;
  if (agreement_ && agreement_->epochIsOpen() && !broken_) takeEpoch();
  if (announcements_) static_cast<void>(announcements_->finish());  // no call follows the last ones
  if (rooted_) rooted_->finish();
}

void Session::breakDown(int code) {
  broken_ = true;
  if (announcements_) announcements_->abandon();
  if (flags_) flags_->abandon();
  logOnce(LogLevel::kWarning, "agreement",
          "an agreement between ranks failed (MPI error " + std::to_string(code) +
              "); calls pass through to the MPI library from now on");
}

}  // namespace starling
