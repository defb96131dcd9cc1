#include "store/run_database.h"

#include <algorithm>
#include <csignal>
#include <set>
#include <utility>

#include "base/log.h"
#include "store/memory_faults.h"
#include "store/reader.h"
#include "store/start_database.h"

namespace starling {
namespace {

constexpr std::chrono::seconds kLeftoversInterval{60};
// Programs may wait for this file to begin; who writes to it while it is in use has a short transaction.
constexpr Seconds kStartPatience{0.1};

// While it lives, a file that would grow beyond the process's limit fails to be written, and no signal ends the program
// for it: the signal goes to the thread that writes.
class FileSizeSignalBlock {
 public:
  FileSizeSignalBlock() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~FileSizeSignalBlock() {
    const timespec no_wait{};
    while (sigtimedwait(&signal_, nullptr, &no_wait) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  FileSizeSignalBlock(const FileSizeSignalBlock&) = delete;
  FileSizeSignalBlock& operator=(const FileSizeSignalBlock&) = delete;

 private:
  sigset_t signal_{};
  sigset_t before_{};
};

std::chrono::steady_clock::duration intervalOf(Seconds seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds.value));
}

}  // namespace

RunDatabase::RunDatabase(std::string path, Run run, Seconds lock_patience, Seconds files_interval,
                         std::string start_path)
    : path_(std::move(path)),
      run_(std::move(run)),
      lock_patience_(lock_patience),
      start_path_(std::move(start_path)),
      files_interval_(intervalOf(files_interval)) {}

std::vector<PolicyRecord> RunDatabase::policies() {
  const FileSizeSignalBlock block;
  std::vector<PolicyRecord> known;
  runsToItsEnd([&] {
    Result<std::vector<PolicyRecord>> read =
        open() ? database_->policies(run_.environment, run_.program) : policiesOf(path_, lock_patience_);
    if (isOk(read.status())) known = std::move(read).value();
  });
  return known;
}

std::vector<PolicyRecord> RunDatabase::policiesToStartFrom(std::span<const PolicyRecord> own) const {
  std::vector<PolicyRecord> found;
  if (start_path_.empty()) return found;
  runsToItsEnd([&] {
    Result<std::vector<PolicyRecord>> read = policiesOf(start_path_, kStartPatience);
    if (!read.isOk()) {
      logOnce(LogLevel::kWarning, "start database",
              namingStartDatabase(read.status().message()) + "; its policies are not used");
      return;
    }
    std::set<decltype(own.front().kind())> known;
    for (const PolicyRecord& policy : own) known.insert(policy.kind());
    found = std::move(read).value();
    std::erase_if(found, [&known](const PolicyRecord& policy) { return known.contains(policy.kind()); });
  });
  return found;
}

Result<std::vector<PolicyRecord>> RunDatabase::policiesOf(const std::string& path, Seconds lock_patience) const {
  const Result<Reader> reader = Reader::open(path, lock_patience);
  if (!reader.isOk()) return reader.status();
  return reader.value().policies(run_.environment, run_.program);
}

bool RunDatabase::write(const Batch& batch) {
  const FileSizeSignalBlock block;
  bool is_written = false;
  runsToItsEnd([&] { is_written = open() && isOk(database_->write(run_.id, batch)); });
  return is_written;
}

bool RunDatabase::finish(const std::optional<Seconds>& lasted, const BesideKeys& beside_keys) {
  const FileSizeSignalBlock block;
  bool is_finished = false;
  runsToItsEnd([&] { is_finished = open() && isOk(database_->finishRun(run_.id, lasted, beside_keys)); });
  return is_finished;
}

bool RunDatabase::open() {
  if (!database_) {
    Result<Database> opened = Database::open(path_, lock_patience_);
    if (!isOk(opened.status())) return false;
    database_.emplace(std::move(opened).value());
  }
  if (!run_begun_) {
    run_begun_ = isOk(database_->beginRun(run_));
    if (run_begun_) openSpool();
  }
  return run_begun_;
}

void RunDatabase::openSpool() {
  if (path_ == ":memory:") return;
  Result<Spool> opened = Spool::open(path_, run_.id);
  if (opened.isOk()) {
    spool_.emplace(std::move(opened).value());
  } else {
    logOnce(
        LogLevel::kWarning, "spool",
        opened.status().message() + "; what ranks learn whose records cannot reach rank 0 is stored at the end only");
  }
}

Spool::Deliver RunDatabase::delivery(const Prepare& prepare) {
  return [this, &prepare](const std::string& run_id, const Batch& batch) {
    return (!prepare || prepare()) && isOk(database_->write(run_id, batch));
  };
}

void RunDatabase::takeFiles(const Prepare& prepare) {
  const auto now = std::chrono::steady_clock::now();
  next_files_ = now + files_interval_;
  const bool wants_leftovers = now >= next_leftovers_;
  if (wants_leftovers) next_leftovers_ = now + kLeftoversInterval;
  const FileSizeSignalBlock block;
  runsToItsEnd([&] {
    if (!spool_) return;
    spool_->take(delivery(prepare));
    if (wants_leftovers) spool_->takeLeftovers(delivery(prepare));
  });
}

void RunDatabase::takeLastFiles(const Prepare& prepare) {
  const FileSizeSignalBlock block;
  runsToItsEnd([&] {
    if (!spool_) return;
    spool_->takeAll(delivery(prepare));
    spool_.reset();
  });
}

bool RunDatabase::isOk(const Status& status) {
  if (status.isOk()) return true;
  logOnce(LogLevel::kWarning, "database",
          status.message() + "; the program runs on, what it teaches may not be stored");
  return false;
}

}  // namespace starling
