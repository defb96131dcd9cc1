// Holds the library's state in one process.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "mpi/attachments.h"
#include "mpi/exchange/roll_call.h"
#include "mpi/execution/node_memory.h"
#include "mpi/machine/probed_costs.h"
#include "mpi/machine/stamp_clock.h"
#include "mpi/machine/world_clock.h"
#include "mpi/parked_sessions.h"
#include "mpi/preparation_times.h"
#include "mpi/record_route.h"
#include "mpi/session.h"
#include "mpi/settings.h"

namespace starling {

// The runtime is made at the first use and never destroyed: MPI_Finalize ends its work (through an attribute of
// MPI_COMM_SELF, whose delete callback MPI calls first of all). THREADS: all functions may be called from any thread.
class Runtime {
 public:
  static Runtime& get();

  // Returns whether MPI is initialised and not yet finalised, and so is this runtime.
  bool isUsable();

  // Agrees on the settings and opens the database on world rank 0, once. It is collective over MPI_COMM_WORLD.
  // `is_in_init` says that no code of the program's runs before it.
  void start(bool is_in_init = false);

  // Returns the attachment that the communicator has; null: none.
  Attachment* knownAttachment(MPI_Comm communicator);
  // Returns whether attachment() would make something.
  bool wouldAttach(MPI_Comm communicator);
  // Returns what is attached to a communicator, which is made at its first call. Null: the call passes through.
  Attachment* attachment(MPI_Comm communicator);
  // Returns the session of a communicator, which is made at its first call. Null: the call passes through.
  Session* session(MPI_Comm communicator);
  // Returns what takes the place of a session that memory was too short for; null: there is none.
  AbsentSession* absentSession(MPI_Comm communicator);
  // Returns the session if the communicator has one.
  Session* findSession(MPI_Comm communicator);

  // Makes a call that is early, by `native` () -> MPI error code. Where the ranks ask each other whether the
  // communicator is worth preparing it waits for them, and if so they prepare it.
  template <typename Native>
  int callEarly(MPI_Comm communicator, Attachment& attached, const Native& native) {
    const std::int64_t weight = attached.early->weightOfNext();
    const std::int64_t begin = weight > 0 ? clock_.nanoseconds() : 0;
    const int code = native();
    if (isRefusal(code)) return code;
    const std::int64_t took_ns = weight > 0 ? clock_.nanoseconds() - begin : 0;
    unprepared_calls_.fetch_add(1, std::memory_order_relaxed);
    if (weight > 0) unprepared_ns_.fetch_add(attached.early->timeOf(weight, took_ns), std::memory_order_relaxed);
    if (attached.early->add(weight, took_ns)) prepareIfWorthIt(communicator, attached);
    return code;
  }

  // Returns what all ranks have agreed on. REQUIRES: there is an absent session.
  const Options& options() const { return settings_.options; }

  // Is called after each call, and hands over what is due.
  void afterCall(Session& session) {
    if (session.loop().takeEpochEnd()) afterEpoch(session);
  }

  // Hands over what every session has learned; on world rank 0 waits until it is written. Returns false when it is not.
  bool flush();

 private:
  Runtime() = default;

  static int onCommunicatorDelete(MPI_Comm communicator, int keyval, void* attached, void* runtime);
  static int onFinalize(MPI_Comm communicator, int keyval, void* value, void* runtime);

  void initialize();
  // Returns whether all ranks have been through start(), as far as every rank can tell alike: where threads call at the
  // same time, and not all ranks start in MPI_Init, the order of the first call on the world and the first on another
  // communicator may differ from rank to rank.
  bool isStartedEverywhere() const { return started_ && (is_started_in_init_ || !is_multithreaded_); }
  bool awaitWorld(const RollCall& call) const;
  void agreeWithWorld(bool is_in_init);
  void openPrivateWorld(bool is_in_init, bool is_left_out);
  void leaveOut(const std::string& why);
  SessionServices servicesFor(MPI_Comm communicator);
  ClockKnowledge clockKnowledge(bool is_agreed);
  // What a communicator gets at its first call, which is equal on all ranks.
  enum class Beginning : std::uint8_t { kSession, kEarlyCalls, kNothing };
  Beginning beginningOf(MPI_Comm communicator) const;
  Attachment* makeAttachment(MPI_Comm communicator, Beginning beginning);
  // Makes the session of an attachment, or what is in its place.
  void addSession(MPI_Comm communicator, Attachment& attached);
  std::unique_ptr<Session> makeSession(MPI_Comm communicator);
  void prepareIfWorthIt(MPI_Comm communicator, Attachment& attached);
  // Returns whether an earlier run tells that the communicator is worth preparing.
  bool isPromising(MPI_Comm communicator) const;
  std::int32_t callsOfFirstEpoch(MPI_Comm communicator) const;
  // A session takes so much memory when it is made.
  static constexpr std::size_t kSpareBytes = std::size_t{64} << 10;
  void setSpareMemory(std::byte* memory);
  void afterEpoch(Session& session);
  // Goes on with what is under way between ranks beside calls, in no time.
  void goOnBeside();
  void handOver(Session& session, bool has_ended);
  void tryToHandOver(Session& session, bool has_ended) noexcept;
  void endSession(std::unique_ptr<Session> session);
  void finalize();

  // Each process has its own clock, whose fault is the one option that is not agreed.
  const ClockFault clock_fault_ = parseEnvironment().options.clock_fault;
  const MonotonicClock clock_{clock_fault_};
  std::once_flag initialized_;
  Seconds first_use_{};  // in MPI_Init where the library is preloaded
  Attachments attachments_;
  int finalize_key_ = MPI_KEYVAL_INVALID;
  bool finalized_ = false;

  bool is_multithreaded_ = false;
  bool is_started_in_init_ = false;  // on all ranks
  bool is_left_out_ =
      false;  // all calls of this world are left to the MPI library, by STARLING_PROGRAMS or its opposite
  bool is_one_build_ = false;         // of Starling, on all ranks of the world
  bool is_partly_left_out_ = false;   // because of some of its programs, not all
  std::atomic<bool> started_{false};  // guards what follows: written before, by one thread, and only read afterwards
  Settings settings_;
  std::vector<std::uint8_t> agreed_settings_;  // as they travel
  MPI_Comm private_world_ = MPI_COMM_NULL;
  std::uint64_t clock_identity_ = 0;
  bool is_one_clock_ = false;              // on all ranks of the world
  WorldClock world_clock_{clock_};         // open where they read several, and Starling is not off
  std::vector<std::int32_t> world_nodes_;  // by rank of MPI_COMM_WORLD; empty where Starling is off
  std::unique_ptr<RecordRoute> route_;     // null where nothing is recorded

  ProbedCosts probed_costs_;
  NodeMemories node_memories_;
  PreparationTimes preparations_;
  std::atomic<std::int64_t> unprepared_calls_{0};
  std::atomic<std::int64_t> unprepared_ns_{0};
  std::shared_ptr<SharedKnowledge> shared_knowledge_ = std::make_shared<SharedKnowledge>();
  ParkedSessions parked_{[this](Session& session) { tryToHandOver(session, true); }};
  std::mutex mutex_;  // guards what follows
  std::vector<Session*> sessions_;
  int created_ = 0;
  std::unique_ptr<std::byte[]> spare_memory_;  // for a session, when there is no more
};

}  // namespace starling
