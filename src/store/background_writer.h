// Reads and writes the database beside the program.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/options.h"
#include "store/background_thread.h"
#include "store/batch_queue.h"
#include "store/database.h"
#include "store/records.h"
#include "store/run_database.h"
#include "store/write_pace.h"

namespace starling {

// Takes batches at any time and writes them from a thread of its own; only that thread touches the file. Where a
// process may have no thread of its own (a simulator that runs all ranks in one), or gets none (a limit of processes),
// the callers write: push() then takes as long as the file system does, without waiting for a locked database, and
// patience is not asked for. A fault of the database or a shortage of memory costs one warning; batches wait (bounded)
// and are tried again, so that a passing fault loses nothing. The thread spaces its writes by WritePace.
// Other processes of the run may hand over batches as files (see SpoolSender): they are looked for at least every
// `interval` and at the end, and so is what killed runs have left.
// No exception leaves any function. THREADS: all functions may be called from any thread.
class BackgroundWriter {
 public:
  // Opens the database at once, in the background. `start_path`: as RunDatabase has it.
  explicit BackgroundWriter(std::string path, Run run, WriterThread thread = WriterThread::kOwn,
                            Seconds interval = Seconds{2.0}, ThreadStarter start = startThread,
                            std::string start_path = "");
  // REQUIRES: hasEnded(), or the destructor waits for the thread.
  ~BackgroundWriter();
  BackgroundWriter(const BackgroundWriter&) = delete;
  BackgroundWriter& operator=(const BackgroundWriter&) = delete;

  // Returns what earlier runs of this program learned in this environment, or nothing where it cannot be read within
  // `patience`.
  std::vector<PolicyRecord> policies(Seconds patience);

  void push(Batch batch);

  // Waits until everything pushed before is written; returns false when that took longer than `patience`.
  bool flush(Seconds patience);

  // Writes what is left, marks the run as finished and ends the thread. Waits at most `patience`, and less for faults
  // that do not pass. Returns false when something is not written, or the thread still hangs in the file system.
  // `lasted`: the run; empty: not known.
  bool finish(Seconds patience, const std::optional<Seconds>& lasted = {}, const BesideKeys& beside_keys = {});

  // Returns whether the thread is gone.
  bool hasEnded();

 private:
  // Starts the thread; without one, warns and leaves the work to the callers.
  void startWork(ThreadStarter start);
  void work();
  // Waits until there is something to do, or to try again; for the thread, which holds the lock, as writeFirst().
  void waitForWork(std::unique_lock<std::mutex>& lock);
  // Writes what waits, until a write fails; for callers that write by themselves.
  void writeQueue();
  // Returns whether the thread has something to write, and is not to wait for more.
  bool isWriteDue() const;
  // Writes what waits first, joined with some of the others. Returns false when it is to be tried again.
  bool writeFirst(std::unique_lock<std::mutex>& lock);
  // Writes all that waits; returns false when something is to be tried again.
  bool writeAllThatWaits();
  void readPolicies();

  WriterThread writer_thread_;  // settled by the constructor
  RunDatabase database_;        // used by the thread only, or under the mutex where there is no thread

  std::mutex mutex_;
  std::condition_variable changed_;
  BatchQueue queue_;  // the thread writes the first one without the lock
  std::vector<PolicyRecord> policies_;
  bool policies_read_ = false;                      // or found unreadable
  bool busy_ = false;                               // the thread is writing
  int flushes_ = 0;                                 // callers of flush() that wait
  WritePace pace_;                                  // of the thread
  int failures_ = 0;                                // of the latest writes, in a row
  std::chrono::steady_clock::time_point next_try_;  // of callers that write, after a failure
  bool finishing_ = false;                          // no more batches will come
  std::optional<Seconds> lasted_;                   // from then on, as the next
  BesideKeys beside_keys_;                          // from then on
  bool ending_ = false;                             // the thread is to end
  bool ended_ = false;                              // it has
  bool finished_ = false;                           // the run is marked as finished
  std::thread thread_;
};

}  // namespace starling
