#include "mpi/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <string>

#include "base/build_identity.h"
#include "base/log.h"
#include "base/programs.h"
#include "mpi/exchange/agreement.h"
#include "mpi/exchange/share_bytes.h"
#include "mpi/execution/common_answers.h"
#include "mpi/execution/datatypes.h"
#include "mpi/execution/returned_errors.h"
#include "mpi/machine/clock_domains.h"
#include "mpi/machine/topology.h"
#include "mpi/one_build.h"

namespace starling {
namespace {

// Records are this process's own affair: that they are lost touches no call, and no other rank.
void warnOfLoss(const std::exception& fault) noexcept {
  logOnce(LogLevel::kWarning, "loss",
          [&] { return std::string("some of what was learned is not stored: ") + fault.what(); });
}

// Returns whether MPI has ended. The attributes of MPI_COMM_SELF are deleted while MPI still works, says the standard,
// but SimGrid's MPI has ended by then: nothing can be agreed or handed over any more.
bool isTooLate() {
  int is_finalized = 0;
  PMPI_Finalized(&is_finalized);
  return is_finalized != 0;
}

}  // namespace

Runtime& Runtime::get() {
  static auto* runtime = new Runtime;  // outlives static destructors, which may still call MPI
  return *runtime;
}

bool Runtime::isUsable() {
  if (finalized_) return false;
  int is_initialized = 0;
  PMPI_Initialized(&is_initialized);
  if (is_initialized == 0) return false;
  std::call_once(initialized_, [this] { initialize(); });
  return true;
}

void Runtime::initialize() {
  first_use_ = clock_.now();
  attachments_.open(onCommunicatorDelete, this);
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, onFinalize, &finalize_key_, this);
  PMPI_Comm_set_attr(MPI_COMM_SELF, finalize_key_, this);
  static_cast<void>(elementType(MPI_BYTE));  // takes its memory at the first use
  prepareAgreements();
  setSpareMemory(new (std::nothrow) std::byte[kSpareBytes]);
}

void Runtime::start(bool is_in_init) {
  if (started_ || !isUsable()) return;
  agreeWithWorld(is_in_init);
  started_ = true;
}

// Opens a private copy of the world communicator, without the program's error handler. `is_in_init` and `is_left_out`
// tell of this rank's program.
void Runtime::openPrivateWorld(bool is_in_init, bool is_left_out) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const ReturnedErrors errors(MPI_COMM_WORLD);
  const bool has_world = PMPI_Comm_split(MPI_COMM_WORLD, 0, rank, &private_world_) == MPI_SUCCESS;
  if (!isTrueOnAll(MPI_COMM_WORLD, has_world)) {
    if (has_world) PMPI_Comm_free(&private_world_);
    private_world_ = MPI_COMM_NULL;
    return;
  }
  PMPI_Comm_set_errhandler(private_world_, MPI_ERRORS_RETURN);
  // Ranks may have asked for different levels, and run different programs; what follows from them must not differ.
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  clock_identity_ = clockIdentity(clock_fault_);
  // The greatest complement is the complement of the least: clocks and builds are told apart in the message that goes
  // anyway. As it tells builds apart, all builds have to send so much.
  const std::array<std::uint64_t, 8> mine{static_cast<std::uint64_t>(level),
                                          is_left_out ? 1U : 0U,
                                          is_left_out ? 0U : 1U,
                                          clock_identity_,
                                          ~clock_identity_,
                                          is_in_init ? 0U : 1U,
                                          buildIdentity(),
                                          ~buildIdentity()};
  std::array<std::uint64_t, 8> greatest = mine;
  PMPI_Allreduce(mine.data(), greatest.data(), static_cast<int>(mine.size()), MPI_UINT64_T, MPI_MAX, private_world_);
  is_multithreaded_ = greatest[0] == static_cast<std::uint64_t>(MPI_THREAD_MULTIPLE);
  is_left_out_ = greatest[1] != 0;
  is_partly_left_out_ = is_left_out_ && greatest[2] != 0;
  is_one_clock_ = clock_identity_ != 0 && greatest[3] == ~greatest[4];
  is_started_in_init_ = greatest[5] == 0;
  is_one_build_ = greatest[6] == ~greatest[7];
}

// A program that Starling was not loaded into goes on meanwhile, and what it calls first may meet the roll call.
bool Runtime::awaitWorld(const RollCall& call) const {
  int code = MPI_SUCCESS;
  {
    const ReturnedErrors errors(MPI_COMM_WORLD);
    code = awaitAllRanks(MPI_COMM_WORLD, call, clock_);
  }
  if (code == MPI_SUCCESS) return true;
  log(LogLevel::kWarning,
      fmt::format(
          "in {} other ranks made another call than Starling's first one: was Starling loaded into all processes "
          "of the job (LD_PRELOAD has to reach every host and every program of it; mpirun's -x is for one "
          "program of a line)? MPI's own error follows",
          call.place));
  PMPI_Comm_call_errhandler(MPI_COMM_WORLD, code);
  return false;
}

