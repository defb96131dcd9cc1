#include "store/background_writer.h"

#include <algorithm>
#include <ctime>
#include <iterator>
#include <utility>

#include "base/log.h"
#include "store/memory_faults.h"

namespace starling {
namespace {

constexpr std::chrono::milliseconds kRetryInterval{1000};
// A program that ends is not held up by what does not pass; for locks each try waits by itself.
constexpr std::chrono::milliseconds kRetryIntervalAtTheEnd{20};
constexpr Seconds kLockPatience{1.0};
// After so many failures in a row finish() gives up: a fault that outlasts them does not pass.
constexpr int kMaxFailuresAtTheEnd = 3;

std::chrono::duration<double> durationOf(Seconds seconds) { return std::chrono::duration<double>(seconds.value); }

// Returns how long this thread has had a processor.
Seconds processorTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return Seconds{static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec)};
}

}  // namespace

// The program itself does not wait for a lock.
BackgroundWriter::BackgroundWriter(std::string path, Run run, WriterThread thread, Seconds interval,
                                   ThreadStarter start, std::string start_path)
    : writer_thread_(thread),
      database_(std::move(path), std::move(run), thread == WriterThread::kOwn ? kLockPatience : Seconds{}, interval,
                std::move(start_path)),
      pace_(interval) {
  if (writer_thread_ == WriterThread::kOwn) startWork(start);
  if (writer_thread_ == WriterThread::kCallers) readPolicies();
}

void BackgroundWriter::startWork(ThreadStarter start) {
  runsToItsEnd([&] {
    Result<std::thread> started = start([this] { work(); });
    if (started.isOk()) {
      thread_ = std::move(started).value();
      return;
    }
    logOnce(LogLevel::kWarning, "writer thread",
            "cannot start a thread to write " + database_.path() + ": " + started.status().message() +
                "; calls of the program write in its place, which can delay them; raise the limit of processes "
                "(`ulimit -u`), or set STARLING_WRITER=inline if that is meant");
  });
  if (thread_.joinable()) return;
  writer_thread_ = WriterThread::kCallers;
  database_.setLockPatience({});
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
  std::vector<PolicyRecord> known;
  runsToItsEnd([&] { known = policies_; });
  return known;
}

void BackgroundWriter::push(Batch batch) {
  if (batch.isEmpty()) return;
  const std::lock_guard lock(mutex_);
  queue_.push(std::move(batch));
  // A fault is tried again by a later push; the program is not to wait for it each time.
  const bool is_due = failures_ == 0 || std::chrono::steady_clock::now() >= next_try_;
  if (writer_thread_ == WriterThread::kCallers && is_due) {
    writeQueue();
    if (failures_ == 0 && database_.filesAreDue()) database_.takeFiles();
  }
  changed_.notify_all();
}

// What waits behind a fault stays apart, so that the oldest can be dropped.
void BackgroundWriter::writeQueue() {
  bool may_join = failures_ == 0;
  failures_ = 0;
  while (!queue_.isEmpty() && failures_ == 0) {
    if (may_join) queue_.joinFirst();
    may_join = true;
    if (database_.write(queue_.first())) {
      queue_.pop();
    } else {
      ++failures_;
      next_try_ = std::chrono::steady_clock::now() + kRetryInterval;
    }
  }
}

bool BackgroundWriter::flush(Seconds patience) {
  std::unique_lock lock(mutex_);
  if (writer_thread_ == WriterThread::kCallers) {
    writeQueue();
    return queue_.isEmpty();
  }
  ++flushes_;
  changed_.notify_all();
  changed_.wait_for(lock, durationOf(patience), [this] { return queue_.isEmpty() && !busy_; });
  --flushes_;
  return queue_.isEmpty() && !busy_;
}

bool BackgroundWriter::finish(Seconds patience, const std::optional<Seconds>& lasted, const BesideKeys& beside_keys) {
  std::unique_lock lock(mutex_);
  lasted_ = lasted;
  beside_keys_ = beside_keys;
  if (writer_thread_ == WriterThread::kCallers) {
    writeQueue();
    if (queue_.isEmpty()) database_.takeLastFiles();
    finished_ = queue_.isEmpty() && database_.finish(lasted_, beside_keys_);
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

// What came by messages came before what comes as files, which may refer to it.
void BackgroundWriter::work() {
  const auto prepare = [this] { return writeAllThatWaits(); };
  readPolicies();
  std::unique_lock lock(mutex_);
  while (!ending_) {
    waitForWork(lock);
    if (failures_ == 0 && !ending_ && !finishing_ && database_.filesAreDue()) {
      lock.unlock();
      database_.takeFiles(prepare);
      lock.lock();
      if (failures_ > 0) continue;
    }
    if (finishing_ && (queue_.isEmpty() || failures_ >= kMaxFailuresAtTheEnd)) break;
    if (ending_ || queue_.isEmpty() || (failures_ == 0 && !finishing_ && !isWriteDue())) continue;
    static_cast<void>(writeFirst(lock));
  }
  const bool all_written = queue_.isEmpty();
  const bool is_hurried = ending_;
  lock.unlock();
  if (all_written && !is_hurried) database_.takeLastFiles(prepare);
  const bool finished = all_written && database_.finish(lasted_, beside_keys_);
  lock.lock();
  finished_ = finished;
  ended_ = true;
  changed_.notify_all();
}

void BackgroundWriter::waitForWork(std::unique_lock<std::mutex>& lock) {
  if (failures_ > 0) {
    const bool was_finishing = finishing_;
    const auto pause = was_finishing ? kRetryIntervalAtTheEnd : kRetryInterval;
    changed_.wait_for(lock, pause, [&] { return ending_ || finishing_ != was_finishing; });
    return;
  }
  const auto files = database_.filesAreDueAt();
  const auto until = queue_.isEmpty() ? files : std::min(files, pace_.next());
  changed_.wait_until(lock, until, [&] {
    const bool is_due_before = !queue_.isEmpty() && pace_.next() < until;
    return ending_ || finishing_ || is_due_before || isWriteDue();
  });
}

bool BackgroundWriter::writeFirst(std::unique_lock<std::mutex>& lock) {
  if (failures_ == 0) queue_.joinFirst();
  const Batch& batch = queue_.first();
  busy_ = true;
  lock.unlock();
  const Seconds before = processorTime();
  const bool written = database_.write(batch);
  const Seconds after = processorTime();
  lock.lock();
  pace_.noteWrite(WritePace::Clock::now(), after - before);
  busy_ = false;
  failures_ = written ? 0 : failures_ + 1;
  if (written) queue_.pop();
  changed_.notify_all();
  return written;
}

bool BackgroundWriter::writeAllThatWaits() {
  std::unique_lock lock(mutex_);
  while (!queue_.isEmpty()) {
    if (!writeFirst(lock)) return false;
  }
  return true;
}

// Many batches do not wait, since those that wait are bounded.
bool BackgroundWriter::isWriteDue() const {
  if (queue_.isEmpty()) return false;
  return flushes_ > 0 || queue_.isLong() || WritePace::Clock::now() >= pace_.next();
}

void BackgroundWriter::readPolicies() {
  std::vector<PolicyRecord> own = database_.policies();
  {
    const std::lock_guard lock(mutex_);
    policies_ = std::move(own);
  }
  // This file may lie where reading takes long. Nobody else changes the policies.
  std::vector<PolicyRecord> others = database_.policiesToStartFrom(policies_);
  const std::lock_guard lock(mutex_);
  runsToItsEnd([&] {
    policies_.insert(policies_.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
  });
  policies_read_ = true;
  changed_.notify_all();
}

}  // namespace starling
