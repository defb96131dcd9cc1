// Batches of records that wait to be written.
#pragma once

#include <cstddef>
#include <list>

#include "store/records.h"

namespace starling {

// The first batch stays where it is until it is popped or joined, so that a thread may write it while others come.
// Where memory is short a batch is lost, with a warning; no exception leaves any function.
// THREADS: not thread-safe.
class BatchQueue {
 public:
  // At most so many wait; beyond that the figures of the oldest go, but not the communicators and sites that later ones
  // refer to, nor the state of keys and the policies that no later one renews. The first one stays.
  static constexpr std::size_t kLongest = 1024;
  // Those that wait are written together, since a write takes most of its time for being safe on the disk; but not so
  // many that other processes would wait long for the lock.
  static constexpr std::size_t kMostJoined = 64;

  bool isEmpty() const { return queue_.empty(); }
  // Returns whether as many wait as are written together.
  bool isLong() const { return queue_.size() >= kMostJoined; }
  void push(Batch batch);
  // REQUIRES, as the next two: !isEmpty().
  const Batch& first() const { return queue_.front(); }
  // Makes one batch of the first ones.
  void joinFirst();
  void pop() { queue_.pop_front(); }

 private:
  void dropOldest();

  std::list<Batch> spare_{1};  // an empty batch: the place of the next one, where memory is short
  std::list<Batch> queue_;
};

}  // namespace starling
