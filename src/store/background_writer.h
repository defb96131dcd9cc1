// Writing the database without ever holding up the program.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "store/database.h"
#include "store/records.h"

namespace starling {

// Takes batches at any time and writes them from a thread of its own. A database that is locked, read-only, full,
// damaged or missing costs one warning; batches wait (bounded) and are tried again, so that a passing fault loses
// nothing. THREADS: all functions may be called from any thread.
class BackgroundWriter {
 public:
  // `database` is empty where it could not be opened; it is tried again with each write.
  BackgroundWriter(std::string path, Run run, std::optional<Database> database);
  // As finish() with no patience left.
  ~BackgroundWriter();
  BackgroundWriter(const BackgroundWriter&) = delete;
  BackgroundWriter& operator=(const BackgroundWriter&) = delete;

  void push(Batch batch);

  // Waits until everything pushed before is written; false when that took longer than `patience` or failed.
  bool flush(Seconds patience);

  // Writes what is left, marks the run as finished and ends the thread. Waits at most about `patience`.
  bool finish(Seconds patience);

 private:
  void work();
  void dropOldest();
  // Writes one batch; false: it is to be tried again.
  bool write(const Batch& batch);
  bool openDatabase();
  void warn(const Status& status);

  const std::string path_;
  const Run run_;
  std::optional<Database> database_;  // used by the thread only
  bool run_begun_ = false;            // likewise

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Batch> queue_;
  bool busy_ = false;    // the thread is writing
  bool failed_ = false;  // the latest write failed
  bool ending_ = false;
  bool finished_ = false;  // the run is marked as finished
  std::thread thread_;
};

}  // namespace starling