void Runtime::agreeWithWorld(bool is_in_init) {
  const RollCall call{parseEnvironment().options.watchdog, is_in_init, is_in_init ? "MPI_Init" : "MPI_COMM_WORLD", {}};
  // The options on programs are for those that are preloaded; what else calls Starling does so by name.
  const std::optional<std::string> why =
      is_in_init ? leavesOut(parseEnvironment().options, ownProgramNames()) : std::nullopt;
  if (awaitWorld(call)) openPrivateWorld(is_in_init, why.has_value());
  if (private_world_ == MPI_COMM_NULL) {
    settings_.options.mode = Mode::kOff;  // MPI makes it so on all ranks or none
    return;
  }
  int rank = 0;
  PMPI_Comm_rank(private_world_, &rank);
  agreed_settings_ = encodeSettings(readSettings(rank == 0));
  if (!is_one_build_) {
    settings_.options.mode = Mode::kOff;
    if (rank == 0) warnOfOtherBuilds();
    return;
  }
  shareBytes(private_world_, agreed_settings_);
  if (Result<Settings> agreed = decodeSettings(agreed_settings_); agreed.isOk()) {
    settings_ = std::move(agreed).value();
  }
  setLogLevel(settings_.options.verbosity);
  if (is_left_out_) leaveOut(why.value_or(""));
  if (settings_.options.mode == Mode::kOff) return;
  if (!settings_.pinned.empty() && rank == 0) {
    log(LogLevel::kWarning, settings_.pinned + " is set: Starling steps aside and only observes");
  }
  if (!is_one_clock_) world_clock_.open(private_world_, clock_identity_);
  world_nodes_ = gatherNodes(private_world_);
  route_ = std::make_unique<RecordRoute>(private_world_, settings_, clock_);
  if (rank == 0) log(LogLevel::kInfo, "what is learned goes to " + databasePath(settings_.options));
}

// Ranks that are left out and others have to do alike in the calls that they make together, so none is tuned.
void Runtime::leaveOut(const std::string& why) {
  settings_.options.mode = Mode::kOff;
  int rank = 0;
  PMPI_Comm_rank(private_world_, &rank);
  if (rank != 0) return;
  if (is_partly_left_out_) {
    log(LogLevel::kWarning,
        "STARLING_PROGRAMS or STARLING_NOT_PROGRAMS leaves out programs of this job, but not all of them: as ranks "
        "have to agree, all calls are left to the MPI library; give patterns for all programs of a job or for none");
  } else {
    log(LogLevel::kInfo, "all calls are left to the MPI library: " + why);
  }
}

void Runtime::afterEpoch(Session& session) {
  try {
    if (session.loop().learner().drainIsDue()) handOver(session, false);
  } catch (const std::exception& fault) {
    warnOfLoss(fault);
  }
  goOnBeside();
}

void Runtime::goOnBeside() {
  try {
    parked_.poll();
    if (started_ && route_) route_->poll();
  } catch (const std::exception& fault) {
    warnOfLoss(fault);
  }
}

void Runtime::handOver(Session& session, bool has_ended) {
  if (!session.isRoot()) return;
  if (!started_ || !route_) {
    if (session.loop().hasLearned()) {
      logOnce(LogLevel::kWarning, "handoff",
              "what sub-communicators learn is not stored: call starling_init() once on all ranks, or preload");
    }
    session.loop().learner().forget();
    return;
  }
  if (route_->isFull() && !has_ended) return;  // what is new adds up in the session
  route_->send(session.loop().learner().drain());
}

void Runtime::tryToHandOver(Session& session, bool has_ended) noexcept {
  try {
    handOver(session, has_ended);
  } catch (const std::exception& fault) {
    warnOfLoss(fault);
  }
}

bool Runtime::flush() {
  std::vector<Session*> sessions;
  {
    const std::lock_guard lock(mutex_);
    sessions = sessions_;
  }
  for (Session* session : sessions) handOver(*session, false);
  return !started_ || !route_ || route_->flush();
}

// Ends the session without the other ranks, because its communicator is gone.
void Runtime::endSession(std::unique_ptr<Session> session) {
  {
    const std::lock_guard lock(mutex_);
    std::erase(sessions_, session.get());
  }
  // Where the way is full all that it has learned goes at its end, together, or is lost together.
  tryToHandOver(*session, false);
  parked_.park(std::move(session));
}

int Runtime::onCommunicatorDelete(MPI_Comm, int, void* attached, void* runtime) {
  const std::unique_ptr<Attachment> ended(static_cast<Attachment*>(attached));
  static_cast<Runtime*>(runtime)->attachments_.forget(ended.get());
  if (!ended->session) return MPI_SUCCESS;
  if (isTooLate()) {
    static_cast<void>(ended->session.release());  // its own end needs MPI
  } else {
    static_cast<Runtime*>(runtime)->endSession(std::move(ended->session));
  }
  return MPI_SUCCESS;
}

int Runtime::onFinalize(MPI_Comm, int, void*, void* runtime) {
  if (!isTooLate()) static_cast<Runtime*>(runtime)->finalize();
  return MPI_SUCCESS;
}

void Runtime::finalize() {
  std::vector<Session*> sessions;
  sessions.swap(sessions_);
  for (Session* session : sessions) attachments_.detach(session->communicator());
  parked_.finish();
  if (route_) {
    route_->finish(clock_.now() - first_use_,
                   {unprepared_calls_, fromNanoseconds(unprepared_ns_).value, preparations_.inAll().value});
  }
  route_.reset();
  world_clock_.finish();
  if (private_world_ != MPI_COMM_NULL) PMPI_Comm_free(&private_world_);
  endAgreements();
  attachments_.close();
  PMPI_Comm_free_keyval(&finalize_key_);
  finalized_ = true;
}

}  // namespace starling
