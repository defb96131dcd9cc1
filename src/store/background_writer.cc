#include "store/background_writer.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <exception>
#include <iterator>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/log.h"
#include "store/reader.h"

namespace starling {
namespace {

// At most so many batches wait while the database cannot be written; beyond that the figures of the oldest go.
constexpr std::size_t kLongestQueue = 1024;
// Those that wait are written together, since a write takes most of its time for being safe on the disk; but not so
// many that other processes would wait long for the lock.
constexpr std::size_t kMostJoined = 64;
constexpr std::chrono::milliseconds kRetryInterval{1000};
// A program that ends is not held up by what does not pass; for locks each try waits by itself.
constexpr std::chrono::milliseconds kRetryIntervalAtTheEnd{20};
constexpr Seconds kLockPatience{1.0};
constexpr std::chrono::seconds kLeftoversInterval{60};
// After so many failures in a row finish() gives up: a fault that outlasts them does not pass.
constexpr int kMaxFailuresAtTheEnd = 3;

std::chrono::duration<double> durationOf(Seconds seconds) { return std::chrono::duration<double>(seconds.value); }

// Returns how long this thread has had a processor.
Seconds processorTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return Seconds{static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec)};
}

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

// Takes what is older into the records, before them.
template <typename Records>
void inherit(Records& records, Records& older) {
  records.insert(records.begin(), std::make_move_iterator(older.begin()), std::make_move_iterator(older.end()));
  older.clear();
}

// Does so with those that have another identity, `identity_of(record)`.
template <typename Records, typename IdentityOf>
void inheritOthers(Records& records, Records& older, const IdentityOf& identity_of) {
  std::set<decltype(identity_of(records.front()))> renewed;
  for (const auto& record : records) renewed.insert(identity_of(record));
  std::erase_if(older, [&](const auto& record) { return renewed.contains(identity_of(record)); });
  inherit(records, older);
}

}  // namespace

template <typename Action>
bool BackgroundWriter::succeeds(Action action) {
  const FileSizeSignalBlock block;
  try {
    if constexpr (std::is_void_v<decltype(action())>) {
      action();
      return true;
    } else {
      return action();
    }
  } catch (const std::exception&) {
    logOnce(LogLevel::kWarning, "database",
            "memory is short: the program runs on, what it teaches may not be stored; free some memory");
    return false;
  }
}

BackgroundWriter::BackgroundWriter(std::string path, Run run, WriterThread thread, Seconds interval,
                                   ThreadStarter start)
    : path_(std::move(path)),
      run_(std::move(run)),
      writer_thread_(thread),
      interval_(durationOf(interval)),
      pace_(interval) {
  if (writer_thread_ == WriterThread::kOwn) startWork(start);
  if (writer_thread_ == WriterThread::kCallers) readPolicies();
}

void BackgroundWriter::startWork(ThreadStarter start) {
  succeeds([&] {
    Result<std::thread> started = start([this] { work(); });
    if (started.isOk()) {
      thread_ = std::move(started).value();
      return;
    }
    logOnce(LogLevel::kWarning, "writer thread",
            "cannot start a thread to write " + path_ + ": " + started.status().message() +
                "; calls of the program write in its place, which can delay them; raise the limit of processes "
                "(`ulimit -u`), or set STARLING_WRITER=inline if that is meant");
  });
  if (!thread_.joinable()) writer_thread_ = WriterThread::kCallers;
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
  succeeds([&] { known = policies_; });
  return known;
}

void BackgroundWriter::push(Batch batch) {
  if (batch.isEmpty()) return;
  const std::lock_guard lock(mutex_);
  succeeds([&] {
    if (spare_.empty()) spare_.emplace_back();
    spare_.front() = std::move(batch);
    queue_.splice(queue_.end(), spare_);
    if (queue_.size() > kLongestQueue) dropOldest();
    spare_.emplace_back();
  });
  // A fault is tried again by a later push; the program is not to wait for it each time.
  const bool is_due = failures_ == 0 || std::chrono::steady_clock::now() >= next_try_;
  if (writer_thread_ == WriterThread::kCallers && is_due) {
    writeQueue();
    if (failures_ == 0 && filesAreDue()) takeFiles(false);
  }
  changed_.notify_all();
}

