// Reading and writing the database beside the program.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/options.h"
#include "store/database.h"
#include "store/records.h"

namespace starling {

// Takes batches at any time and writes them from a thread of its own; only that thread touches the file. Where a
// process may have no thread of its own (a simulator that runs all ranks in one), the callers write: push() then takes
// as long as the file system does, without waiting for a locked database, and patience is not asked for. A database
// that is locked, read-only, full, damaged or missing costs one warning; batches wait (bounded) and are tried again, so
// that a passing fault loses nothing. THREADS: all functions may be called from any thread.
class BackgroundWriter {
 public:
  // Opens the database at once, in the background.
  explicit BackgroundWriter(std::string path, Run run, WriterThread thread = WriterThread::kOwn);
  // REQUIRES: hasEnded(), or the destructor waits for the thread.
  ~BackgroundWriter();
  BackgroundWriter(const BackgroundWriter&) = delete;
  BackgroundWriter& operator=(const BackgroundWriter&) = delete;

  // What earlier runs of this program learned in this environment; empty where it cannot be read within `patience`.
  std::vector<PolicyRecord> policies(Seconds patience);

  void push(Batch batch);

  // Waits until everything pushed before is written; false when that took longer than `patience`.
  bool flush(Seconds patience);

  // Writes what is left, marks the run as finished and ends the thread. Waits at most `patience`, and less for faults
  // that do not pass. False: something is not written, or the thread still hangs in the file system.
  bool finish(Seconds patience);

  // The thread is gone.
  bool hasEnded();

 private:
  void work();
  // Writes what waits, until a write fails; for callers that write by themselves.
  void writeQueue();
  void dropOldest();
  // Writes one batch; false: it is to be tried again.
  bool write(const Batch& batch);
  bool openDatabase();
  void readPolicies();
  bool markFinished();
  void warn(const Status& status);

  const std::string path_;
  const Run run_;
  const WriterThread writer_thread_;
  std::optional<Database> database_;  // used by the thread only, or under the mutex where there is none
  bool run_begun_ = false;            // likewise

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Batch> queue_;
  std::vector<PolicyRecord> policies_;
  bool policies_read_ = false;                      // or found unreadable
  bool busy_ = false;                               // the thread is writing
  int failures_ = 0;                                // of the latest writes, in a row
  std::chrono::steady_clock::time_point next_try_;  // of callers that write, after a failure
  bool finishing_ = false;                          // no more batches will come
  bool ending_ = false;                             // the thread is to end
  bool ended_ = false;                              // it has
  bool finished_ = false;                           // the run is marked as finished
  std::thread thread_;
};

}  // namespace starling
