#include "game.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <span>
#include <tuple>

#include "base/text_format.h"
#include "call_summaries.h"
#include "random.h"

namespace starling::gym {
namespace {

constexpr std::size_t kStretch = 50;     // calls that are compared with native's
constexpr std::size_t kSettledBy = 200;  // calls
constexpr std::size_t kBeliefs = 8;      // that are told, beside that of native
constexpr std::size_t kFollowed = 5;     // calls in a row near the best
constexpr double kNearBest = 1.10;
constexpr double kErrorsOff = 2.0;  // standard errors, that a claim may be off
constexpr double kClaimOff = 0.05;  // or this share

// The calls of one world that have the same best plan: of one shape, with the same arrivals, before or after a change.
using Situation = std::tuple<std::int64_t, std::int32_t, std::int32_t>;

bool isDefinedFor(const World& world) { return world.program == ProgramKind::kOneKey && world.keys.size() == 1; }

double sumOf(std::span<const Turn> turns, Seconds Turn::*time) {
  double sum = 0.0;
  for (const Turn& turn : turns) sum += (turn.*time).value;
  return sum;
}

std::optional<Choice> finalChoice(std::span<const Turn> turns) {
  for (auto turn = turns.rbegin(); turn != turns.rend(); ++turn) {
    if (!turn->explores) return turn->choice;
  }
  return std::nullopt;
}

// Calls that explore say nothing of what is settled; it is from the first other call on that the final choice stays.
double callsUntilSettled(std::span<const Turn> turns) {
  const Choice final = finalChoice(turns).value_or(kNativeChoice);
  std::size_t settled = turns.size();
  for (std::size_t i = turns.size(); i-- > 0;) {
    if (turns[i].explores) continue;
    if (turns[i].choice != final) break;
    settled = i;
  }
  return static_cast<double>(settled);
}

double callsUntilNearBest(std::span<const Turn> turns) {
  std::size_t in_row = 0;
  std::size_t first = 0;  // of the row, in which calls that explore may lie, too
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (turns[i].explores) continue;
    if (in_row == 0) first = i;
    in_row = turns[i].cost <= kNearBest * turns[i].best ? in_row + 1 : 0;
    if (in_row == kFollowed) return static_cast<double>(first);
  }
  return static_cast<double>(turns.size());
}

double Losses::*partOf(const Turn& turn) {
  if (turn.explores) return &Losses::trials;
  if (turn.choice.algorithm == turn.best_choice.algorithm) return &Losses::parameters;
  if (turn.choice.algorithm == kNativeAlgorithm) return &Losses::native;
  return turn.best_choice.algorithm == kNativeAlgorithm ? &Losses::leaving : &Losses::algorithm;
}

// `best` is the cost of all calls with the best plans.
Losses lossesOf(std::span<const Turn> turns, double best) {
  Losses losses;
  for (const Turn& turn : turns) losses.*partOf(turn) += (turn.cost - turn.best).value / best;
  return losses;
}

void judgeOneKey(const World& world, std::span<const Turn> turns, Figures& figures) {
  const double native = sumOf(turns, &Turn::native);
  const double best = sumOf(turns, &Turn::best);
  if (native > 1.25 * best && world.noise.deviation <= 0.1) {
    figures.settled = callsUntilSettled(turns);
    figures.near_best = callsUntilNearBest(turns);
  }
  if (turns.size() <= kSettledBy) return;
  const std::span<const Turn> late = turns.subspan(kSettledBy);
  const bool is_native = finalChoice(late).value_or(kNativeChoice).algorithm == kNativeAlgorithm;
  const std::span<const Turn> last = turns.last(kStretch);
  figures.left_wrongly = !is_native && sumOf(last, &Turn::cost) > 1.02 * sumOf(last, &Turn::native);
  figures.missed = is_native && sumOf(late, &Turn::best) < 0.9 * sumOf(late, &Turn::native);
}

// The latest calls that ran what the player kept tell what is true.
void judgeClaim(std::span<const Turn> turns, const Player::Claim& claim, Figures& figures) {
  const std::optional<Choice> final = finalChoice(turns);
  double native = 0.0;
  double cost = 0.0;
  for (const Turn& turn : turns.last(kStretch)) {
    if (turn.choice != final || turn.explores) continue;
    native += turn.native.value;
    cost += turn.cost.value;
  }
  if (cost <= 0.0) return;
  const double gain = native / cost;
  figures.claim = claim.gain / gain;
  figures.claimed_wrongly =
      std::abs(claim.gain - gain) > kErrorsOff * claim.error && std::abs(claim.gain / gain - 1.0) > kClaimOff;
}

}  // namespace

