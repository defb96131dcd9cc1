// Worlds that are made by hand, so that what calls take there is known.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "player.h"
#include "world.h"

namespace starling::gym {

inline constexpr std::int64_t kDoubles = 1 << 14;

// A world of one key, without noise, in which every row takes what is simulated. Each call has pattern 0.
inline World smallWorld(std::int32_t ranks, int calls, std::vector<std::vector<Seconds>> patterns = {}) {
  World world;
  world.ranks = ranks;
  Machine machine{.model = {.alpha = {2e-6}, .beta = 1e-9, .gamma = 1e-10, .ports = 1, .overhead = {6e-7}}};
  machine.row_factors.fill(1.0);
  world.machines = {machine};
  world.belief = machine.model;
  world.keys = {{1, {.count = kDoubles, .element_size = 8}}};
  world.patterns = std::move(patterns);
  if (world.patterns.empty()) world.patterns.emplace_back(static_cast<std::size_t>(ranks));
  world.calls.resize(static_cast<std::size_t>(calls));
  return world;
}

// All on time but one.
inline std::vector<Seconds> oneLate(std::int32_t ranks, std::size_t rank, Seconds lateness) {
  std::vector<Seconds> pattern(static_cast<std::size_t>(ranks));
  pattern[rank] = lateness;
  return pattern;
}

inline Choice choiceNamed(const char* text) { return parseChoice(text).value(); }

// Always makes the same move, and keeps what it is told.
class FixedPlayer : public Player {
 public:
  explicit FixedPlayer(Arranged plan) : plan_(std::move(plan)) {}
  Move next(const WorldCall& /*call*/) override { return {plan_, false, true}; }
  void took(const std::optional<CallSummary>& seen) override { seen_.push_back(seen.value()); }
  const std::vector<CallSummary>& seen() const { return seen_; }

 private:
  Arranged plan_;
  std::vector<CallSummary> seen_;
};

}  // namespace starling::gym
