// What Starling attaches to communicators, for which it keeps memory.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>

#include "mpi/absent_session.h"
#include "mpi/early_calls.h"
#include "mpi/session.h"

namespace starling {

// What Starling attaches to a communicator at its first call.
struct Attachment {
  // While there are early calls, all calls of MPI_Allreduce are such.
  std::optional<EarlyCalls> early;
  // Null: there is none yet, or nothing to tune, and then calls pass through.
  std::unique_ptr<Session> session;
  // In place of a session that this rank could not make; then it never makes one.
  std::optional<AbsentSession> absent;
};

// Keeps attachments in attributes of their communicators. kSpare of them, and memory for as many attributes, are taken
// beforehand, for when there is no more: without an attachment a rank could not tell when the others count on it.
// THREADS: all functions may be called from any thread.
class Attachments {
 public:
  static constexpr std::size_t kSpare = 32;

  // Makes the attribute's key. MPI calls `on_delete` with `owner` when a communicator is freed, or detach() is called;
  // the attachment is then its own.
  void open(MPI_Comm_delete_attr_function* on_delete, void* owner);
  // Frees the key. REQUIRES: open().
  void close();

  // Returns what is attached to the communicator; null: nothing.
  Attachment* find(MPI_Comm communicator) const;
  // Attaches what is empty; null: memory is short.
  Attachment* attach(MPI_Comm communicator);
  void detach(MPI_Comm communicator) { PMPI_Comm_delete_attr(communicator, key_); }

 private:
  // An attribute takes less. Smaller blocks would stay with the allocator for others of their size.
  static constexpr std::size_t kAttributeBytes = 2048;
  struct Spare {
    std::unique_ptr<Attachment> attachment;
    std::unique_ptr<std::byte[]> for_attribute;
  };

  std::unique_ptr<Attachment> make();
  bool setAttribute(MPI_Comm communicator, Attachment* attachment) const;
  bool freeForAttribute();
  void replaceSpare();

  int key_ = MPI_KEYVAL_INVALID;
  std::mutex mutex_;  // guards what follows
  std::array<Spare, kSpare> spare_;
};

}  // namespace starling
