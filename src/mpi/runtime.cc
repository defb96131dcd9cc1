#include "mpi/runtime.h"

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <numeric>
#include <string>

#include "base/log.h"
#include "base/programs.h"
#include "mpi/exchange/agreement.h"
#include "mpi/exchange/roll_call.h"
#include "mpi/exchange/share_bytes.h"
#include "mpi/execution/datatypes.h"
#include "mpi/machine/clock_domains.h"
#include "mpi/machine/world_ranks.h"

namespace starling {
namespace {

// A session takes so much memory when it is made.
constexpr std::size_t kSpareBytes = std::size_t{64} << 10;

// Records are this process's own affair: that they are lost touches no call, and no other rank.
void warnOfLoss(const std::exception& fault) noexcept {
  logOnce(LogLevel::kWarning, "loss",
          [&] { return std::string("some of what was learned is not stored: ") + fault.what(); });
}

// Returns the ranks of the communicator that are of another MPI_COMM_WORLD.
std::vector<int> ranksBeyondWorld(MPI_Comm communicator) {
  const std::vector<int> world_ranks = worldRanksOf(communicator);
  std::vector<int> ranks(world_ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::erase_if(ranks, [&](int rank) { return world_ranks[static_cast<std::size_t>(rank)] != MPI_UNDEFINED; });
  return ranks;
}

bool isTrueOnAny(MPI_Comm communicator, bool mine) {
  int any = mine ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, communicator);
  return any != 0;
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
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, onCommunicatorDelete, &session_key_, this);
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

// Opens a private copy of the world communicator, without the program's error handler. `is_left_out` tells of this
// rank's program.
void Runtime::openPrivateWorld(bool is_left_out) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (PMPI_Comm_split(MPI_COMM_WORLD, 0, rank, &private_world_) != MPI_SUCCESS) {
    private_world_ = MPI_COMM_NULL;
    return;
  }
  PMPI_Comm_set_errhandler(private_world_, MPI_ERRORS_RETURN);
  // Ranks may have asked for different levels, and run different programs; what follows from them must not differ.
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  clock_identity_ = clockIdentity(clock_fault_);
  // The greatest complement is the complement of the least: clocks are told apart in the message that goes anyway.
  const std::array<std::uint64_t, 5> mine{static_cast<std::uint64_t>(level), is_left_out ? 1U : 0U,
                                          is_left_out ? 0U : 1U, clock_identity_, ~clock_identity_};
  std::array<std::uint64_t, 5> greatest = mine;
  PMPI_Allreduce(mine.data(), greatest.data(), 5, MPI_UINT64_T, MPI_MAX, private_world_);
  is_multithreaded_ = greatest[0] == static_cast<std::uint64_t>(MPI_THREAD_MULTIPLE);
  is_left_out_ = greatest[1] != 0;
  is_partly_left_out_ = is_left_out_ && greatest[2] != 0;
  is_one_clock_ = clock_identity_ != 0 && greatest[3] == ~greatest[4];
}

void Runtime::agreeWithWorld(bool is_in_init) {
  const RollCall call{parseEnvironment().options.watchdog, is_in_init, is_in_init ? "MPI_Init" : "MPI_COMM_WORLD", {}};
  // The options on programs are for those that are preloaded; what else calls Starling does so by name.
  const std::optional<std::string> why =
      is_in_init ? leavesOut(parseEnvironment().options, ownProgramNames()) : std::nullopt;
  if (awaitAllRanks(MPI_COMM_WORLD, call, clock_) == MPI_SUCCESS) openPrivateWorld(why.has_value());
  if (private_world_ == MPI_COMM_NULL) {
    settings_.options.mode = Mode::kOff;  // MPI makes it so on all ranks or none
    return;
  }
  agreed_settings_ = encodeSettings(readSettings());
  shareBytes(private_world_, agreed_settings_);
  if (Result<Settings> agreed = decodeSettings(agreed_settings_); agreed.isOk()) {
    settings_ = std::move(agreed).value();
  }
  setLogLevel(settings_.options.verbosity);
  if (is_left_out_) leaveOut(why.value_or(""));
  if (settings_.options.mode == Mode::kOff) return;
  int rank = 0;
  PMPI_Comm_rank(private_world_, &rank);
  if (!settings_.pinned.empty() && rank == 0) {
    log(LogLevel::kWarning, settings_.pinned + " is set: Starling steps aside and only observes");
  }
  if (!is_one_clock_) world_clock_.open(private_world_, clock_identity_);
  route_ = std::make_unique<RecordRoute>(private_world_, settings_, clock_);
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
        "have "
        "to agree, all calls are left to the MPI library; give patterns for all programs of a job or for none");
  } else {
    log(LogLevel::kInfo, "all calls are left to the MPI library: " + why);
  }
}

void* Runtime::attributeOf(MPI_Comm communicator) {
  if (communicator == MPI_COMM_NULL || !isUsable()) return nullptr;
  void* value = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(communicator, session_key_, &value, &found);
  return found != 0 ? value : nullptr;
}

Session* Runtime::findSession(MPI_Comm communicator) {
  void* const value = attributeOf(communicator);
  return AbsentSession::isMark(value) ? nullptr : static_cast<Session*>(value);
}

std::optional<AbsentSession> Runtime::absentSession(MPI_Comm communicator) {
  const void* const value = attributeOf(communicator);
  if (!AbsentSession::isMark(value) || settings_.options.mode == Mode::kOff) return std::nullopt;
  return AbsentSession(communicator, session_key_, value, settings_.options);
}

