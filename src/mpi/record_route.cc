#include "mpi/record_route.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.h"
#include "mpi/end_of_run.h"
#include "mpi/exchange/share_bytes.h"
#include "mpi/execution/common_answers.h"
#include "mpi/former_builds.h"
#include "mpi/machine/machine.h"
#include "store/codec.h"
#include "tuner/earlier_runs.h"

namespace starling {
namespace {

constexpr Seconds kOpenPatience{3.0};
constexpr Seconds kFlushPatience{10.0};
constexpr Seconds kFinishPatience{5.0};
constexpr std::size_t kLongestBacklog = 256;
constexpr std::chrono::milliseconds kPause{1};

}  // namespace

RecordRoute::RecordRoute(MPI_Comm private_world, const Settings& settings, const Clock& clock)
    : world_(private_world), clock_(clock), options_(settings.options) {
  int rank = 0;
  PMPI_Comm_rank(world_, &rank);
  Run run = describeRun(world_);
  if (rank == 0) openDatabase(std::move(run));
  agreeOnRun();
  agreeOnPromise();
  handoff_ = std::make_unique<Handoff>(world_, clock, 2.0 * options_.flush_interval, [this](Batch batch) {
    if (writer_) writer_->push(std::move(batch));
  });
  if (rank > 0 && options_.writer == WriterThread::kOwn) spool_ = std::make_unique<SpoolSender>(database_, run_id_);
}

void RecordRoute::openDatabase(Run run) {
  run_id_ = run.id;
  database_ = absoluteDatabasePath(options_);
  writer_ = std::make_unique<BackgroundWriter>(database_, std::move(run), options_.writer, options_.flush_interval,
                                               startThread, options_.start_database);
  policies_ = std::make_shared<const std::vector<PolicyRecord>>(
      withoutFormerBuilds(writer_->policies(kOpenPatience), loadedBuilds()));
}

// Tells all ranks of the policies, and of the run and the database, for their files.
void RecordRoute::agreeOnRun() {
  std::vector<std::uint8_t> bytes;
  if (policies_) bytes = encodePolicies(*policies_);
  shareBytes(world_, bytes);
  try {
    Result<std::vector<PolicyRecord>> agreed = decodePolicies(bytes);
    if (agreed.isOk()) policies_ = std::make_shared<const std::vector<PolicyRecord>>(std::move(agreed).value());
  } catch (const std::bad_alloc&) {
    policies_.reset();  // a rank that is short of memory does without
  }
  for (std::string* text : {&run_id_, &database_}) {
    bytes.assign(text->begin(), text->end());
    shareBytes(world_, bytes);
    text->assign(bytes.begin(), bytes.end());
  }
}

// A rank that is short of memory knows of no policies.
void RecordRoute::agreeOnPromise() {
  int ranks = 0;
  PMPI_Comm_size(world_, &ranks);
  const bool does_promise = policies_ && std::ranges::any_of(*policies_, [ranks](const PolicyRecord& policy) {
                              return policy.communicator_size == ranks && starling::promisesGain(policy);
                            });
  promises_gain_ = isTrueOnAll(world_, does_promise);
}

// Once world rank 0 has left messages untaken for long, all records go by files, also those that wait.
void RecordRoute::reroute() {
  if (by_files_ || !spool_ || !handoff_->isStuck() || !spool_->isThere(Seconds{})) return;
  backlog_ = handoff_->takeUndelivered();
  by_files_ = true;
}

// True: nothing waits any more.
bool RecordRoute::moveBacklog() {
  while (!backlog_.empty() && spool_->push(std::move(backlog_.front()))) backlog_.pop_front();
  return backlog_.empty();
}

bool RecordRoute::isFull() {
  const std::lock_guard lock(mutex_);
  reroute();
  return by_files_ ? !moveBacklog() || spool_->isFull() : handoff_->isFull();
}

void RecordRoute::send(Batch batch) {
  const std::lock_guard lock(mutex_);
  if (batch.isEmpty()) return;
  if (!by_files_) {
    handoff_->send(std::move(batch));
    return;
  }
  if (backlog_.size() < kLongestBacklog) {
    backlog_.push_back(std::move(batch));
  } else {
    logOnce(LogLevel::kWarning, "spool",
            "the files beside the tuning database are not taken from there as fast as records come; some of what ranks "
            "learn is lost");
  }
  moveBacklog();
}

void RecordRoute::poll() {
  handoff_->poll();
  const std::lock_guard lock(mutex_);
  if (by_files_) moveBacklog();
}

bool RecordRoute::flush() {
  poll();
  return !writer_ || writer_->flush(kFlushPatience);
}

// What is lost of the records that go by files is told once.
void RecordRoute::finishFiles() {
  const Seconds deadline = clock_.now() + kFinishPatience;
  while (!moveBacklog() && clock_.now() < deadline) std::this_thread::sleep_for(kPause);
  const bool is_written = spool_->finish(std::max(Seconds{}, deadline - clock_.now()));
  if (by_files_ && !(is_written && backlog_.empty())) {
    logOnce(LogLevel::kWarning, "spool",
            "the files beside the tuning database cannot all be written; some of what ranks learn is lost");
  }
  if (!spool_->hasEnded()) static_cast<void>(spool_.release());
}

// Known on world rank 0.
BesideKeys RecordRoute::meanOverRanks(const BesideKeys& own) const {
  const double mine[] = {static_cast<double>(own.calls.value_or(0)), own.seconds.value_or(0.0),
                         own.preparing.value_or(0.0)};
  double sums[std::size(mine)] = {};
  int ranks = 1;
  PMPI_Comm_size(world_, &ranks);
  if (PMPI_Reduce(mine, sums, std::size(mine), MPI_DOUBLE, MPI_SUM, 0, world_) != MPI_SUCCESS) return {};
  return {std::llround(sums[0] / ranks), sums[1] / ranks, sums[2] / ranks};
}

void RecordRoute::finish(Seconds lasted, const BesideKeys& beside_keys) {
  // Files come first: the writer looks for them at its end, which no rank reaches before all have told what they sent.
  if (spool_) finishFiles();
  handoff_->finish();
  const BesideKeys of_all = meanOverRanks(beside_keys);
  if (!writer_) return;
  const bool is_written = writer_->finish(kFinishPatience, lasted, of_all);
  // A thread that hangs in a dead file system keeps what it uses: the process is about to end.
  if (!writer_->hasEnded()) static_cast<void>(writer_.release());
  if (is_written) tellEndOfRun(options_, database_, run_id_);
}

}  // namespace starling
