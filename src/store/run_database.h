// What one run does with its tuning database: opens it, enters itself, reads policies and writes records.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/units.h"
#include "store/database.h"
#include "store/records.h"
#include "store/spool.h"

namespace starling {

// The file is opened when it is first needed. A database that is locked, read-only, full, damaged or missing costs one
// warning, and so does a shortage of memory; what failed may be asked for again, and opens the file anew where that had
// failed. No exception leaves any function, and no signal ends the program for a file that has reached the process's
// limit. THREADS: one thread at a time.
class RunDatabase {
 public:
  // Each access waits for a locked database, but not longer than `lock_patience`. Other processes of the run may hand
  // over batches as files (see SpoolSender): these are due each `files_interval`.
  // `start_path` is that of a database which others have made, and which is only read for policies; empty: there is
  // none.
  RunDatabase(std::string path, Run run, Seconds lock_patience, Seconds files_interval, std::string start_path = "");

  const std::string& path() const { return path_; }
  // Holds for what is opened from now on.
  void setLockPatience(Seconds patience) { lock_patience_ = patience; }

  // Returns what earlier runs of this program learned in this environment, also from a file that cannot be written;
  // empty where it cannot be read.
  std::vector<PolicyRecord> policies();
  // Returns what the database to start from has for kinds of calls of which there is no policy among those.
  std::vector<PolicyRecord> policiesToStartFrom(std::span<const PolicyRecord> own) const;

  // Returns false when the batch is not written.
  bool write(const Batch& batch);

  // Returns when files are to be looked for.
  std::chrono::steady_clock::time_point filesAreDueAt() const { return next_files_; }
  bool filesAreDue() const { return std::chrono::steady_clock::now() >= next_files_; }
  // Is called before what came as a file is written, and returns whether it can be now.
  using Prepare = std::function<bool()>;
  // Writes what has come as files: those of this run, and now and then those that killed runs have left.
  void takeFiles(const Prepare& prepare = {});
  // Writes all of both, for the last time.
  void takeLastFiles(const Prepare& prepare = {});

  // Marks the run as finished. `lasted`: the run; empty: not known.
  bool finish(const std::optional<Seconds>& lasted, const BesideKeys& beside_keys);

 private:
  bool open();
  void openSpool();
  // Reads them from a file that cannot be written, now or ever.
  Result<std::vector<PolicyRecord>> policiesOf(const std::string& path, Seconds lock_patience) const;
  Spool::Deliver delivery(const Prepare& prepare);
  // Returns whether the status is no error, and warns of it otherwise.
  static bool isOk(const Status& status);

  const std::string path_;
  const Run run_;
  Seconds lock_patience_;
  const std::string start_path_;
  const std::chrono::steady_clock::duration files_interval_;
  std::optional<Database> database_;
  bool run_begun_ = false;
  std::optional<Spool> spool_;
  std::chrono::steady_clock::time_point next_files_;
  std::chrono::steady_clock::time_point next_leftovers_;  // when to look for those of killed runs
};

}  // namespace starling
