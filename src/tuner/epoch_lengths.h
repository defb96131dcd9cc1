// Says how many calls the epochs of a communicator have.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "base/options.h"
#include "base/units.h"
#include "tuner/communicator_tuner.h"
#include "tuner/epoch_pace.h"
#include "tuner/key_table.h"

namespace starling {

// Epochs are short where a key has appeared or a choice has just lost, else as long as what agreeing costs here asks;
// where nothing is left to learn most of their calls may rest. THREADS: not thread-safe; one per communicator.
class EpochLengths {
 public:
  // Where nothing is left to learn so many calls of an epoch are looked at.
  static constexpr std::int32_t kCallsBeforeRest = 16;
  static constexpr std::int32_t kNoLimit = std::numeric_limits<std::int32_t>::max();

  // Where a communicator of the same shape has been tuned before, or an earlier run has told what is to be run, what
  // was learned there is known after so many calls.
  static constexpr std::int32_t kFirstWhereKnown = 1;
  // Returns how many calls the first epoch has.
  static std::int32_t ofFirst(const Options& options, bool is_shape_known) {
    return is_shape_known ? kFirstWhereKnown : static_cast<std::int32_t>(options.minimum_calls);
  }

  // So many calls of an epoch are stamped at most.
  EpochLengths(const Options& options, std::int32_t samples);

  // All ranks call these functions alike, and what they return is equal on all.

  // Notes the key that a call seems to have: one that has appeared is to have a plan soon, whatever else has settled.
  // Returns whether the next epochs are short because of it.
  bool noteKey(const Key& key, const KeyTable& keys);
  // Makes the next epochs short, because what the latest calls have shown is to be known soon.
  void hurry() { short_epochs_ = kEpochsToPlan; }
  // Notes that the running epoch ends, and the next one begins.
  void noteClose();
  // Returns how many calls the running epoch has at most; `rest` tells whether others are to follow them at rest.
  std::int32_t limit(bool rest) const;

  // Notes which keys the calls of a closed epoch have: first that there are none yet, then each call's.
  void forgetKeys() { all_at_rest_ = all_settled_ = true; }
  void noteCall(const KeyTable::Entry& entry, bool may_rest);
  // Notes that calls are to be counted one by one until another epoch has closed.
  void keepAwake() { all_at_rest_ = false; }
  bool areAllAtRest() const { return all_at_rest_; }

  // Notes the length that the ranks have agreed on, with the calls at rest. Returns that without them.
  std::int32_t agree(std::int32_t calls);
  std::int32_t withoutRest(std::int32_t calls) const { return std::min(calls, longest_); }
  // Returns how many calls may follow at rest those of the epoch that begins; 0: none may.
  std::int32_t mostAtRest() const;

  // Rank 0 alone decides how long they are.

  // Notes that this rank was so long in a step of an agreement, and that the agreement is over.
  void noteAgreeing(Seconds took) { agreed_for_ += took; }
  void noteAgreed() { pace_.noteEnd(std::exchange(agreed_for_, {})); }
  // Notes what the stamped calls of an epoch took.
  void noteTimes(std::span<const EpochCall> calls, std::span<const CallSummary> samples);
  // Returns how many calls the next epoch has, where the tuner wants at least `wanted`.
  std::int32_t next(std::int32_t wanted) const;
  // Makes calls be looked at so seldom that looking at them costs little beside them here.
  void limitWatching(CallLimit& limit) const;

 private:
  bool tunes_;
  bool may_rest_;  // calls of native, and through shared memory
  std::int32_t longest_;
  std::int32_t samples_;
  EpochPace pace_;
  Seconds agreed_for_;              // in the steps since the epoch began
  std::int32_t agreed_length_ = 0;  // of an epoch, with the calls that rest; 0: none is agreed on
  std::int32_t short_epochs_ = 0;   // to come
  std::int64_t calls_ = 0;
  std::int32_t appeared_ = 0;  // keys, or what seemed to be one
  std::int32_t closed_ = 0;    // epochs, up to kEpochsToPlan
  bool all_at_rest_ = false;   // the keys of the calls of the latest epoch that is known
  bool all_settled_ = false;   // likewise
};

}  // namespace starling
