// Counts calls at rest, which nobody looks at, by what they combine and where they come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mpi/rest_stretch.h"
#include "tuner/signature.h"
#include "tuner/site_tracker.h"

namespace starling {

// What it counts is this rank's own: rank 0 has it for the database. THREADS: not thread-safe; one per communicator.
class RestedCalls {
 public:
  struct Place {
    Key any{};               // the key of its calls, were they of any site
    Choice choice{};         // that they run
    SiteId handle{};         // of the site; kAnySite: it has none
    LocalSite local{};       // else what this rank calls it; 0: calls of more places than are told apart
    std::int64_t bytes = 0;  // of the first of them
    std::int64_t calls = 0;

    bool isAt(const Key& key, SiteId its_handle, LocalSite its_local) const {
      return local == its_local && handle == its_handle && any == key;
    }
  };
  // Of so many places calls are told apart.
  static constexpr std::size_t kMostPlaces = 64;

  // Takes the memory that count() needs. Throws std::bad_alloc.
  void reserve() { places_.resize(2 * kMostPlaces); }

  // REQUIRES: reserve() was called.
  void count(const RestingCall& call, SiteId handle, LocalSite local) {
    if (latest_ == size_ || !places_[latest_].isAt(call.any, handle, local)) find(call, handle, local);
    ++places_[latest_].calls;
  }
  std::span<const Place> places() const { return std::span(places_).first(size_); }
  void clear() { latest_ = size_ = 0; }

 private:
  // Makes `latest_` the place, which begins with no calls.
  void find(const RestingCall& call, SiteId handle, LocalSite local);

  std::vector<Place> places_;  // behind those that are told apart one more of each kind of calls that may rest
  std::size_t size_ = 0;
  std::size_t latest_ = 0;  // that was counted at; size_: none
};

}  // namespace starling
