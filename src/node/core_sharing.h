// Whether a rank that has a core for itself finds somebody else on it all the same.
#pragma once

#include <cstdint>

namespace starling {

// Tells a rank how to wait. The system wakes a rank where another one looks for its flag, though there is a free core,
// and leaves it there for some milliseconds: then one of them has the core while it waits for the other. A yield after
// which the rank finds that it was switched shows that somebody else wants the core. Who gives it back soon is taken
// for such a rank, to which whoever waits yields at once from then on, until nobody else wants the core. Beside who
// keeps it, as a foreign process does for milliseconds, the rank sleeps while it waits: the system usually gives it the
// core when it is woken. Now and then, and less and less often, it yields again to see whether the other has gone.
// THREADS: one; each rank has its own.
class CoreSharing {
 public:
  static constexpr std::int64_t kYieldAfter = 50'000;         // ns of waiting
  static constexpr std::int64_t kYieldEvery = 50'000;         // ns, where nobody else wants the core
  static constexpr std::int64_t kKeepsCore = 200'000;         // ns of a yield, after which the other one keeps it
  static constexpr std::int64_t kShortestPause = 4'000'000;   // ns without a yield beside who keeps it
  static constexpr std::int64_t kLongestPause = 128'000'000;  // ns
  // After so many yields in a row in which nobody else wanted the core the next pause is the shortest again.
  static constexpr std::int32_t kYieldsAlone = 200;

  enum class Way : std::uint8_t { kLook, kYield, kSleep };

  // Returns whether to yield at once while waiting.
  bool isShared() const { return other_ == Other::kGivesBack; }
  // Returns how to go on waiting at this time, in ns, after so much of it.
  Way wayAt(std::int64_t now, std::int64_t waited) const;
  // Takes what a yield took that has ended now, and whether somebody else had the core meanwhile.
  void note(std::int64_t now, std::int64_t took, bool was_switched);

 private:
  // Who wants this core, too.
  enum class Other : std::uint8_t { kNobody, kGivesBack, kKeeps };

  Other other_ = Other::kNobody;
  std::int32_t yields_alone_ = 0;
  std::int64_t not_before_ = 0;  // ns
  std::int64_t pause_ = kShortestPause;
};

}  // namespace starling
