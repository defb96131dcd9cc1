// What many ranks have announced, in a form whose size does not grow with them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace starling {

// Says of a set of ranks how many they are, what the earliest announces, and who the latest are. What a set comes to
// does not depend on the order in which it was put together.
// THREADS: one.
class LatestAnnouncements {
 public:
  // So many of the latest ranks are named, or all where there are no more.
  static constexpr std::size_t kMost = 16;

  struct Announcement {
    std::int64_t announced_ns = 0;
    std::int64_t rank = 0;

    bool operator==(const Announcement&) const = default;
  };

  LatestAnnouncements() = default;  // of no rank
  LatestAnnouncements(std::int32_t rank, std::int64_t announced_ns);

  // Adds the ranks of another set. REQUIRES: no rank is in both, and dropOnTime() was called for neither.
  void add(const LatestAnnouncements& others);
  // Names only ranks that are late by more than noise. A second time changes nothing.
  void dropOnTime();

  std::int32_t ranks() const { return ranks_; }
  // Returns what the earliest announces. REQUIRES: ranks() > 0.
  std::int64_t earliestNs() const { return earliest_ns_; }
  // Returns the ranks that are named, the latest first; of ranks that announce the same, the highest.
  std::span<const Announcement> latest() const { return std::span(latest_).first(named_); }

  // These bytes at the beginning of this object are to be sent: copied to the beginning of another one they make it
  // equal to this.
  std::size_t usedBytes() const { return sizeof *this - (kMost - named_) * sizeof(Announcement); }

  bool operator==(const LatestAnnouncements& other) const;

 private:
  std::int32_t ranks_ = 0;
  std::uint32_t named_ = 0;
  std::int64_t earliest_ns_ = 0;
  std::array<Announcement, kMost> latest_{};  // the last member, since what is not used of it is not sent
};
static_assert(std::is_trivially_copyable_v<LatestAnnouncements> && std::is_standard_layout_v<LatestAnnouncements>);

}  // namespace starling