Session* Runtime::session(MPI_Comm communicator) {
  if (void* const known = attributeOf(communicator)) {
    return AbsentSession::isMark(known) ? nullptr : static_cast<Session*>(known);
  }
  if (communicator == MPI_COMM_NULL || !isUsable()) return nullptr;
  // A program that links the library agrees at its first call on the world, or else per communicator.
  if (!started_ && communicator == MPI_COMM_WORLD) {
    start();
  }
  std::unique_ptr<Session> session;
  try {
    session = makeSession(communicator);
  } catch (const std::bad_alloc&) {
    if (started_) AbsentSession::begin(communicator, session_key_);
    return nullptr;
  }
  parked_.poll();
  PMPI_Comm_set_attr(communicator, session_key_, session.get());
  return session.release();
}

// Makes a session. All other ranks make one, too, so the memory for it was taken beforehand, if it was there.
std::unique_ptr<Session> Runtime::makeSession(MPI_Comm communicator) {
  setSpareMemory(nullptr);
  auto session = std::make_unique<Session>(communicator, servicesFor(communicator));
  parked_.expect();
  {
    const std::lock_guard lock(mutex_);
    sessions_.push_back(session.get());
  }
  setSpareMemory(new (std::nothrow) std::byte[kSpareBytes]);
  return session;
}

void Runtime::setSpareMemory(std::byte* memory) {
  const std::lock_guard lock(mutex_);
  spare_memory_.reset(memory);
}

SessionServices Runtime::servicesFor(MPI_Comm communicator) {
  SessionServices services;
  int is_inter = 0;
  PMPI_Comm_test_inter(communicator, &is_inter);
  const bool started = started_;  // another thread may be at it
  if (started) {
    services.settings = settings_;
    if (route_) services.policies = route_->policies();
  }
  RollCall call{parseEnvironment().options.watchdog, false, "the first tuned call on a communicator", {}};
  if (is_inter == 0) call.suspects = ranksBeyondWorld(communicator);
  services.is_within_world = call.suspects.empty();
  const bool is_agreed = isStartedEverywhere() && services.is_within_world;
  services.clocks = clockKnowledge(is_agreed);
  if (is_inter == 0 && !is_agreed) {
    std::vector<std::uint8_t> bytes = started ? agreed_settings_ : encodeSettings(readSettings());
    static_cast<void>(awaitAllRanks(communicator, call, clock_));
    shareBytes(communicator, bytes);
    if (Result<Settings> agreed = decodeSettings(bytes); agreed.isOk()) services.settings = std::move(agreed).value();
    if (!services.is_within_world && isTrueOnAny(communicator, is_left_out_))
      services.settings.options.mode = Mode::kOff;
  }
  int world_rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  const std::lock_guard lock(mutex_);
  services.communicator_id = std::to_string(world_rank) + ":" + std::to_string(created_++);
  return services;
}

ClockKnowledge Runtime::clockKnowledge(bool is_agreed) {
  const bool is_known = started_ && settings_.options.mode != Mode::kOff;
  ClockKnowledge knowledge;
  knowledge.clock = &clock_;
  knowledge.identity = is_known ? clock_identity_ : clockIdentity(clock_fault_);
  knowledge.is_one_in_world = is_known && is_one_clock_;
  knowledge.world = is_known && world_clock_.isOpen() ? &world_clock_ : nullptr;
  knowledge.is_agreed = is_agreed;
  return knowledge;
}

void Runtime::afterCall(Session& session) {
  if (!session.loop().takeEpochEnd()) return;
  try {
    parked_.poll();
    if (session.loop().drainIsDue()) handOver(session, false);
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
    session.loop().forget();
    return;
  }
  if (route_->isFull() && !has_ended) return;  // what is new adds up in the session
  route_->send(session.loop().drain());
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
void Runtime::endSession(Session* session) {
  {
    const std::lock_guard lock(mutex_);
    std::erase(sessions_, session);
  }
  std::unique_ptr<Session> ended(session);
  // Where the way is full all that it has learned goes at its end, together, or is lost together.
  tryToHandOver(*ended, false);
  parked_.park(std::move(ended));
}

int Runtime::onCommunicatorDelete(MPI_Comm, int, void* session, void* runtime) {
  if (AbsentSession::isMark(session)) return MPI_SUCCESS;
  if (!isTooLate()) static_cast<Runtime*>(runtime)->endSession(static_cast<Session*>(session));
  return MPI_SUCCESS;
}

int Runtime::onFinalize(MPI_Comm, int, void*, void* runtime) {
  if (!isTooLate()) static_cast<Runtime*>(runtime)->finalize();
  return MPI_SUCCESS;
}

void Runtime::finalize() {
  std::vector<Session*> sessions;
  sessions.swap(sessions_);
  for (Session* session : sessions) PMPI_Comm_delete_attr(session->communicator(), session_key_);
  parked_.finish();
  if (route_) route_->finish();
  route_.reset();
  world_clock_.finish();
  if (private_world_ != MPI_COMM_NULL) PMPI_Comm_free(&private_world_);
  endAgreements();
  PMPI_Comm_free_keyval(&session_key_);
  PMPI_Comm_free_keyval(&finalize_key_);
  finalized_ = true;
}

}  // namespace starling
