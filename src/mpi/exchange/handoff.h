// Takes records from the roots of communicators to the one process that writes the database.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <vector>

#include "base/clock.h"
#include "store/records.h"

namespace starling {

// Sends bounded, nonblocking messages on the private world communicator from any rank to rank 0, which takes them when
// it polls. A rank 0 that does not poll has none of them in its memory: each message waits at its sender until it is
// taken. THREADS: send() and poll() may be called from any thread that may call MPI.
class Handoff {
 public:
  // `deliver` is called on rank 0 for each batch. `patience` says how long rank 0 may leave a message before isStuck().
  Handoff(MPI_Comm private_world, const Clock& clock, Seconds patience, std::function<void(Batch)> deliver);

  // Starts a message to rank 0; on rank 0 itself delivers at once. While too many are under way, batches wait here;
  // when too many wait, the batch is lost, with one warning.
  void send(Batch batch);

  // Returns whether so much waits that more should not be sent yet; it never does on rank 0.
  bool isFull();
  // Returns whether rank 0 has left a message for longer than the patience; never true on rank 0.
  bool isStuck();
  // Returns what rank 0 has not taken, in order, for another way to the database; nothing is sent afterwards. Messages
  // that are under way stay so: rank 0 drops those that it takes at the end, so that newer records are not written
  // over.
  std::list<Batch> takeUndelivered();

  // Takes what has come, a bounded number of messages, on rank 0. Starts what waits elsewhere.
  void poll();

  // Delivers everything that was sent before. It is collective over the private world communicator.
  void finish();

 private:
  struct Message {
    Batch batch;
    std::vector<std::uint8_t> bytes;  // of the batch, from its start on
    MPI_Request request = MPI_REQUEST_NULL;
    Seconds started;
  };

  void clearTaken();
  void startWaiting(std::size_t most_under_way);
  void receive(const MPI_Status& found, bool counts);
  void receiveRest();

  MPI_Comm world_;
  int rank_ = 0;
  int ranks_ = 0;
  const Clock& clock_;
  const Seconds patience_;
  std::function<void(Batch)> deliver_;
  std::mutex mutex_;
  std::list<Message> under_way_;
  std::list<Message> waiting_;
  // For want of memory. Nothing more is sent then: later batches may refer to what was lost.
  bool has_lost_ = false;
  int sent_ = 0;                   // messages started by this rank
  int rerouted_ = 0;               // the last so many of them go another way, too
  std::vector<int> received_;      // on rank 0: messages taken, by source
  std::vector<int> sent_by_rank_;  // likewise, known at the end: messages, and those that count
};

}  // namespace starling
