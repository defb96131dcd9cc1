#include "mpi/session.h"

#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "tuner/forced_choice.h"

namespace starling {
Session::Session(MPI_Comm communicator, SessionServices services)
    : communicator_(communicator), services_(std::move(services)) {
  int is_inter = 0;
  PMPI_Comm_test_inter(communicator, &is_inter);
  is_intercommunicator_ = is_inter != 0;
  PMPI_Comm_rank(communicator, &rank_);
  PMPI_Comm_size(communicator, &ranks_);
  epoch_length_ = static_cast<std::int32_t>(services_.settings.options.minimum_calls);
  last_drain_ = services_.clock->now();
}

Session::~Session() {
  if (private_ != MPI_COMM_NULL) PMPI_Comm_free(&private_);
}

bool Session::hasFixedChoice() const {
  const Options& options = services_.settings.options;
  return options.mode == Mode::kTune && (options.reproducible || !options.algorithm.empty());
}

int Session::allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                       const CallOrigin& origin) {
  const bool stamped = isSampled();
  const bool has_announced = announcements_ && announcements_->arePending();
  Seconds arrival;
  if (has_announced) {
    if (stamped) arrival = services_.clock->now();  // what follows waits for other ranks
    takeAnnouncements();
  }
  if (passesThrough()) return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, communicator_);
  const CallKind kind = classifyCall(count, datatype, op);
  const LocalSite local = localSite(origin);
  const SiteId predicted = origin.handle != kAnySite ? origin.handle : tracker_.predict(kind.signature);
  if (hasFixedChoice() && private_ == MPI_COMM_NULL) prepare();
  Execution execution = plan(kind, predicted);
  arrange(execution, kind, has_announced);
  if (stamped && !has_announced) arrival = services_.clock->now();
  if (const int fault = nameLate(execution, kind); fault != MPI_SUCCESS) {
    breakDown(fault);
    PMPI_Comm_call_errhandler(communicator_, fault);
    return fault;
  }
  const PreparedSchedule* prepared = findSchedule(execution, kind);
  if (prepared == nullptr) execution.planned.choice = Choice{};
  const int code = prepared == nullptr ? PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, communicator_)
                                       : execute(execution, *prepared, sendbuf, recvbuf, kind);
  if (execution.has_named) {
    // Everybody has arrived.
    const int finished = code == MPI_SUCCESS ? flags_->finish() : code;
    if (finished != MPI_SUCCESS) flags_->abandon();
  }
  computing_since_.reset();
  if (stamped || has_edges_) computing_since_ = services_.clock->now();
  std::optional<Stamps> stamps;
  if (stamped) stamps.emplace(Stamps{arrival, *computing_since_});
  announced_key_ = prepared != nullptr && execution.has_announced && !execution.table.empty() ? execution.key : -1;
  // A call that failed here may have succeeded elsewhere: it counts on every rank.
  note(kind, execution, local, predicted, stamps);
  if (static_cast<std::int32_t>(open_calls_.size()) >= epoch_length_) endEpoch();
  return code;
}

RootedCalls& Session::rooted() {
  if (!rooted_) {
    rooted_ = std::make_unique<RootedCalls>(communicator_, services_.settings.options, *services_.clock,
                                            services_.clock_offset);
  }
  return *rooted_;
}

LocalSite Session::localSite(const CallOrigin& origin) {
  if (origin.handle != kAnySite) return 0;
  if (origin.label == nullptr) return origin.return_address;
  LocalSite hash = 1;
  for (const char* c = origin.label; *c != '\0'; ++c) hash = mixHash(hash, static_cast<unsigned char>(*c));
  if (isRoot()) labels_.try_emplace(hash, origin.label);
  return hash;
}

Session::Execution Session::plan(const CallKind& kind, SiteId site) {
  Execution execution;
  const std::optional<std::int32_t> key = keys_.find(keyOf(site, kind.signature));
  if (key) execution.key = *key;
  const Shape shape{ranks_, kind.signature.count, kind.signature.commutative};
  if (hasFixedChoice()) {
    execution.planned.choice = fixedChoice(shape, key ? &keys_.entry(*key).plan : nullptr);
  } else if (key) {
    KeyTable::Entry& entry = keys_.entry(*key);
    execution.planned = choiceOfCall(entry.plan, entry.calls_since_plan++);
  }
  if (isExecutable(execution.planned.choice, shape, kind)) return execution;
  execution.planned.choice = Choice{};
  if (!services_.settings.options.reproducible) return execution;
  if (isExecutable(leastReproducible(), shape, kind)) execution.planned.choice = leastReproducible();
  return execution;
}

Choice Session::fixedChoice(const Shape& shape, const KeyPlan* plan) const {
  const Options& options = services_.settings.options;
  const Result<Choice> choice = forcedChoice(options);
  // A plan in force knows the parameters that come from measurements, too.
  const bool is_free = options.reproducible && options.algorithm.empty();
  const bool is_planned = plan != nullptr && plan->state == KeyState::kSettled && choice.isOk() &&
                          (is_free || plan->incumbent.algorithm == choice.value().algorithm);
  if (is_planned && isValid(*findAlgorithm(plan->incumbent.algorithm), shape)) return plan->incumbent;
  if (choice.isOk() && isValid(*findAlgorithm(choice.value().algorithm), shape)) return choice.value();
  if (!choice.isOk() && isRoot()) {
    logOnce(LogLevel::kWarning, "algorithm", "STARLING_ALGORITHM: " + choice.status().message());
  }
  return options.reproducible ? leastReproducible() : Choice{};
}

