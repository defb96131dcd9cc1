// A stretch of calls that are counted and nothing more.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "algos/catalogue.h"
#include "mpi/execution/executor.h"
#include "tuner/signature.h"

namespace starling {

// What a call runs that rests: native, or the row `node`, for which the reducer is known.
struct RestingCall {
  Key any{};  // the call's key, were it of any site
  std::int64_t bytes = 0;
  Choice choice{};
  Reducer reducer{};
  bool commutes = false;  // its operation
};

// Where nothing is left to learn (tuner/resting_keys.h) the few calls of an epoch are followed by many that need not be
// looked at: a stretch, which is planned when the epoch begins and starts after its calls. How long it is, and which
// calls may rest, is equal on all ranks; what is remembered of the latter is this rank's own and only saves time.
// THREADS: not thread-safe; one per communicator.
class RestStretch {
 public:
  // Makes the next stretch so long, 0: there is none. No call is known any more.
  void plan(std::int32_t calls) {
    planned_ = calls;
    end();
    known_ = 0;
    next_ = 0;
  }
  bool isPlanned() const { return planned_ > 0; }
  void begin() {
    left_ = planned_;
    planned_ = 0;
    made_ = 0;
    goOn();
  }
  void end() { part_ = left_ = 0; }
  bool isOn() const { return part_ > 0; }

  // A stretch has parts, the first of which is short; at the end of each the ranks may see how long it has taken.
  static constexpr std::int32_t kFirstPart = 256;
  static constexpr std::int32_t kLongestPart = 2048;
  // Notes that one of its calls was made. Returns whether more of this part are to come. REQUIRES: isOn().
  bool count() { return --part_ > 0; }
  bool hasMoreParts() const { return left_ > 0; }
  // Goes on with the next part, which is the last one where few calls are left: three times as long as all before.
  void goOn() { take(made_ == 0 ? kFirstPart : std::min(3 * made_, kLongestPart)); }
  // Goes on with a part of one call.
  void goOnBriefly() { take(1); }

  // Returns what is known of calls with these arguments; null: nothing is.
  const RestingCall* find(int count, MPI_Datatype datatype, MPI_Op op) const {
    for (std::size_t i = 0; i < known_; ++i) {
      const Known& known = known_calls_[i];
      if (known.count == count && known.datatype == datatype && known.op == op) return &known.call;
    }
    return nullptr;
  }
  // Remembers such a call; the oldest of many is forgotten. REQUIRES: the handles are never freed.
  void remember(int count, MPI_Datatype datatype, MPI_Op op, const RestingCall& call) {
    known_calls_[next_] = {count, datatype, op, call};
    next_ = (next_ + 1) % known_calls_.size();
    if (known_ < known_calls_.size()) ++known_;
  }

 private:
  struct Known {
    int count = 0;
    MPI_Datatype datatype = MPI_DATATYPE_NULL;
    MPI_Op op = MPI_OP_NULL;
    RestingCall call;
  };

  void take(std::int32_t calls) {
    part_ = std::min(calls, left_);
    left_ -= part_;
    made_ += part_;
  }

  std::int32_t planned_ = 0;
  std::int32_t part_ = 0;  // calls to come of this part
  std::int32_t left_ = 0;  // of the parts after it
  std::int32_t made_ = 0;  // of this part and those before
  std::size_t known_ = 0;
  std::size_t next_ = 0;
  std::array<Known, 8> known_calls_;
};

}  // namespace starling
