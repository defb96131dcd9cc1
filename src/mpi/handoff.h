// The way of records from the roots of communicators to the one process that writes the database.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <vector>

#include "store/records.h"

namespace starling {

// Bounded, nonblocking messages on the private world communicator, from any rank to rank 0.
// THREADS: send() and poll() may be called from any thread that may call MPI.
class Handoff {
 public:
  // `deliver` is called on rank 0 for each batch.
  Handoff(MPI_Comm private_world, std::function<void(Batch)> deliver);

  // Starts a message to rank 0; on rank 0 itself delivers at once. While too many are under way, batches wait here.
  void send(const Batch& batch);

  // So much waits that more should not be sent yet. Never on rank 0.
  bool isFull();

  // On rank 0: takes what has come, a bounded number of messages. Elsewhere: starts what waits.
  void poll();

  // Collective over the private world communicator: everything sent before is delivered when it returns.
  void finish();

 private:
  struct Message {
    std::vector<std::uint8_t> bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  void startWaiting(std::size_t most_under_way);
  void receive(const MPI_Status& found);
  void receiveRest(const std::vector<int>& sent_by_rank);

  MPI_Comm world_;
  int rank_ = 0;
  int ranks_ = 0;
  std::function<void(Batch)> deliver_;
  std::mutex mutex_;
  std::list<Message> under_way_;
  std::list<Message> waiting_;
  int sent_ = 0;               // messages started by this rank
  std::vector<int> received_;  // on rank 0: messages taken, by source
};

}  // namespace starling
