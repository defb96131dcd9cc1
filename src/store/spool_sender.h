// Takes records to the database's writer in another process by files in its spool, where messages may not be taken.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/units.h"
#include "store/background_thread.h"
#include "store/private_folder.h"
#include "store/records.h"

namespace starling {

// Hands batches to a thread of its own, which writes each as a file for the run's BackgroundWriter; no call touches a
// file. The thread is started by the first call of isThere() or push(). Batches that refer to the communicators and
// sites of an earlier batch of this process have to take the same way as that one, and arrive in the order of push().
// What has been written is delivered even when the job is killed, by the next run with this database; what still waits
// is lost then, so it is little: push() refuses when the writer does not keep up. End the sender before the
// run's writer ends, which removes the folder. No exception leaves any function.
// THREADS: all functions may be called from any thread.
class SpoolSender {
 public:
  // `database` and `run_id` are those of the run's BackgroundWriter. Does nothing yet.
  SpoolSender(std::string database, std::string run_id, ThreadStarter start = startThread);
  // REQUIRES: hasEnded(), or the destructor waits for the thread.
  ~SpoolSender();
  SpoolSender(const SpoolSender&) = delete;
  SpoolSender& operator=(const SpoolSender&) = delete;

  // Returns whether the writer's folder is seen here: it is on a file system that both processes share, and ready.
  // Looks again as long as it was not, and waits at most `patience` for that; with zero it tells what is known and lets
  // the thread look.
  bool isThere(Seconds patience);

  // Returns whether a push() now would be refused, because so much waits.
  bool isFull();

  // Takes the batch, or refuses it and leaves it as it is: the folder is not known to be there, so much waits that the
  // caller had better add up, finish() was called, or no thread or memory is to be had. Empty batches are taken.
  bool push(Batch&& batch);

  // Writes what waits and ends the thread. Waits at most `patience`, and less for faults that do not pass. Returns
  // false when something is not written, or the thread still hangs in the file system.
  bool finish(Seconds patience);

  // Returns whether there is no thread, or it is gone.
  bool hasEnded();

 private:
  // Starts the thread where there is none; returns false when there is none to be had. The caller holds the mutex.
  bool startWork();
  void work();
  bool look();
  bool write(const Batch& batch);

  const std::string database_;
  const std::string run_id_;
  const std::string sender_;  // no other process has it
  const ThreadStarter start_;

  std::optional<PrivateFolder> folder_;  // used by the thread only
  std::uint64_t written_ = 0;            // likewise: files

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Batch> queue_;  // the first one stays where it is while the thread writes it
  bool is_there_ = false;   // the folder
  bool look_wanted_ = false;
  int failures_ = 0;        // of the latest writes, in a row
  bool refused_ = false;    // the system grants no thread
  bool finishing_ = false;  // no more batches will come
  bool ending_ = false;     // the thread is to end
  bool ended_ = false;      // it has
  std::thread thread_;
};

}  // namespace starling
