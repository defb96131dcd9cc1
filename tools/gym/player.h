// Whoever chooses what the calls of a world run.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/records.h"
#include "truth.h"
#include "tuner/call_summary.h"

namespace starling::gym {

class Player {
 public:
  virtual ~Player() = default;

  struct Move {
    Arranged plan;
    bool explores = false;
    bool is_timed = true;
    Seconds disturbance{};  // what else ranks do then, which the call seems to take
  };
  // Says what the next call of the world runs.
  virtual Move next(const WorldCall& call) = 0;
  // Learns what it took, if the move was timed.
  virtual void took(const std::optional<CallSummary>& seen) = 0;
  // What the player says at the end that native takes, as a multiple of what its choice takes, and the standard error.
  struct Claim {
    double gain = 1.0;
    double error = 0.0;
  };
  // Returns nothing where it says nothing, or stays with native; `key` is one of the world's, called in its last calls.
  virtual std::optional<Claim> claim(std::int32_t /*key*/) const { return std::nullopt; }
  // What the player believes that the next call of a key takes.
  struct Belief {
    Choice choice;
    Seconds expected;
    double deviation = 0.0;  // as a share of that
    std::int64_t calls = 0;  // that were timed, as ranks are arranged now
  };
  // Returns what it believes of all that it may choose, of a key as in claim().
  virtual std::vector<Belief> beliefs(std::int32_t /*key*/) const { return {}; }
  // Returns why, if the player can tell.
  virtual std::string story() { return {}; }
  // Returns what it tells later runs of the program.
  virtual std::vector<PolicyRecord> policies() { return {}; }
};

// A kind of player. It is made anew for each run of a world, which outlives it, and is told what the run before has
// learned.
struct Entrant {
  const char* name;
  const char* what;  // it does: a sentence without its subject
  std::function<std::unique_ptr<Player>(const World&, std::vector<PolicyRecord>)> enter;
};

// The tuner first, then its rivals. These choose among native and all algorithms, as the cost model that was probed
// sets their parameters and as the tuner's predictors arrange the ranks, and are told at once what a call took: only
// how they choose is their own.
std::span<const Entrant> entrants();
// Returns null where nobody has the name.
const Entrant* findEntrant(std::string_view name);

}  // namespace starling::gym
