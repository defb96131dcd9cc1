// Takes one process's records to the database, which world rank 0 writes.
#pragma once

#include <mpi.h>

#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "mpi/exchange/handoff.h"
#include "mpi/settings.h"
#include "store/background_writer.h"
#include "store/spool_sender.h"

namespace starling {

// Records go by messages, which world rank 0 takes in its own calls. Where it makes none, so that messages stay
// untaken, they go by files, if the database's folder is seen here; else they wait, and what adds up is bounded.
// Batches refer to communicators and sites of those before them, so they are written in the order of send(). THREADS:
// all functions may be called from any thread that may call MPI, the constructor and finish() by one.
class RecordRoute {
 public:
  // Opens the database on rank 0. It is collective over the private world communicator.
  RecordRoute(MPI_Comm private_world, const Settings& settings, const Clock& clock);

  // Returns what earlier runs of the program learned; it is the same on all ranks.
  std::shared_ptr<const std::vector<PolicyRecord>> policies() const { return policies_; }
  // Returns whether a policy for calls of as many ranks as MPI_COMM_WORLD has promises a gain (tuner/earlier_runs.h).
  // It is the same on all ranks.
  bool promisesGain() const { return promises_gain_; }

  // Returns whether so much waits that a source of records had better add up what it has.
  bool isFull();
  // Takes records to world rank 0. Where too much waits the batch is lost, with one warning: send only what no later
  // batch refers to while isFull().
  void send(Batch batch);
  // Goes on with what is under way, in no time.
  void poll();

  // Waits until all that has come to the database's writer is written; returns true where this process is not the
  // writer.
  bool flush();
  // Writes all that was sent, as far as it can be. It is collective. `lasted`: the run; `beside_keys`: this rank's own.
  void finish(Seconds lasted, const BesideKeys& beside_keys);

 private:
  void openDatabase(Run run);
  void agreeOnRun();
  void agreeOnPromise();
  void reroute();
  bool moveBacklog();
  void finishFiles();
  BesideKeys meanOverRanks(const BesideKeys& own) const;

  MPI_Comm world_;
  const Clock& clock_;
  const Options options_;
  std::shared_ptr<const std::vector<PolicyRecord>> policies_;
  bool promises_gain_ = false;
  std::string run_id_;
  std::string database_;
  std::unique_ptr<BackgroundWriter> writer_;  // world rank 0 only
  std::unique_ptr<Handoff> handoff_;
  std::unique_ptr<SpoolSender> spool_;  // elsewhere, where the process may have threads
  std::mutex mutex_;                    // guards what follows
  bool by_files_ = false;
  std::list<Batch> backlog_;  // for files, in this order, while the spool takes no more
};

}  // namespace starling
