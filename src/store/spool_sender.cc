#include "store/spool_sender.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <exception>
#include <utility>

#include "store/codec.h"
#include "store/spool.h"

namespace starling {
namespace {

constexpr std::size_t kMaxWaiting = 16;
constexpr std::chrono::seconds kRetryInterval{1};
// After so many failures in a row finish() gives up: a fault that outlasts them does not pass.
constexpr int kMaxFailuresAtTheEnd = 3;

std::chrono::duration<double> durationOf(Seconds seconds) { return std::chrono::duration<double>(seconds.value); }

// Host and process number tell processes apart, and the time tells those apart that had the same number one after the
// other.
std::string nameOfThisProcess() {
  std::array<char, 64> host{};
  ::gethostname(host.data(), host.size() - 1);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return fmt::format("{}-{}-{:x}", spoolFolderName(host.data()), ::getpid(), now.count());
}

// Returns whether the spool takes `more` bytes in another file.
bool hasRoom(const PrivateFolder& folder, std::uint64_t more) {
  std::uint64_t bytes = more;
  const auto files = folder.list();
  for (const PrivateFolder::File& file : files) bytes += file.bytes;
  return bytes <= kMaxSpoolBytes && files.size() < kMaxSpoolFiles;
}

}  // namespace

SpoolSender::SpoolSender(std::string database, std::string run_id, ThreadStarter start)
    : database_(std::move(database)), run_id_(std::move(run_id)), sender_(nameOfThisProcess()), start_(start) {}

SpoolSender::~SpoolSender() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

bool SpoolSender::startWork() {
  if (thread_.joinable()) return true;
  if (refused_ || ended_) return false;
  try {
    Result<std::thread> started = start_([this] { work(); });
    if (started.isOk()) thread_ = std::move(started).value();
  } catch (const std::exception&) {  // memory is short
  }
  refused_ = !thread_.joinable();
  return !refused_;
}

bool SpoolSender::isThere(Seconds patience) {
  std::unique_lock lock(mutex_);
  if (is_there_ || finishing_ || !startWork()) return is_there_;
  look_wanted_ = true;
  changed_.notify_all();
  changed_.wait_for(lock, durationOf(patience), [this] { return !look_wanted_ || ended_; });
  return is_there_;
}

bool SpoolSender::isFull() {
  const std::lock_guard lock(mutex_);
  return queue_.size() >= kMaxWaiting;
}

bool SpoolSender::push(Batch&& batch) {
  if (batch.isEmpty()) return true;
  const std::lock_guard lock(mutex_);
  if (finishing_ || queue_.size() >= kMaxWaiting || !startWork()) return false;
  if (!is_there_) {
    look_wanted_ = true;
    changed_.notify_all();
    return false;
  }
  try {
    queue_.emplace_back();
  } catch (const std::exception&) {  // memory is short
    return false;
  }
  queue_.back() = std::move(batch);
  changed_.notify_all();
  return true;
}

bool SpoolSender::finish(Seconds patience) {
  std::unique_lock lock(mutex_);
  failures_ = 0;
  finishing_ = true;
  changed_.notify_all();
  if (!thread_.joinable()) ended_ = true;
  const bool ended = changed_.wait_for(lock, durationOf(patience), [this] { return ended_; });
  if (!ended) {
    ending_ = true;
    changed_.notify_all();
  }
  return ended && queue_.empty();
}

bool SpoolSender::hasEnded() {
  const std::lock_guard lock(mutex_);
  return ended_ || !thread_.joinable();
}

void SpoolSender::work() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    if (failures_ > 0) {
      changed_.wait_for(lock, kRetryInterval, [this] { return ending_; });
    } else {
      changed_.wait(lock, [this] { return ending_ || finishing_ || look_wanted_ || !queue_.empty(); });
    }
    if (finishing_ && (queue_.empty() || failures_ >= kMaxFailuresAtTheEnd)) break;
    if (ending_) break;
    if (look_wanted_ || !is_there_) {
      lock.unlock();
      const bool is_there = look();
      lock.lock();
      is_there_ = is_there;
      look_wanted_ = false;
      changed_.notify_all();
    }
    if (queue_.empty()) continue;
    const Batch& batch = queue_.front();
    lock.unlock();
    const bool written = write(batch);
    lock.lock();
    failures_ = written ? 0 : failures_ + 1;
    if (written) queue_.pop_front();
    is_there_ = folder_.has_value();
    changed_.notify_all();
  }
  ended_ = true;
  changed_.notify_all();
}

bool SpoolSender::look() {
  if (folder_ && folder_->isStillThere()) return true;
  folder_.reset();
  try {
    const Result<std::string> path = spoolPath(database_);
    if (!path.isOk()) return false;
    const Result<PrivateFolder> spool = PrivateFolder::open(path.value(), PrivateFolder::Missing::kRefuse);
    if (!spool.isOk()) return false;
    Result<PrivateFolder> own = spool.value().openInside(spoolFolderName(run_id_), PrivateFolder::Missing::kRefuse);
    if (own.isOk()) folder_.emplace(std::move(own).value());
  } catch (const std::exception&) {  // memory is short
  }
  return folder_.has_value();
}

bool SpoolSender::write(const Batch& batch) {
  try {
    if (!look()) return false;
    const std::vector<std::uint8_t> bytes = encodeBatch(batch);
    // Numbers have one width, because the writer takes files by name.
    const std::string name = fmt::format("{}-{:012}", sender_, written_);
    if (!hasRoom(*folder_, bytes.size()) || !folder_->write(name, bytes).isOk()) return false;
    ++written_;
    return true;
  } catch (const std::exception&) {  // memory is short
    return false;
  }
}

}  // namespace starling