// Everything that is asked here is equal on all ranks.
bool Session::isExecutable(const Choice& choice, const Shape& shape, const CallKind& kind) {
  if (choice.algorithm == kNativeAlgorithm) return true;
  if (!kind.tunable || private_ == MPI_COMM_NULL) return false;
  const Algorithm* algorithm = findAlgorithm(choice.algorithm);
  if (algorithm == nullptr || !isValid(*algorithm, shape)) return false;
  const auto needed = scratchElements(*algorithm, shape) * static_cast<std::int64_t>(kind.reducer.element_size);
  if (needed <= agreed_scratch_) return true;
  if (!hasFixedChoice() || needed >= refused_scratch_) return false;
  agreeOnScratch(needed);
  if (needed <= agreed_scratch_) return true;
  refused_scratch_ = needed;
  logOnce(LogLevel::kWarning, "scratch",
          std::string("memory is short for ") + algorithm->name + ": it needs " + std::to_string(needed) +
              " bytes beside the vectors, and larger calls do without it");
  return false;
}

const PreparedSchedule* Session::findSchedule(Execution& execution, const CallKind& kind) {
  if (execution.planned.choice.algorithm == kNativeAlgorithm) return nullptr;
  if (const PreparedSchedule* prepared = scheduleWithinTags(execution, kind); prepared != nullptr) return prepared;
  if (!services_.settings.options.reproducible) return nullptr;
  // How many tags a schedule takes may depend on who is late; the bits must not.
  execution.planned.choice = leastReproducible();
  return scheduleWithinTags(execution, kind);
}

const PreparedSchedule* Session::scheduleWithinTags(const Execution& execution, const CallKind& kind) {
  ScheduleCache::Query query;
  query.choice = execution.planned.choice;
  query.shape = {ranks_, kind.signature.count, kind.signature.commutative, &topology_};
  query.table = execution.table;
  query.lateness_ns = execution.lateness_ns;
  const PreparedSchedule& prepared = schedules_.find(query, rank_);
  return prepared.schedule().tag_span - 1 <= tag_limit_ ? &prepared : nullptr;
}

int Session::execute(const Execution& execution, const PreparedSchedule& prepared, const void* sendbuf, void* recvbuf,
                     const CallKind& kind) {
  const int span = prepared.schedule().tag_span;
  // Calls take turns in the tags, so that a message can only match within its own call, even after a fault.
  const std::int64_t turns = std::clamp<std::int64_t>((static_cast<std::int64_t>(tag_limit_) + 1) / span, 1, 1024);
  Executor::Call call;
  call.communicator = private_;
  call.table = execution.table;
  call.first_tag = static_cast<int>(executed_calls_++ % turns) * span;
  call.work = recvbuf;
  call.reducer = kind.reducer;
  if (sendbuf != MPI_IN_PLACE && kind.signature.count > 0) {
    std::memcpy(recvbuf, sendbuf, static_cast<std::size_t>(kind.signature.count) * kind.reducer.element_size);
  }
  const int code = executor_.run(prepared, call);
  if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(communicator_, code);
  return code;
}

// The calls of an epoch that are stamped: all while there are few, else one in each of kMaxSamples equal stretches, at
// a place that changes from stretch to stretch, so that a program with a rhythm is not always met at the same beat.
bool Session::isSampled() const {
  const auto index = static_cast<std::int32_t>(open_calls_.size());
  if (epoch_length_ <= kMaxSamples) return true;
  const std::int32_t stretch = epoch_length_ / kMaxSamples;
  const std::int32_t number = index / stretch;
  if (number >= kMaxSamples) return false;
  const std::uint64_t hash = mixHash(static_cast<std::uint64_t>(epoch_), static_cast<std::uint64_t>(number));
  return index % stretch == static_cast<std::int32_t>(hash % static_cast<std::uint64_t>(stretch));
}

void Session::note(const CallKind& kind, const Execution& execution, LocalSite local, SiteId predicted,
                   const std::optional<Stamps>& stamps) {
  EpochCall& call = open_calls_.emplace_back();
  call.planned = execution.planned;
  call.planned_key = execution.key;
  call.bytes = kind.signature.bytes();
  call.tunable = kind.tunable;
  tracker_.record(local, kind.signature, predicted);
  if (!stamps || samples_ == kMaxSamples) return;
  stamps_.arrivals[static_cast<std::size_t>(samples_)] = stamps->arrival.value;
  stamps_.exits[static_cast<std::size_t>(samples_)] = stamps->exit.value;
  call.sample = samples_++;
}

SiteId Session::createSite(const char* label) {
  handle_labels_.emplace_back(label);
  return kFirstHandleSite + static_cast<SiteId>(handle_labels_.size()) - 1;
}

Batch Session::drain() {
  if (!tuner_) return {};
  last_drain_ = services_.clock->now();
  Batch batch = tuner_->drain();
  batch.communicators.swap(introductions_.communicators);
  batch.sites.swap(introductions_.sites);
  return batch;
}

void Session::forget() {
  if (!tuner_) return;
  last_drain_ = services_.clock->now();
  static_cast<void>(tuner_->drain());
}

bool Session::drainIsDue() const {
  return tuner_ && services_.clock->now() - last_drain_ >= services_.settings.options.flush_interval;
}

}  // namespace starling
