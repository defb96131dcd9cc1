#include "store/background_writer.h"

#include <chrono>
#include <csignal>

#include "base/log.h"

namespace starling {
namespace {

// Batches that wait while the database cannot be written; beyond that the figures of the oldest go.
constexpr std::size_t kLongestQueue = 1024;
constexpr std::chrono::seconds kRetryInterval{1};
constexpr Seconds kLockPatience{1.0};
// Failures in a row after which finish() gives up: a fault that outlasts them does not pass.
constexpr int kMostFailuresAtTheEnd = 3;

std::chrono::duration<double> durationOf(Seconds seconds) { return std::chrono::duration<double>(seconds.value); }

}  // namespace

BackgroundWriter::BackgroundWriter(std::string path, Run run, WriterThread thread)
    : path_(std::move(path)), run_(std::move(run)), writer_thread_(thread) {
  if (writer_thread_ == WriterThread::kCallers) {
    readPolicies();
    return;
  }
  // The program's signals are the program's: its handlers never run on this thread.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread([this] { work(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

BackgroundWriter::~BackgroundWriter() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

std::vector<PolicyRecord> BackgroundWriter::policies(Seconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, durationOf(patience), [this] { return policies_read_; });
  return policies_;
}

void BackgroundWriter::push(Batch batch) {
  if (batch.isEmpty()) return;
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(batch));
  if (queue_.size() > kLongestQueue) dropOldest();
  // A fault is tried again by a later push; the program is not to wait for it each time.
  const bool is_due = failures_ == 0 || std::chrono::steady_clock::now() >= next_try_;
  if (writer_thread_ == WriterThread::kCallers && is_due) writeQueue();
  changed_.notify_all();
}

void BackgroundWriter::writeQueue() {
  failures_ = 0;
  while (!queue_.empty() && failures_ == 0) {
    if (write(queue_.front())) {
      queue_.erase(queue_.begin());
    } else {
      ++failures_;
      next_try_ = std::chrono::steady_clock::now() + kRetryInterval;
    }
  }
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
  if (writer_thread_ == WriterThread::kCallers) {
    writeQueue();
    return queue_.empty();
  }
  changed_.wait_for(lock, durationOf(patience), [this] { return queue_.empty() && !busy_; });
  return queue_.empty() && !busy_;
}

bool BackgroundWriter::finish(Seconds patience) {
  std::unique_lock lock(mutex_);
  if (writer_thread_ == WriterThread::kCallers) {
    writeQueue();
    finished_ = queue_.empty() && markFinished();
    ended_ = true;
    return finished_;
  }
  failures_ = 0;
  finishing_ = true;
  changed_.notify_all();
  const bool ended = changed_.wait_for(lock, durationOf(patience), [this] { return ended_; });
  if (!ended) {
    ending_ = true;
    changed_.notify_all();
  }
  return ended && finished_;
}

bool BackgroundWriter::hasEnded() {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void BackgroundWriter::work() {
  readPolicies();
  std::unique_lock lock(mutex_);
  while (!ending_) {
    if (failures_ > 0) {
      changed_.wait_for(lock, kRetryInterval, [this] { return ending_; });
    } else {
      changed_.wait(lock, [this] { return ending_ || finishing_ || !queue_.empty(); });
    }
    if (finishing_ && (queue_.empty() || failures_ >= kMostFailuresAtTheEnd)) break;
    if (ending_ || queue_.empty()) continue;
    const Batch batch = queue_.front();
    busy_ = true;
    lock.unlock();
    const bool written = write(batch);
    lock.lock();
    busy_ = false;
    failures_ = written ? 0 : failures_ + 1;
    if (written) queue_.erase(queue_.begin());
    changed_.notify_all();
  }
  const bool all_written = queue_.empty();
  lock.unlock();
  const bool finished = all_written && markFinished();
  lock.lock();
  finished_ = finished;
  ended_ = true;
  changed_.notify_all();
}

bool BackgroundWriter::markFinished() {
  if (!openDatabase()) return false;
  const Status status = database_->finishRun(run_.id);
  if (!status.isOk()) warn(status);
  return status.isOk();
}

void BackgroundWriter::readPolicies() {
  std::vector<PolicyRecord> known;
  if (openDatabase()) {
    Result<std::vector<PolicyRecord>> read = database_->policies(run_.environment, run_.program);
    if (!read.isOk()) warn(read.status());
    if (read.isOk()) known = std::move(read).value();
  }
  const std::lock_guard lock(mutex_);
  policies_ = std::move(known);
  policies_read_ = true;
  changed_.notify_all();
}

bool BackgroundWriter::write(const Batch& batch) {
  if (!openDatabase()) return false;
  const Status status = database_->write(run_.id, batch);
  if (!status.isOk()) warn(status);
  return status.isOk();
}

bool BackgroundWriter::openDatabase() {
  if (!database_) {
    Result<Database> opened = Database::open(path_, writer_thread_ == WriterThread::kOwn ? kLockPatience : Seconds{});
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
