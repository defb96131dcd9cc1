// Takes records of other processes that come to the database's writer as files.
//
// A program's records travel to the writer by messages, which it takes in its own reductions. A process that never
// reduces takes none; where the file system is shared, files reach it all the same, and stay when the job is killed:
//
//   <database>-spool-<user>/     one folder for each run whose writer is at work, or was killed
//     <run id>/                  letters, digits, '-' and '_' stay, all else is %XX
//       <sender>-<number>        one batch as encodeBatch() makes it; a sender's numbers rise
//       .<sender>-<number>       not complete yet
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/status.h"
#include "store/private_folder.h"
#include "store/records.h"

namespace starling {

// The files of one run take at most so many bytes; senders then keep their records.
inline constexpr std::uint64_t kMaxSpoolBytes = 64U << 20;
inline constexpr std::size_t kMaxSpoolFiles = 4096;

// Returns "<database>-spool-<user>", with the number of this user: where several share a database none has files in
// another one's folder. Errors: those of safePath().
Result<std::string> spoolPath(const std::string& database);
// These turn a run's id into the name of its folder, and back.
std::string spoolFolderName(const std::string& run_id);
std::string spoolRunId(const std::string& folder_name);

// The writer's side. THREADS: one thread at a time.
class Spool {
 public:
  // Writes a batch of that run; returns false when it cannot now.
  using Deliver = std::function<bool(const std::string& run_id, const Batch& batch)>;

  // Makes the folder for the files of this run. Errors: it cannot be made, or is not safe (see PrivateFolder).
  static Result<Spool> open(const std::string& database, const std::string& run_id);
  // Files that are not delivered stay for the writer of a later run.
  ~Spool();
  Spool(Spool&&) noexcept = default;
  Spool& operator=(Spool&&) = delete;

  // Delivers what this run's senders have written, and removes it; stops where a delivery fails. A batch that has
  // failed several times is left for takeAll(), so that it does not hold up the others.
  void take(const Deliver& deliver);
  // Delivers what runs have left whose writer has gone (its lock is free), or whose files are older than a minute.
  void takeLeftovers(const Deliver& deliver);
  // Delivers, at the end, all of both, also what has failed before.
  void takeAll(const Deliver& deliver);

 private:
  Spool(PrivateFolder spool, PrivateFolder own, std::string run_id)
      : spool_(std::move(spool)), own_(std::move(own)), run_id_(std::move(run_id)) {}

  struct Source;
  // Returns false when a delivery failed.
  bool takeFrom(const Source& source, const Deliver& deliver);
  bool takeFile(const Source& source, const PrivateFolder::File& file, const Deliver& deliver);
  void reopen();

  PrivateFolder spool_;
  PrivateFolder own_;
  std::string run_id_;
  std::map<std::string, int> failures_;  // of deliveries, by path
};

}  // namespace starling
