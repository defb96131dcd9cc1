#include "mpi/attachments.h"

#include <algorithm>
#include <new>
#include <utility>

#include "mpi/execution/returned_errors.h"

namespace starling {

void Attachments::open(MPI_Comm_delete_attr_function* on_delete, void* owner) {
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key_, owner);
  replaceSpare();
}

void Attachments::close() { PMPI_Comm_free_keyval(&key_); }

Attachment* Attachments::find(MPI_Comm communicator) {
  void* value = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(communicator, key_, &value, &found);
  if (found == 0) return nullptr;
  auto* const attachment = static_cast<Attachment*>(value);
  remember(communicator, attachment);
  return attachment;
}

void Attachments::remember(MPI_Comm communicator, Attachment* attachment) {
  const std::lock_guard lock(mutex_);
  Remembered& place = remembered_[placeOf(communicator)];
  if (place.communicator.load(std::memory_order_relaxed) != MPI_COMM_NULL) return;
  place.attachment.store(attachment, std::memory_order_relaxed);
  place.communicator.store(communicator, std::memory_order_release);
}

void Attachments::forget(const Attachment* attachment) {
  const std::lock_guard lock(mutex_);
  for (Remembered& place : remembered_) {
    if (place.attachment.load(std::memory_order_relaxed) != attachment) continue;
    place.communicator.store(MPI_COMM_NULL, std::memory_order_relaxed);
    place.attachment.store(nullptr, std::memory_order_relaxed);
  }
}

Attachment* Attachments::attach(MPI_Comm communicator) {
  std::unique_ptr<Attachment> attached = make();
  if (!attached) return nullptr;
  bool is_set = setAttribute(communicator, attached.get());
  if (!is_set && freeForAttribute()) is_set = setAttribute(communicator, attached.get());
  if (!is_set) return nullptr;
  replaceSpare();
  return attached.release();
}

std::unique_ptr<Attachment> Attachments::make() {
  std::unique_ptr<Attachment> made(new (std::nothrow) Attachment);
  if (made) return made;
  const std::lock_guard lock(mutex_);
  const auto spare =
      std::find_if(spare_.begin(), spare_.end(), [](const Spare& one) { return one.attachment != nullptr; });
  return spare == spare_.end() ? nullptr : std::move(spare->attachment);
}

// That there is no memory for it is not for the program's error handler.
bool Attachments::setAttribute(MPI_Comm communicator, Attachment* attachment) const {
  const ReturnedErrors errors(communicator);
  return PMPI_Comm_set_attr(communicator, key_, attachment) == MPI_SUCCESS;
}

// Makes room for one attribute.
bool Attachments::freeForAttribute() {
  const std::lock_guard lock(mutex_);
  const auto spare =
      std::find_if(spare_.begin(), spare_.end(), [](const Spare& one) { return one.for_attribute != nullptr; });
  if (spare == spare_.end()) return false;
  spare->for_attribute.reset();
  return true;
}

// Takes what is not there, as far as there is memory.
void Attachments::replaceSpare() {
  const std::lock_guard lock(mutex_);
  for (Spare& spare : spare_) {
    if (!spare.attachment) spare.attachment.reset(new (std::nothrow) Attachment);
    if (!spare.for_attribute) spare.for_attribute.reset(new (std::nothrow) std::byte[kAttributeBytes]);
    if (!spare.attachment || !spare.for_attribute) return;
  }
}

}  // namespace starling