Game::Game(const World& world) : world_(world), truth_(world), best_(world.calls.size()) {
  const auto change = static_cast<std::size_t>(world.change);
  const std::array<std::size_t, 3> bounds{0, change, world.calls.size()};
  for (std::size_t phase = 0; phase < 2; ++phase) {
    std::map<Situation, Arranged> plans;
    for (std::size_t i = bounds[phase]; i < bounds[phase + 1]; ++i) {
      const std::int32_t key = world.calls[i].key;
      const bool tells_sites = world.arrivals == ArrivalKind::kTwoSites;
      const Situation situation{world.keys[static_cast<std::size_t>(key)].signature.count, tells_sites ? key % 2 : 0,
                                world.calls[i].machine};
      const auto [found, is_new] = plans.try_emplace(situation);
      if (is_new) found->second = truth_.bestPlan(key, bounds[phase], bounds[phase + 1]);
      best_[i] = found->second;
    }
  }
}

const CallSummary& Game::arrivalsOf(std::int32_t pattern) {
  const auto [found, is_new] = arrivals_.try_emplace(pattern);
  if (is_new) {
    std::vector<Seconds> arrivals = world_.patterns[static_cast<std::size_t>(pattern)];
    const Seconds tick = world_.noise.tick;
    if (tick > Seconds{}) {
      for (Seconds& one : arrivals) one = std::floor(one / tick) * tick;
    }
    const std::vector<Seconds> exits(arrivals.size(), *std::ranges::max_element(arrivals));
    found->second = summaryOf(arrivals, exits);
  }
  return found->second;
}

// All ranks leave together, since choices are compared by the mean of their exits.
CallSummary Game::seen(const WorldCall& call, std::size_t index, Seconds cost, const Player::Move& move) {
  const bool is_in_step = keepsInStep(move.plan.choice);
  Seconds took = (is_in_step ? call.noise_in_step : call.noise) * cost + move.disturbance;
  const Seconds tick = world_.noise.tick;
  if (tick > Seconds{}) {
    // Calls do not begin with a tick of the clock.
    const double begin = Random(seedOf(world_.seed, 1000 + index)).uniform();
    took = std::floor(begin + took / tick) * tick;
  }
  if (world_.noise.kind == NoiseKind::kElapsedOnly) return seenElapsed(call, took, move.plan.choice);
  CallSummary summary = arrivalsOf(call.pattern);
  summary.delayExits(toNanoseconds(took));
  return summary;
}

// Where each rank counts from when it left the call, its arrival is wrong by as much as it left before or after others,
// which depends on what was called.
CallSummary Game::seenElapsed(const WorldCall& call, Seconds took, const Choice& choice) const {
  const std::vector<Seconds>& arrivals = world_.patterns[static_cast<std::size_t>(call.pattern)];
  const Seconds last_arrival = *std::ranges::max_element(arrivals);
  Random random(seedOf(world_.seed, 2000 + static_cast<std::uint64_t>(choice.algorithm)));
  CallSummary sum;
  for (std::size_t rank = 0; rank < arrivals.size(); ++rank) {
    const std::int64_t elapsed_ns = toNanoseconds(last_arrival - arrivals[rank] + took);
    const std::int64_t skew_ns = toNanoseconds((random.uniform() - 0.5) * took);
    sum.add({static_cast<std::int32_t>(rank), skew_ns - elapsed_ns, skew_ns, 0});
  }
  return sum;
}

std::vector<Turn> Game::play(Player& player) {
  std::vector<Turn> turns;
  std::set<std::pair<std::int32_t, std::string>> made;  // by communicator
  for (std::size_t i = 0; i < world_.calls.size(); ++i) {
    const WorldCall& call = world_.calls[i];
    const Player::Move move = player.next(call);
    Turn turn{.choice = move.plan.choice, .explores = move.explores, .best_choice = best_[i].choice};
    turn.best = call.warm_up * truth_.timeOf(call, best_[i].choice, best_[i].placed);
    turn.native = call.warm_up * truth_.timeOf(call, kNativeChoice, {});
    turn.cost = call.warm_up * truth_.timeOf(call, turn.choice, move.plan.placed);
    if (turn.choice.algorithm != kNativeAlgorithm &&
        made.emplace(call.communicator, formatChoice(turn.choice)).second) {
      turn.cost = world_.first_call * turn.cost;
    }
    turns.push_back(turn);
    placed_ = move.plan.placed;
    player.took(move.is_timed ? std::optional(seen(call, i, turn.cost, move)) : std::nullopt);
  }
  return turns;
}

