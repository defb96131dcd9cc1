#include "mpi/exchange/handoff.h"

#include <array>
#include <iterator>
#include <memory>
#include <new>

#include "base/log.h"
#include "store/codec.h"

namespace starling {
namespace {

constexpr int kRecordTag = 1;
constexpr std::size_t kMaxUnderWay = 4;
constexpr std::size_t kManyWaiting = 16;
constexpr std::size_t kMaxWaiting = 256;
constexpr int kMaxPerPoll = 64;

void warnOfLoss() { logOnce(LogLevel::kWarning, "loss", "memory is short: some of what was learned is not stored"); }

}  // namespace

Handoff::Handoff(MPI_Comm private_world, const Clock& clock, Seconds patience, std::function<void(Batch)> deliver)
    : world_(private_world), clock_(clock), patience_(patience), deliver_(std::move(deliver)) {
  PMPI_Comm_rank(world_, &rank_);
  PMPI_Comm_size(world_, &ranks_);
  if (rank_ != 0) return;
  received_.resize(static_cast<std::size_t>(ranks_), 0);
  sent_by_rank_.resize(2 * static_cast<std::size_t>(ranks_), 0);
}

void Handoff::send(Batch batch) {
  if (batch.isEmpty()) return;
  if (rank_ == 0) {
    deliver_(std::move(batch));
    return;
  }
  const std::lock_guard lock(mutex_);
  if (has_lost_) return;
  if (waiting_.size() == kMaxWaiting) {
    logOnce(LogLevel::kWarning, "handoff",
            "rank 0 of MPI_COMM_WORLD, which writes the tuning database, takes no records, since it makes no tuned "
            "calls; some of what other ranks learn is lost");
    return;
  }
  try {
    waiting_.emplace_back();
  } catch (const std::bad_alloc&) {
    has_lost_ = true;
    warnOfLoss();
    return;
  }
  waiting_.back().batch = std::move(batch);
  startWaiting(kMaxUnderWay);
}

bool Handoff::isFull() {
  const std::lock_guard lock(mutex_);
  return waiting_.size() >= kManyWaiting;
}

bool Handoff::isStuck() {
  const std::lock_guard lock(mutex_);
  clearTaken();
  return !under_way_.empty() && clock_.now() - under_way_.front().started > patience_;
}

std::list<Batch> Handoff::takeUndelivered() {
  const std::lock_guard lock(mutex_);
  clearTaken();
  std::list<Batch> batches;
  for (const Message& message : under_way_) batches.push_back(message.batch);
  rerouted_ = static_cast<int>(under_way_.size());
  for (Message& message : waiting_) batches.push_back(std::move(message.batch));
  waiting_.clear();
  return batches;
}

void Handoff::clearTaken() {
  for (auto message = under_way_.begin(); message != under_way_.end();) {
    int complete = 0;
    PMPI_Test(&message->request, &complete, MPI_STATUS_IGNORE);
    message = complete != 0 ? under_way_.erase(message) : std::next(message);
  }
}

// Rank 0 has to take each message before it is complete (MPI_Issend): of others MPI would keep any number there.
void Handoff::startWaiting(std::size_t most_under_way) {
  clearTaken();
  while (!waiting_.empty() && under_way_.size() < most_under_way) {
    under_way_.splice(under_way_.end(), waiting_, waiting_.begin());
    Message& message = under_way_.back();
    try {
      message.bytes = encodeBatch(message.batch);
    } catch (const std::bad_alloc&) {
      waiting_.splice(waiting_.begin(), under_way_, std::prev(under_way_.end()));
      return;
    }
    message.started = clock_.now();
    PMPI_Issend(message.bytes.data(), static_cast<int>(message.bytes.size()), MPI_BYTE, 0, kRecordTag, world_,
                &message.request);
    ++sent_;
  }
}

void Handoff::poll() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;  // another thread is at it
  if (rank_ != 0) {
    startWaiting(kMaxUnderWay);
    return;
  }
  for (int taken = 0; taken < kMaxPerPoll; ++taken) {
    int found = 0;
    MPI_Status status;
    // Messages of any source are taken, because only the ranks themselves know whether they are roots of a
    // communicator. What comes is records, never user data, on a communicator of their own.
    PMPI_Iprobe(MPI_ANY_SOURCE, kRecordTag, world_, &found, &status);
    if (found == 0) return;
    receive(status, true);
  }
}

// Receives the message that was found: the caller holds the mutex, and nothing else receives on this communicator.
void Handoff::receive(const MPI_Status& found, bool counts) {
  const int source = found.MPI_SOURCE;
  int bytes = 0;
  PMPI_Get_count(&found, MPI_BYTE, &bytes);
  // Its sender waits for it: where memory is too short it is taken all the same, without its content.
  const std::unique_ptr<std::uint8_t[]> buffer(new (std::nothrow) std::uint8_t[static_cast<std::size_t>(bytes)]);
  PMPI_Recv(buffer.get(), buffer ? bytes : 0, MPI_BYTE, source, kRecordTag, world_, MPI_STATUS_IGNORE);
  ++received_[static_cast<std::size_t>(source)];
  if (!counts) return;
  try {
    if (!buffer) throw std::bad_alloc();
    Result<Batch> batch = decodeBatch({buffer.get(), static_cast<std::size_t>(bytes)});
    if (batch.isOk()) {
      deliver_(std::move(batch).value());
    } else {
      logOnce(LogLevel::kWarning, "handoff",
              "records of rank " + std::to_string(source) + " are lost: " + batch.status().message());
    }
  } catch (const std::bad_alloc&) {
    warnOfLoss();
  }
}

void Handoff::finish() {
  const std::lock_guard lock(mutex_);
  startWaiting(waiting_.size() + under_way_.size());
  if (!waiting_.empty()) warnOfLoss();
  waiting_.clear();
  const std::array<int, 2> sent{sent_, sent_ - rerouted_};
  PMPI_Gather(sent.data(), 2, MPI_INT, sent_by_rank_.data(), 2, MPI_INT, 0, world_);
  if (rank_ == 0) receiveRest();
  for (Message& message : under_way_) PMPI_Wait(&message.request, MPI_STATUS_IGNORE);
  under_way_.clear();
}

void Handoff::receiveRest() {
  for (int source = 1; source < ranks_; ++source) {
    const auto index = static_cast<std::size_t>(source);
    while (received_[index] < sent_by_rank_[2 * index]) {
      MPI_Status status;
      PMPI_Probe(source, kRecordTag, world_, &status);
      receive(status, received_[index] < sent_by_rank_[2 * index + 1]);
    }
  }
}

}  // namespace starling