void BackgroundWriter::writeQueue() {
  bool may_join = failures_ == 0;
  failures_ = 0;
  while (!queue_.empty() && failures_ == 0) {
    if (may_join) joinWaiting();
    may_join = true;
    if (write(queue_.front())) {
      queue_.pop_front();
    } else {
      ++failures_;
      next_try_ = std::chrono::steady_clock::now() + kRetryInterval;
    }
  }
}

// What waits behind a fault stays apart, so that the oldest can be dropped.
void BackgroundWriter::joinWaiting() {
  succeeds([&] {
    for (std::size_t joined = 1; joined < kMostJoined && queue_.size() > 1; ++joined) {
      queue_.front().append(std::move(*std::next(queue_.begin())));
      queue_.erase(std::next(queue_.begin()));
    }
  });
}

// Loses the figures of a batch, but not the communicators and sites that later ones refer to, nor the state of keys and
// the policies that no later one renews. The first batch stays: the thread may be writing it.
void BackgroundWriter::dropOldest() {
  const auto oldest = std::next(queue_.begin());
  const auto heir = std::next(oldest);
  inherit(heir->communicators, oldest->communicators);
  inherit(heir->sites, oldest->sites);
  inheritOthers(heir->keys, oldest->keys, [](const KeyRecord& key) { return std::tie(key.id); });
  inheritOthers(heir->policies, oldest->policies, [](const PolicyRecord& policy) {
    return std::tie(policy.site, policy.communicator_size, policy.size_class, policy.type, policy.operation);
  });
  queue_.erase(oldest);
}

bool BackgroundWriter::flush(Seconds patience) {
  std::unique_lock lock(mutex_);
  if (writer_thread_ == WriterThread::kCallers) {
    writeQueue();
    return queue_.empty();
  }
  ++flushes_;
  changed_.notify_all();
  changed_.wait_for(lock, durationOf(patience), [this] { return queue_.empty() && !busy_; });
  --flushes_;
  return queue_.empty() && !busy_;
}

bool BackgroundWriter::finish(Seconds patience, const std::optional<Seconds>& lasted, const BesideKeys& beside_keys) {
  std::unique_lock lock(mutex_);
  lasted_ = lasted;
  beside_keys_ = beside_keys;
  if (writer_thread_ == WriterThread::kCallers) {
    writeQueue();
    if (queue_.empty()) takeFiles(true);
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
      const bool was_finishing = finishing_;
      const auto pause = was_finishing ? kRetryIntervalAtTheEnd : kRetryInterval;
      changed_.wait_for(lock, pause, [&] { return ending_ || finishing_ != was_finishing; });
    } else {
      const auto until = queue_.empty() ? next_files_ : std::min(next_files_, pace_.next());
      changed_.wait_until(lock, until, [&] {
        const bool is_due_before = !queue_.empty() && pace_.next() < until;
        return ending_ || finishing_ || is_due_before || isWriteDue();
      });
    }
    if (failures_ == 0 && !ending_ && !finishing_ && filesAreDue()) {
      lock.unlock();
      takeFiles(false);
      lock.lock();
      if (failures_ > 0) continue;
    }
    if (finishing_ && (queue_.empty() || failures_ >= kMaxFailuresAtTheEnd)) break;
    if (ending_ || queue_.empty() || (failures_ == 0 && !finishing_ && !isWriteDue())) continue;
    static_cast<void>(writeFirst(lock));
  }
  const bool all_written = queue_.empty();
  const bool is_hurried = ending_;
  lock.unlock();
  if (all_written && !is_hurried) takeFiles(true);
  const bool finished = all_written && markFinished();
  lock.lock();
  finished_ = finished;
  ended_ = true;
  changed_.notify_all();
}

