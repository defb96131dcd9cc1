#include "store/background_writer.h"

#include <chrono>
#include <csignal>
#include <iterator>

#include "base/log.h"

namespace starling {
namespace {

// Batches that wait while the database cannot be written; beyond that the figures of the oldest go.
constexpr std::size_t kLongestQueue = 1024;
constexpr std::chrono::seconds kRetryInterval{1};
constexpr Seconds kLockPatience{1.0};

std::chrono::duration<double> durationOf(Seconds seconds) { return std::chrono::duration<double>(seconds.value); }

}  // namespace

BackgroundWriter::BackgroundWriter(std::string path, Run run, std::optional<Database> database)
    : path_(std::move(path)), run_(std::move(run)), database_(std::move(database)) {
  // The program's signals are the program's: its handlers never run on this thread.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread([this] { work(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

BackgroundWriter::~BackgroundWriter() {
  if (thread_.joinable()) finish(Seconds{});
}

void BackgroundWriter::push(Batch batch) {
  if (batch.isEmpty()) return;
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(batch));
  if (queue_.size() > kLongestQueue) dropOldest();
  changed_.notify_all();
}

// Loses the figures of a batch, but not the communicators and sites that later ones refer to. The first batch stays:
// the thread may be at it.
void BackgroundWriter::dropOldest() {
  const Batch oldest = std::move(queue_[1]);
  queue_.erase(queue_.begin() + 1);
  Batch& heir = queue_[1];
  heir.communicators.insert(heir.communicators.begin(), oldest.communicators.begin(), oldest.communicators.end());
  heir.sites.insert(heir.sites.begin(), oldest.sites.begin(), oldest.sites.end());
}

bool BackgroundWriter::flush(Seconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, durationOf(patience), [this] { return queue_.empty() && !busy_; });
  return queue_.empty() && !busy_;
}

bool BackgroundWriter::finish(Seconds patience) {
  const bool written = flush(patience);
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  return written && finished_;
}

void BackgroundWriter::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto has_work = [this] { return ending_ || !queue_.empty(); };
    if (failed_) {
      changed_.wait_for(lock, kRetryInterval, [this] { return ending_; });
    } else {
      changed_.wait(lock, has_work);
    }
    if (ending_) break;
    if (queue_.empty()) continue;
    const Batch batch = queue_.front();
    busy_ = true;
    lock.unlock();
    const bool written = write(batch);
    lock.lock();
    busy_ = false;
    failed_ = !written;
    if (written) queue_.erase(queue_.begin());
    changed_.notify_all();
  }
  const bool all_written = queue_.empty();
  lock.unlock();
  if (all_written && openDatabase()) {
    const Status status = database_->finishRun(run_.id);
    if (!status.isOk()) warn(status);
    finished_ = status.isOk();
  }
}

bool BackgroundWriter::write(const Batch& batch) {
  if (!openDatabase()) return false;
  const Status status = database_->write(run_.id, batch);
  if (!status.isOk()) warn(status);
  return status.isOk();
}

bool BackgroundWriter::openDatabase() {
  if (!database_) {
    Result<Database> opened = Database::open(path_, kLockPatience);
    if (!opened.isOk()) {
      warn(opened.status());
      return false;
    }
    database_.emplace(std::move(opened).value());
  }
  if (!run_begun_) {
    const Status status = database_->beginRun(run_);
    if (!status.isOk()) warn(status);
    run_begun_ = status.isOk();
  }
  return run_begun_;
}

void BackgroundWriter::warn(const Status& status) {
  logOnce(LogLevel::kWarning, "database",
          status.message() + "; the program runs on, what it teaches may not be stored");
}

}  // namespace starling
