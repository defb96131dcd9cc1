// What the latest keys of a process run, and how their ranks arrive, for the keys of other communicators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "algos/catalogue.h"
#include "tuner/key_arrivals.h"
#include "tuner/key_shape.h"
#include "tuner/placement.h"
#include "tuner/plan.h"
#include "tuner/signature.h"

namespace starling {

// Keys of one shape and origin, on whichever communicators, take each other's place. THREADS: not thread-safe.
class LatestKeys {
 public:
  static constexpr std::size_t kMaxKeys = 64;  // the oldest gives way

  // What a key runs, how its ranks are arranged, and what its calls may take.
  struct Arranged {
    Choice choice;
    std::vector<PlacedRank> placed;
    CallLimit limit{};
    bool is_of_earlier_run = false;  // no key of this one has found it
    bool was_stopped = false;        // on all ranks, because it was slow; the choice is native now
  };
  struct Known {
    KeyShape shape;
    KeyOrigin origin;
    Arranged runs;
    std::shared_ptr<const KeyArrivals> arrivals;
  };
  // REQUIRES: the key has a site.
  void note(Known known);

  // Notes that the ranks of the key are arranged in another way, and come so, where it is known to run this.
  void rearrange(const Known& known);

  // Returns what the latest key runs that is of the very shape, with this type and operation; that of the site, if
  // there is one. Null: there is none. Good until the next note().
  const Arranged* findChoice(const KeyShape& shape, const KeyOrigin& origin) const;
  // Returns how ranks came to the latest key of the very shape and origin; null: there is none.
  std::shared_ptr<const KeyArrivals> findArrivals(const KeyShape& shape, const KeyOrigin& origin) const;
  // Notes that what keys of the shape run was stopped, with this type and operation.
  void noteStop(const KeyShape& shape, const KeyOrigin& origin, const Choice& choice);

  // Returns the latest key of each size class, type and operation on such ranks, where that does not run native; the
  // latest first, `most` at most.
  std::vector<std::reference_wrapper<const Known>> latestOn(const KeyShape& ranks, std::size_t most) const;

 private:
  std::vector<Known> keys_;  // the latest last
};

}  // namespace starling
