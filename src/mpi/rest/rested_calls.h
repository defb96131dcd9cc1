// Counts calls at rest, which nobody looks at, by what they combine and where they come from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mpi/rest/rest_stretch.h"
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
    std::uint8_t& place = latest_[hashOf(call.any, handle, local)];
    if (place >= size_ || !places_[place].isAt(call.any, handle, local)) place = find(call, handle, local);
    ++places_[place].calls;
  }
  std::span<const Place> places() const { return std::span(places_).first(size_); }
  void clear() { size_ = 0; }

 private:
  static std::size_t hashOf(const Key& any, SiteId handle, LocalSite local) {
    const std::uint64_t mixed = (local ^ static_cast<std::uint64_t>(handle)) * 0x9E3779B97F4A7C15ULL;
    return static_cast<std::uint8_t>((mixed >> 56) ^ static_cast<std::uint64_t>(any.size_class));
  }
  // Returns the number of the place, which begins with no calls.
  std::uint8_t find(const RestingCall& call, SiteId handle, LocalSite local);

  std::vector<Place> places_;  // behind those that are told apart one more of each kind of calls that may rest
  std::size_t size_ = 0;
  std::array<std::uint8_t, 256> latest_{};  // by hash: the place that was counted at
};

}  // namespace starling
