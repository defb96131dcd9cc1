// The library's state in one process.
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "mpi/handoff.h"
#include "mpi/session.h"
#include "mpi/settings.h"
#include "store/background_writer.h"

namespace starling {

// Made at the first use and never destroyed: MPI_Finalize ends its work (through an attribute of MPI_COMM_SELF, whose
// delete callback MPI calls first of all). THREADS: all functions may be called from any thread.
class Runtime {
 public:
  static Runtime& get();

  // MPI is initialised and not yet finalised, and so is this runtime.
  bool isUsable();

  // Collective over MPI_COMM_WORLD, once: agrees on the settings, opens the database on world rank 0.
  void start();

  // The session of a communicator, made at its first call. Null: the call passes through.
  Session* session(MPI_Comm communicator);
  // The session, if the communicator has one.
  Session* findSession(MPI_Comm communicator);

  // To be called after a call: hands over what is due.
  void afterCall(Session& session);

  // Hands over what every session has learned; on world rank 0 waits until it is written. False: it is not.
  bool flush();

 private:
  Runtime() = default;

  static int onCommunicatorDelete(MPI_Comm communicator, int keyval, void* session, void* runtime);
  static int onFinalize(MPI_Comm communicator, int keyval, void* value, void* runtime);

  void initialize();
  // start() is behind all ranks, as far as every rank can tell alike: where threads call at the same time, the order of
  // the first call on the world and the first on another communicator may differ from rank to rank.
  bool isStartedEverywhere() const { return started_ && !is_multithreaded_; }
  void agreeWithWorld();
  void agree(MPI_Comm communicator, std::vector<std::uint8_t>& bytes);
  void openDatabase(const Environment& environment, std::vector<PolicyRecord>& policies);
  SessionServices servicesFor(MPI_Comm communicator);
  void deliver(Batch batch);
  void handOver(Session& session);
  void endSession(Session& session);
  void finalize();

  // Each process has its own: the one option that is not agreed.
  const Seconds clock_offset_ = parseEnvironment().options.clock_offset;
  const MonotonicClock clock_{clock_offset_};
  std::once_flag initialized_;
  int session_key_ = MPI_KEYVAL_INVALID;
  int finalize_key_ = MPI_KEYVAL_INVALID;
  bool finalized_ = false;

  bool is_multithreaded_ = false;
  std::atomic<bool> started_{false};  // guards what follows: written before, by one thread, and only read afterwards
  Settings settings_;
  std::vector<std::uint8_t> agreed_settings_;  // as they travel
  std::vector<PolicyRecord> policies_;
  MPI_Comm private_world_ = MPI_COMM_NULL;
  std::unique_ptr<Handoff> handoff_;
  std::unique_ptr<BackgroundWriter> writer_;  // world rank 0 only

  std::mutex mutex_;  // guards sessions_ and created_
  std::vector<Session*> sessions_;
  int created_ = 0;
};

}  // namespace starling