std::string Game::describeBest(const std::vector<Turn>& turns) const {
  struct Sum {
    double calls = 0.0;
    Seconds best, native;
  };
  std::map<std::string, Sum> sums;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const char* arranged = best_[i].placed.empty() ? "ranks in order" : "ranks by arrivals";
    Sum& sum = sums[fmt::format("{}, {}", formatChoice(best_[i].choice), arranged)];
    sum.calls += 1.0;
    sum.best += turns[i].best;
    sum.native += turns[i].native;
  }
  std::string text;
  for (const auto& [plan, sum] : sums) {
    text += fmt::format("  best of {:.0f} calls: {}, {}, where native takes {}\n", sum.calls, plan,
                        formatDuration((1.0 / sum.calls) * sum.best), formatDuration((1.0 / sum.calls) * sum.native));
  }
  return text;
}

std::string Game::describeBeliefs(const Player& player) {
  std::vector<const WorldCall*> calls;
  for (auto call = world_.calls.rbegin(); call != world_.calls.rend() && calls.size() < kStretch; ++call) {
    if (call->key == world_.calls.back().key && call->machine == world_.calls.back().machine) calls.push_back(&*call);
  }
  struct Line {
    Seconds truth;
    Player::Belief belief;
  };
  std::vector<Line> lines;
  for (const Player::Belief& one : player.beliefs(world_.calls.back().key)) {
    Seconds sum;
    for (const WorldCall* call : calls) sum += truth_.timeOf(*call, one.choice, placed_);
    lines.push_back({1.0 / static_cast<double>(calls.size()) * sum, one});
  }
  std::ranges::sort(lines, {}, &Line::truth);
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& [truth, belief] = lines[i];
    if (i >= kBeliefs && belief.choice != kNativeChoice) continue;
    text += fmt::format("  at the end {}: believed {} +- {:.0f}% (n={}), in truth {}\n", formatChoice(belief.choice),
                        formatDuration(belief.expected), 100.0 * belief.deviation, belief.calls, formatDuration(truth));
  }
  return text;
}

Figures figuresOf(const World& world, const std::vector<Turn>& turns, const std::optional<Player::Claim>& claim) {
  Figures figures;
  const double best = sumOf(turns, &Turn::best);
  figures.regret = (sumOf(turns, &Turn::cost) - best) / best;
  figures.losses = lossesOf(turns, best);
  figures.over_native = sumOf(turns, &Turn::cost) / sumOf(turns, &Turn::native);
  for (std::size_t i = 0; i + kStretch <= turns.size(); ++i) {
    const std::span<const Turn> stretch = std::span(turns).subspan(i, kStretch);
    const double over_native = sumOf(stretch, &Turn::cost) / sumOf(stretch, &Turn::native);
    if (over_native <= figures.worst_stretch) continue;
    figures.worst_stretch = over_native;
    figures.worst_from = static_cast<std::int64_t>(i);
  }
  figures.exploration_calls = std::ranges::count_if(turns, &Turn::explores);
  if (!isDefinedFor(world)) return figures;
  if (claim) judgeClaim(turns, *claim, figures);
  const std::size_t change = world.change == 0 ? turns.size() : static_cast<std::size_t>(world.change);
  judgeOneKey(world, std::span(turns).first(change), figures);
  if (world.change == 0) return figures;
  const double calls = callsUntilNearBest(std::span(turns).subspan(change));
  (movesArrivals(world.arrivals) ? figures.followed_rank : figures.followed_cost) = calls;
  return figures;
}

std::vector<double> regretCurve(const std::vector<Turn>& turns, std::size_t step) {
  const double best = sumOf(turns, &Turn::best);
  std::vector<double> curve;
  double regret = 0.0;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    regret += (turns[i].cost - turns[i].best).value;
    if ((i + 1) % step == 0) curve.push_back(regret / best);
  }
  return curve;
}

}  // namespace starling::gym