bool BackgroundWriter::writeFirst(std::unique_lock<std::mutex>& lock) {
  if (failures_ == 0) joinWaiting();
  const Batch& batch = queue_.front();
  busy_ = true;
  lock.unlock();
  const Seconds before = processorTime();
  const bool written = write(batch);
  const Seconds after = processorTime();
  lock.lock();
  pace_.noteWrite(WritePace::Clock::now(), after - before);
  busy_ = false;
  failures_ = written ? 0 : failures_ + 1;
  if (written) queue_.pop_front();
  changed_.notify_all();
  return written;
}

bool BackgroundWriter::writeAllThatWaits() {
  std::unique_lock lock(mutex_);
  while (!queue_.empty()) {
    if (!writeFirst(lock)) return false;
  }
  return true;
}

// Many batches do not wait, since those that wait are bounded.
bool BackgroundWriter::isWriteDue() const {
  if (queue_.empty()) return false;
  return flushes_ > 0 || queue_.size() >= kMostJoined || WritePace::Clock::now() >= pace_.next();
}

bool BackgroundWriter::markFinished() {
  return succeeds([&] {
    if (!openDatabase()) return false;
    const Status status = database_->finishRun(run_.id, lasted_, beside_keys_);
    if (!status.isOk()) warn(status);
    return status.isOk();
  });
}

void BackgroundWriter::readPolicies() {
  std::vector<PolicyRecord> known;
  succeeds([&] {
    Result<std::vector<PolicyRecord>> read =
        openDatabase() ? database_->policies(run_.environment, run_.program) : policiesOfFile();
    if (!read.isOk()) {
      warn(read.status());
      return false;
    }
    known = std::move(read).value();
    return true;
  });
  const std::lock_guard lock(mutex_);
  policies_ = std::move(known);
  policies_read_ = true;
  changed_.notify_all();
}

Result<std::vector<PolicyRecord>> BackgroundWriter::policiesOfFile() const {
  const Result<Reader> reader = Reader::open(path_, lockPatience());
  if (!reader.isOk()) return reader.status();
  return reader.value().policies(run_.environment, run_.program);
}

bool BackgroundWriter::write(const Batch& batch) {
  return succeeds([&] {
    if (!openDatabase()) return false;
    const Status status = database_->write(run_.id, batch);
    if (!status.isOk()) warn(status);
    return status.isOk();
  });
}

// The program itself does not wait for a lock.
Seconds BackgroundWriter::lockPatience() const {
  return writer_thread_ == WriterThread::kOwn ? kLockPatience : Seconds{};
}

bool BackgroundWriter::openDatabase() {
  if (!database_) {
    Result<Database> opened = Database::open(path_, lockPatience());
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
    if (run_begun_) openSpool();
  }
  return run_begun_;
}

void BackgroundWriter::openSpool() {
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

void BackgroundWriter::takeFiles(bool at_the_end) {
  const auto now = std::chrono::steady_clock::now();
  next_files_ = now + std::chrono::duration_cast<std::chrono::steady_clock::duration>(interval_);
  const bool wants_leftovers = now >= next_leftovers_;
  if (wants_leftovers) next_leftovers_ = now + kLeftoversInterval;
  succeeds([&] {
    if (!spool_) return;
    const auto deliver = [this](const std::string& run_id, const Batch& batch) {
      // What came by messages came before, and files may refer to it. Callers that write have done so.
      if (writer_thread_ == WriterThread::kOwn && !writeAllThatWaits()) return false;
      const Status written = database_->write(run_id, batch);
      if (!written.isOk()) warn(written);
      return written.isOk();
    };
    if (at_the_end) {
      spool_->takeAll(deliver);
      spool_.reset();
    } else {
      spool_->take(deliver);
      if (wants_leftovers) spool_->takeLeftovers(deliver);
    }
  });
}

void BackgroundWriter::warn(const Status& status) {
  logOnce(LogLevel::kWarning, "database",
          status.message() + "; the program runs on, what it teaches may not be stored");
}

}  // namespace starling
