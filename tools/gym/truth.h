// What the calls of a world take, apart from noise.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "tuner/placement.h"
#include "world.h"

namespace starling::gym {

// A choice, and how its ranks are arranged.
struct Arranged {
  Choice choice;
  std::vector<PlacedRank> placed;
};

// What was simulated once is kept. Latenesses that a plan predicts are rounded to an eighth of their size first, which
// makes no difference to speak of. THREADS: not thread-safe.
class Truth {
 public:
  // The world outlives it.
  explicit Truth(const World& world) : world_(world) {}

  // Returns the post-arrival time.
  Seconds timeOf(const WorldCall& call, const Choice& choice, std::span<const PlacedRank> placed);
  // Returns the best of all that could be planned for the key, and those like it, from call `first` to before call
  // `last`: one choice, arranged once.
  Arranged bestPlan(std::int32_t key, std::size_t first, std::size_t last);

 private:
  Seconds simulated(const WorldCall& call, const Choice& choice, std::span<const PlacedRank> placed);
  Seconds nativeTime(const WorldCall& call);
  std::uint64_t hashOf(const WorldCall& call, const Choice& choice, std::span<const PlacedRank> placed) const;
  Shape shapeOf(const WorldCall& call) const;

  const World& world_;
  std::unordered_map<std::uint64_t, Seconds> times_;
};

}  // namespace starling::gym
