// Plans: what the ranks of a communicator have agreed to do for each key.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algos/catalogue.h"
#include "base/status.h"
#include "tuner/signature.h"

namespace starling {

enum class KeyState : std::uint8_t { kObserving, kExploring, kSettled, kPassesThrough };
const char* keyStateName(KeyState state);  // "observing", ...

// The agreed plan of one key. Trials come first: call i of the key since the plan took force runs trial i mod
// trials.size() until each has had `trial_calls` calls; then `incumbent` stays.
struct KeyPlan {
  Choice incumbent;  // native until something better is known
  std::vector<Choice> trials;
  std::int32_t trial_calls = 0;
  KeyState state = KeyState::kObserving;
  std::vector<std::int32_t> table;        // virtual rank -> rank; empty = identity
  std::vector<std::int64_t> lateness_ns;  // predicted, by virtual rank; empty = all on time
};

// What a call of the key runs.
struct PlannedChoice {
  Choice choice;
  bool exploration = false;
};
PlannedChoice choiceOfCall(const KeyPlan& plan, std::int64_t calls_since_plan);

// At most this many trials travel in one plan.
inline constexpr std::size_t kMaxTrials = 6;

// One message of rank 0 of the communicator to all: plans that take force together.
struct PlanUpdate {
  std::int32_t key = 0;  // index in the order in which the ranks met the keys
  KeyPlan plan;
};
struct Decisions {
  std::int32_t next_epoch_length = 0;  // calls
  std::vector<PlanUpdate> updates;
};

// Bytes that one update of a communicator of this size takes at most.
std::size_t maximumUpdateBytes(std::int32_t ranks);
inline constexpr std::size_t kDecisionHeaderBytes = 8;

// Writes as many updates as fit into `buffer` and returns their number; the others wait for the next agreement.
// REQUIRES: buffer.size() >= kDecisionHeaderBytes + maximumUpdateBytes() of the communicator.
std::size_t encodeDecisions(const Decisions& decisions, std::span<std::byte> buffer);

// Reads what encodeDecisions() wrote. Tables that are no permutation and unknown algorithms are errors.
Result<Decisions> decodeDecisions(std::span<const std::byte> buffer, std::int32_t ranks);

}  // namespace starling
