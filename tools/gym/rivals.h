// Published and well known ways to choose among algorithms while a program runs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "player.h"
#include "random.h"
#include "tuner/key_arrivals.h"

namespace starling::gym {

// One of several algorithms, with what its calls took.
struct Arm {
  Choice choice;
  std::vector<double> times;  // seconds

  double mean() const;
};

// Chooses an arm for each call of one key.
class Rule {
 public:
  struct Pick {
    std::size_t arm = 0;
    bool explores = false;
  };

  virtual ~Rule() = default;
  // The first arm is native. `calls` counts those that were made.
  virtual Pick pick(std::span<const Arm> arms, std::int64_t calls) = 0;
};

// Plays by a rule of its own for each key.
class RulePlayer : public Player {
 public:
  using MakeRule = std::function<std::unique_ptr<Rule>(std::uint64_t seed)>;
  RulePlayer(const World& world, MakeRule make) : world_(world), make_(std::move(make)) {}

  Move next(const WorldCall& call) override;
  void took(const std::optional<CallSummary>& seen) override;

 private:
  struct Key {
    std::unique_ptr<Rule> rule;
    std::vector<Arm> arms;
    KeyArrivals arrivals;
    KeyPlan plan;
    std::int64_t calls = 0;
  };
  using KeyName = std::pair<std::int32_t, std::int32_t>;  // communicator and key

  Key& keyOf(const WorldCall& call);
  std::vector<Arm> armsOf(const WorldCall& call);

  const World& world_;
  MakeRule make_;
  std::map<KeyName, Key> keys_;
  std::map<std::int64_t, std::vector<Arm>> arms_of_;  // by count of elements
  Key* running_ = nullptr;
  std::size_t arm_ = 0;
};

std::unique_ptr<Rule> alwaysNative();
// STAR-MPI (Faraj, Yuan, Lowenthal 2006): each algorithm so many calls, then the one of least mean, which is watched:
// where its mean has become more than 10% slower than the second best's was, that one is taken.
std::unique_ptr<Rule> starMpi(std::int64_t calls_each);
// Intel MPI's autotuner with its default of one call each: the fastest is kept for good.
std::unique_ptr<Rule> oneCallEach();
std::unique_ptr<Rule> epsilonGreedy(double epsilon, std::uint64_t seed);
// UCB1 (Auer, Cesa-Bianchi, Fischer 2002), of times divided by the longest.
std::unique_ptr<Rule> upperConfidence();
// Thompson's sampling from normal distributions of the logarithm of times.
std::unique_ptr<Rule> thompsonSampling(std::uint64_t seed);
// Successive halving (Karnin, Koren, Somekh 2013): rounds of equal length, after each of which the slower half is left.
std::unique_ptr<Rule> successiveHalving(std::int64_t calls_in_round);

}  // namespace starling::gym
