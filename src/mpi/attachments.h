// What Starling attaches to communicators, for which it keeps memory.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>

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
  Attachment* find(MPI_Comm communicator);
  // The same for a communicator that was found before and has been remembered; null where it has not. It needs no MPI.
  Attachment* findRemembered(MPI_Comm communicator) const {
    const Remembered& place = remembered_[placeOf(communicator)];
    return place.communicator.load(std::memory_order_acquire) == communicator
               ? place.attachment.load(std::memory_order_relaxed)
               : nullptr;
  }
  // Is called when MPI has given up the attachment, before it is destroyed.
  void forget(const Attachment* attachment);
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

  // MPI looks attributes up in a table behind a lock, which takes longer than the shortest calls may cost. A place is
  // filled when it is empty, and emptied when the communicator is freed, which no call on it may be beside; so the
  // attachment that is read belongs to the communicator that was read before.
  static constexpr int kRememberedBits = 4;
  static constexpr std::size_t kRemembered = std::size_t{1} << kRememberedBits;
  struct Remembered {
    std::atomic<MPI_Comm> communicator{MPI_COMM_NULL};
    std::atomic<Attachment*> attachment{nullptr};
  };
  static std::size_t placeOf(MPI_Comm communicator) {
    constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15ULL;
    return (std::bit_cast<Handle>(communicator) * kGoldenRatio) >> (64 - kRememberedBits);
  }
  // Handles are pointers in some MPI libraries, and numbers in others.
  using Handle = std::conditional_t<sizeof(MPI_Comm) == sizeof(std::uint64_t), std::uint64_t, std::uint32_t>;
  void remember(MPI_Comm communicator, Attachment* attachment);

  std::unique_ptr<Attachment> make();
  bool setAttribute(MPI_Comm communicator, Attachment* attachment) const;
  bool freeForAttribute();
  void replaceSpare();

  int key_ = MPI_KEYVAL_INVALID;
  std::mutex mutex_;  // guards what follows
  std::array<Spare, kSpare> spare_;
  std::array<Remembered, kRemembered> remembered_;  // written under the lock
};

}  // namespace starling
