#include "mpi/handoff.h"

#include "base/log.h"
#include "store/codec.h"

namespace starling {
namespace {

constexpr int kTag = 1;
constexpr std::size_t kMostUnderWay = 4;
constexpr std::size_t kMostWaiting = 16;
constexpr int kMostPerPoll = 64;

}  // namespace

Handoff::Handoff(MPI_Comm private_world, std::function<void(Batch)> deliver)
    : world_(private_world), deliver_(std::move(deliver)) {
  PMPI_Comm_rank(world_, &rank_);
  PMPI_Comm_size(world_, &ranks_);
  if (rank_ == 0) received_.resize(static_cast<std::size_t>(ranks_), 0);
}

void Handoff::send(const Batch& batch) {
  if (batch.isEmpty()) return;
  if (rank_ == 0) {
    deliver_(batch);
    return;
  }
  const std::lock_guard lock(mutex_);
  waiting_.emplace_back().bytes = encodeBatch(batch);
  startWaiting(kMostUnderWay);
}

bool Handoff::isFull() {
  const std::lock_guard lock(mutex_);
  return waiting_.size() >= kMostWaiting;
}

void Handoff::startWaiting(std::size_t most_under_way) {
  for (auto message = under_way_.begin(); message != under_way_.end();) {
    int complete = 0;
    PMPI_Test(&message->request, &complete, MPI_STATUS_IGNORE);
    message = complete != 0 ? under_way_.erase(message) : std::next(message);
  }
  while (!waiting_.empty() && under_way_.size() < most_under_way) {
    under_way_.splice(under_way_.end(), waiting_, waiting_.begin());
    Message& message = under_way_.back();
    PMPI_Isend(message.bytes.data(), static_cast<int>(message.bytes.size()), MPI_BYTE, 0, kTag, world_,
               &message.request);
    ++sent_;
  }
}

void Handoff::poll() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;  // another thread is at it
  if (rank_ != 0) {
    startWaiting(kMostUnderWay);
    return;
  }
  for (int taken = 0; taken < kMostPerPoll; ++taken) {
    int found = 0;
    MPI_Status status;
    // Any source: these are records, never user data, on a communicator of their own; which ranks are roots of some
    // communicator only they know.
    PMPI_Iprobe(MPI_ANY_SOURCE, kTag, world_, &found, &status);
    if (found == 0) return;
    receive(status);
  }
}

// The caller holds the mutex, and nothing else receives on this communicator: the next message is the one found.
void Handoff::receive(const MPI_Status& found) {
  const int source = found.MPI_SOURCE;
  int bytes = 0;
  PMPI_Get_count(&found, MPI_BYTE, &bytes);
  std::vector<std::uint8_t> buffer(static_cast<std::size_t>(bytes));
  PMPI_Recv(buffer.data(), bytes, MPI_BYTE, source, kTag, world_, MPI_STATUS_IGNORE);
  ++received_[static_cast<std::size_t>(source)];
  Result<Batch> batch = decodeBatch(buffer);
  if (batch.isOk()) {
    deliver_(std::move(batch).value());
  } else {
    logOnce(LogLevel::kWarning, "handoff",
            "records of rank " + std::to_string(source) + " are lost: " + batch.status().message());
  }
}

void Handoff::finish() {
  const std::lock_guard lock(mutex_);
  startWaiting(waiting_.size() + under_way_.size());
  std::vector<int> sent_by_rank(rank_ == 0 ? static_cast<std::size_t>(ranks_) : 0);
  PMPI_Gather(&sent_, 1, MPI_INT, sent_by_rank.data(), 1, MPI_INT, 0, world_);
  if (rank_ == 0) receiveRest(sent_by_rank);
  for (Message& message : under_way_) PMPI_Wait(&message.request, MPI_STATUS_IGNORE);
  under_way_.clear();
}

void Handoff::receiveRest(const std::vector<int>& sent_by_rank) {
  for (int source = 1; source < ranks_; ++source) {
    const auto index = static_cast<std::size_t>(source);
    while (received_[index] < sent_by_rank[index]) {
      MPI_Status status;
      PMPI_Probe(source, kTag, world_, &status);
      receive(status);
    }
  }
}

}  // namespace starling
