// Plays a world, and says how good that was.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "player.h"

namespace starling::gym {

// One call, apart from noise.
struct Turn {
  Choice choice;
  bool explores = false;
  Seconds cost{};
  Seconds best{};        // with the best fixed plan of what holds then
  Seconds native{};      // with native
  Choice best_choice{};  // of the best plan
};

// Plays worlds; what the best plans are is found once for all players. THREADS: not thread-safe.
class Game {
 public:
  // The world outlives it.
  explicit Game(const World& world);

  std::vector<Turn> play(Player& player);

  // Says in lines what the best plans are, for how many of these calls, and what they take there beside native.
  std::string describeBest(const std::vector<Turn>& turns) const;
  // Says in lines what the player believes at the end of the key that was called last, and what holds in the latest of
  // its calls; the fastest first.
  std::string describeBeliefs(const Player& player);

 private:
  CallSummary seenElapsed(const WorldCall& call, Seconds took, const Choice& choice) const;
  CallSummary seen(const WorldCall& call, std::size_t index, Seconds cost, const Player::Move& move);
  const CallSummary& arrivalsOf(std::int32_t pattern);

  const World& world_;
  Truth truth_;
  std::vector<Arranged> best_;  // by call
  std::map<std::int32_t, CallSummary> arrivals_;
  std::vector<PlacedRank> placed_;  // in the call that was played last
};

// Parts of the regret, by what the calls ran beside the best plan. A plan that is better makes its part less.
struct Losses {
  double trials = 0.0;      // calls that explore
  double native = 0.0;      // native, though another choice is the best
  double leaving = 0.0;     // another choice, though native is the best
  double algorithm = 0.0;   // another algorithm than the best one, where neither is native
  double parameters = 0.0;  // the best algorithm, with other parameters or ranks arranged otherwise
};

// What is not defined in a world is empty. Shares and ratios are plain numbers: 0.03 is 3%.
struct Figures {
  double regret = 0.0;                     // cost beyond the best's, as a share of the best's
  Losses losses{};                         // whose sum that is
  double over_native = 1.0;                // cost over native's; what the best is may change with what can be planned
  double worst_stretch = 1.0;              // over native's cost, of any 50 calls; 1 where none is worse
  std::optional<std::int64_t> worst_from;  // the first of these calls
  std::int64_t exploration_calls = 0;
  // Calls of a key until it had the choice that it kept, where the gain is above 20% and noise at most 10%.
  std::optional<double> settled;
  std::optional<double> near_best;   // likewise, until its cost was within 10% of the best's
  std::optional<bool> left_wrongly;  // native, for what takes more than 2% longer
  std::optional<bool> missed;        // stayed with native after 200 calls though the best takes 10% less
  // The gain that is told at the end over the true one, and whether it is off by more than twice its error, and by 5%.
  std::optional<double> claim;
  std::optional<bool> claimed_wrongly;
  std::optional<double> followed_rank, followed_cost;  // calls after a change until the cost was within 10% of the best
};
// REQUIRES: as many turns as the world has calls, 50 or more of them before a change.
Figures figuresOf(const World& world, const std::vector<Turn>& turns, const std::optional<Player::Claim>& claim = {});

// Returns the cost beyond the best's of the calls so far, as a share of the best's of all calls, after every `step`-th
// call.
std::vector<double> regretCurve(const std::vector<Turn>& turns, std::size_t step);

}  // namespace starling::gym
