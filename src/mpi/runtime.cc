#include "mpi/runtime.h"

#include <algorithm>
#include <numeric>

#include "base/log.h"
#include "mpi/machine.h"
#include "store/codec.h"

namespace starling {
namespace {

constexpr Seconds kOpenPatience{3.0};
constexpr Seconds kFlushPatience{10.0};
constexpr Seconds kFinishPatience{5.0};

// All members are of this MPI_COMM_WORLD: communicators may also join processes that were spawned. All members see it
// alike.
bool isWithinWorld(MPI_Comm communicator) {
  int size = 0;
  PMPI_Comm_size(communicator, &size);
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(communicator, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> world_ranks(ranks.size());
  PMPI_Group_translate_ranks(group, size, ranks.data(), world, world_ranks.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  return std::find(world_ranks.begin(), world_ranks.end(), MPI_UNDEFINED) == world_ranks.end();
}

// The attributes of MPI_COMM_SELF are deleted while MPI still works, says the standard. SimGrid's MPI has ended by
// then: nothing can be agreed or handed over any more.
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
}

// The bytes of rank 0, on all ranks.
void Runtime::agree(MPI_Comm communicator, std::vector<std::uint8_t>& bytes) {
  auto size = static_cast<long long>(bytes.size());
  PMPI_Bcast(&size, 1, MPI_LONG_LONG, 0, communicator);
  bytes.resize(static_cast<std::size_t>(size));
  PMPI_Bcast(bytes.data(), static_cast<int>(size), MPI_BYTE, 0, communicator);
}

void Runtime::start() {
  if (started_ || !isUsable()) return;
  agreeWithWorld();
  started_ = true;
}

void Runtime::agreeWithWorld() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (PMPI_Comm_split(MPI_COMM_WORLD, 0, rank, &private_world_) != MPI_SUCCESS) {
    private_world_ = MPI_COMM_NULL;
    settings_.options.mode = Mode::kOff;  // MPI makes it so on all ranks or none
    return;
  }
  PMPI_Comm_set_errhandler(private_world_, MPI_ERRORS_RETURN);
  // Ranks may have asked for different levels; what follows from them must not differ.
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  int highest_level = level;
  PMPI_Allreduce(&level, &highest_level, 1, MPI_INT, MPI_MAX, private_world_);
  is_multithreaded_ = highest_level == MPI_THREAD_MULTIPLE;
  agreed_settings_ = encodeSettings(readSettings());
  agree(private_world_, agreed_settings_);
  if (Result<Settings> agreed = decodeSettings(agreed_settings_); agreed.isOk()) {
    settings_ = std::move(agreed).value();
  }
  setLogLevel(settings_.options.verbosity);
  if (settings_.options.mode == Mode::kOff) return;
  if (!settings_.pinned.empty() && rank == 0) {
    log(LogLevel::kWarning, settings_.pinned + " is set: Starling steps aside and only observes");
  }
  const Environment environment = gatherEnvironment(private_world_);
  if (rank == 0) openDatabase(environment, policies_);
  std::vector<std::uint8_t> policies = encodePolicies(policies_);
  agree(private_world_, policies);
  if (Result<std::vector<PolicyRecord>> agreed = decodePolicies(policies); agreed.isOk()) {
    policies_ = std::move(agreed).value();
  }
  handoff_ = std::make_unique<Handoff>(private_world_, [this](Batch batch) { deliver(std::move(batch)); });
}

void Runtime::openDatabase(const Environment& environment, std::vector<PolicyRecord>& policies) {
  const std::string path = databasePath(settings_.options);
  Run run = describeRun(environment);
  writer_ = std::make_unique<BackgroundWriter>(path, std::move(run), settings_.options.writer);
  policies = writer_->policies(kOpenPatience);
}

Session* Runtime::findSession(MPI_Comm communicator) {
  if (communicator == MPI_COMM_NULL || !isUsable()) return nullptr;
  void* value = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(communicator, session_key_, &value, &found);
  return found != 0 ? static_cast<Session*>(value) : nullptr;
}

Session* Runtime::session(MPI_Comm communicator) {
  if (Session* known = findSession(communicator)) return known;
  if (communicator == MPI_COMM_NULL || !isUsable()) return nullptr;
  // A program that links the library agrees at its first call on the world, or else per communicator.
  if (!started_ && communicator == MPI_COMM_WORLD) {
    start();
  }
  auto* session = new Session(communicator, servicesFor(communicator));
  {
    const std::lock_guard lock(mutex_);
    sessions_.push_back(session);
  }
  PMPI_Comm_set_attr(communicator, session_key_, session);
  return session;
}

SessionServices Runtime::servicesFor(MPI_Comm communicator) {
  SessionServices services;
  services.clock = &clock_;
  services.clock_offset = clock_offset_;
  int is_inter = 0;
  PMPI_Comm_test_inter(communicator, &is_inter);
  const bool started = started_;  // another thread may be at it
  if (started) {
    services.settings = settings_;
    services.policies = policies_;
  }
  if (is_inter == 0 && !(isStartedEverywhere() && isWithinWorld(communicator))) {
    std::vector<std::uint8_t> bytes = started ? agreed_settings_ : encodeSettings(readSettings());
    agree(communicator, bytes);
    if (Result<Settings> agreed = decodeSettings(bytes); agreed.isOk()) services.settings = std::move(agreed).value();
  }
  int world_rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  const std::lock_guard lock(mutex_);
  services.communicator_id = std::to_string(world_rank) + ":" + std::to_string(created_++);
  return services;
}

void Runtime::afterCall(Session& session) {
  if (!session.takeEpochEnd()) return;
  if (session.drainIsDue()) handOver(session);
  if (started_ && handoff_) handoff_->poll();
}

void Runtime::handOver(Session& session) {
  if (!session.isRoot()) return;
  if (!started_ || !handoff_) {
    if (session.hasLearned()) {
      logOnce(LogLevel::kWarning, "handoff",
              "what sub-communicators learn is not stored: call starling_init() once on all ranks, or preload");
    }
    session.forget();
    return;
  }
  if (handoff_->isFull() && !session.hasEnded()) return;  // what is new adds up in the session
  const Batch batch = session.drain();
  if (!batch.isEmpty()) handoff_->send(batch);
}

void Runtime::deliver(Batch batch) {
  if (writer_) writer_->push(std::move(batch));
}

bool Runtime::flush() {
  std::vector<Session*> sessions;
  {
    const std::lock_guard lock(mutex_);
    sessions = sessions_;
  }
  for (Session* session : sessions) handOver(*session);
  if (!started_) return true;
  if (handoff_) handoff_->poll();
  return !writer_ || writer_->flush(kFlushPatience);
}

void Runtime::endSession(Session& session) {
  {
    const std::lock_guard lock(mutex_);
    std::erase(sessions_, &session);
  }
  handOver(session);
  delete &session;
}

int Runtime::onCommunicatorDelete(MPI_Comm, int, void* value, void* runtime) {
  auto& session = *static_cast<Session*>(value);
  if (isTooLate()) return MPI_SUCCESS;
  if (!session.hasEnded()) {
    session.startEnd();
    session.finishEnd();
  }
  static_cast<Runtime*>(runtime)->endSession(session);
  return MPI_SUCCESS;
}

int Runtime::onFinalize(MPI_Comm, int, void*, void* runtime) {
  if (!isTooLate()) static_cast<Runtime*>(runtime)->finalize();
  return MPI_SUCCESS;
}

void Runtime::finalize() {
  // Ranks may hold their sessions in different orders: all last agreements start before any is waited for.
  std::vector<Session*> sessions = sessions_;
  for (Session* session : sessions) session->startEnd();
  for (Session* session : sessions) session->finishEnd();
  for (Session* session : sessions) PMPI_Comm_delete_attr(session->communicator(), session_key_);
  if (handoff_) handoff_->finish();
  if (writer_) {
    writer_->finish(kFinishPatience);
    // A thread that hangs in a dead file system keeps what it uses: the process is about to end.
    if (writer_->hasEnded()) {
      writer_.reset();
    } else {
      static_cast<void>(writer_.release());
    }
  }
  handoff_.reset();
  if (private_world_ != MPI_COMM_NULL) PMPI_Comm_free(&private_world_);
  PMPI_Comm_free_keyval(&session_key_);
  PMPI_Comm_free_keyval(&finalize_key_);
  finalized_ = true;
}

}  // namespace starling
