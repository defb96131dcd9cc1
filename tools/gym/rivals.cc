#include "rivals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "tuner/candidates.h"

namespace starling::gym {
namespace {

std::size_t leastMean(std::span<const Arm> arms) {
  const auto meanOf = [](const Arm& arm) {
    return arm.times.empty() ? std::numeric_limits<double>::infinity() : arm.mean();
  };
  return static_cast<std::size_t>(std::ranges::min_element(arms, {}, meanOf) - arms.begin());
}

class AlwaysNative : public Rule {
 public:
  Pick pick(std::span<const Arm> /*arms*/, std::int64_t /*calls*/) override { return {}; }
};

class StarMpi : public Rule {
 public:
  explicit StarMpi(std::int64_t calls_each) : calls_each_(calls_each) {}

  Pick pick(std::span<const Arm> arms, std::int64_t calls) override {
    const auto trials = calls_each_ * static_cast<std::int64_t>(arms.size());
    if (calls < trials) return {static_cast<std::size_t>(calls / calls_each_), true};
    if (calls == trials) choose(arms);
    watch(arms);
    return {chosen_, false};
  }

 private:
  void choose(std::span<const Arm> arms) {
    std::vector<double> means;
    for (const Arm& arm : arms) means.push_back(arm.mean());
    chosen_ = leastMean(arms);
    means[chosen_] = std::numeric_limits<double>::infinity();
    second_ = static_cast<std::size_t>(std::ranges::min_element(means) - means.begin());
    second_mean_ = arms[second_].mean();
    watched_from_ = arms[chosen_].times.size();
  }

  void watch(std::span<const Arm> arms) {
    const std::vector<double>& times = arms[chosen_].times;
    if (times.size() < watched_from_ + static_cast<std::size_t>(calls_each_)) return;
    const double mean = std::accumulate(times.end() - calls_each_, times.end(), 0.0) / static_cast<double>(calls_each_);
    watched_from_ = times.size();
    if (mean <= 1.1 * second_mean_) return;
    second_mean_ = mean;
    std::swap(chosen_, second_);
    watched_from_ = arms[chosen_].times.size();
  }

  std::int64_t calls_each_;
  std::size_t chosen_ = 0;
  std::size_t second_ = 0;
  std::size_t watched_from_ = 0;
  double second_mean_ = 0.0;
};

class OneCallEach : public Rule {
 public:
  Pick pick(std::span<const Arm> arms, std::int64_t calls) override {
    const auto size = static_cast<std::int64_t>(arms.size());
    if (calls < size) return {static_cast<std::size_t>(calls), true};
    if (calls == size) kept_ = leastMean(arms);
    return {kept_, false};
  }

 private:
  std::size_t kept_ = 0;
};

class EpsilonGreedy : public Rule {
 public:
  EpsilonGreedy(double epsilon, std::uint64_t seed) : epsilon_(epsilon), random_(seed) {}

  Pick pick(std::span<const Arm> arms, std::int64_t calls) override {
    if (calls < static_cast<std::int64_t>(arms.size())) return {static_cast<std::size_t>(calls), true};
    if (random_.uniform() <= epsilon_) return {static_cast<std::size_t>(random_.below(arms.size())), true};
    return {leastMean(arms), false};
  }

 private:
  double epsilon_;
  Random random_;
};

class UpperConfidence : public Rule {
 public:
  Pick pick(std::span<const Arm> arms, std::int64_t calls) override {
    if (calls < static_cast<std::int64_t>(arms.size())) return {static_cast<std::size_t>(calls), true};
    double longest = 0.0;
    for (const Arm& arm : arms) longest = std::max(longest, *std::ranges::max_element(arm.times));
    const auto boundOf = [&](const Arm& arm) {
      const double spread =
          std::sqrt(2.0 * std::log(static_cast<double>(calls)) / static_cast<double>(arm.times.size()));
      return arm.mean() / longest - spread;
    };
    const auto picked = static_cast<std::size_t>(std::ranges::min_element(arms, {}, boundOf) - arms.begin());
    return {picked, picked != leastMean(arms)};
  }
};

class ThompsonSampling : public Rule {
 public:
  explicit ThompsonSampling(std::uint64_t seed) : random_(seed) {}

  Pick pick(std::span<const Arm> arms, std::int64_t calls) override {
    if (calls < static_cast<std::int64_t>(arms.size())) return {static_cast<std::size_t>(calls), true};
    std::vector<double> drawn;
    for (const Arm& arm : arms) drawn.push_back(draw(arm));
    const auto picked = static_cast<std::size_t>(std::ranges::min_element(drawn) - drawn.begin());
    return {picked, picked != leastMean(arms)};
  }

 private:
  double draw(const Arm& arm) {
    constexpr double kPriorDeviation = 0.2;  // of the logarithm of a time
    double sum = 0.0;
    double squares = 0.0;
    for (const double time : arm.times) {
      sum += std::log(time);
      squares += std::log(time) * std::log(time);
    }
    const auto n = static_cast<double>(arm.times.size());
    const double mean = sum / n;
    const double variance = (kPriorDeviation * kPriorDeviation + std::max(squares - n * mean * mean, 0.0)) / n;
    const double normal =
        std::sqrt(-2.0 * std::log(random_.uniform())) * std::cos(2.0 * std::numbers::pi * random_.uniform());
    return mean + std::sqrt(variance / n) * normal;
  }

  Random random_;
};

class SuccessiveHalving : public Rule {
 public:
  explicit SuccessiveHalving(std::int64_t calls_in_round) : calls_in_round_(calls_in_round) {}

  Pick pick(std::span<const Arm> arms, std::int64_t calls) override {
    if (left_.empty()) {
      left_.resize(arms.size());
      std::iota(left_.begin(), left_.end(), std::size_t{0});
      round_ends_ = lengthOfRound();
    }
    if (left_.size() > 1 && calls >= round_ends_) {
      std::ranges::sort(left_, {}, [&](std::size_t arm) { return arms[arm].mean(); });
      left_.resize((left_.size() + 1) / 2);
      round_ends_ = calls + lengthOfRound();
    }
    return {left_[static_cast<std::size_t>(calls) % left_.size()], left_.size() > 1};
  }

 private:
  std::int64_t lengthOfRound() const { return std::max(calls_in_round_, static_cast<std::int64_t>(left_.size())); }

  std::int64_t calls_in_round_;
  std::vector<std::size_t> left_;
  std::int64_t round_ends_ = 0;
};

}  // namespace

double Arm::mean() const {
  return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

std::vector<Arm> RulePlayer::armsOf(const WorldCall& call) {
  const Signature& signature = world_.keys[static_cast<std::size_t>(call.key)].signature;
  const auto [found, is_new] = arms_of_.try_emplace(signature.count);
  if (!is_new) return found->second;
  const CandidateQuery query{.shape = {.ranks = world_.ranks, .count = signature.count},
                             .element_size = Bytes{signature.element_size},
                             .model = world_.belief,
                             .lateness_ns = {}};
  found->second = {{}};
  for (const Candidate& candidate : bestForms(rankCandidates(query))) {
    found->second.push_back({candidate.choice, {}});
  }
  return found->second;
}

RulePlayer::Key& RulePlayer::keyOf(const WorldCall& call) {
  const KeyName name{call.communicator, call.key};
  if (const auto found = keys_.find(name); found != keys_.end()) return found->second;
  const std::uint64_t seed = seedOf(world_.seed, 100 + keys_.size());
  return keys_.try_emplace(name, Key{make_(seed), armsOf(call), KeyArrivals(world_.ranks), {}, 0}).first->second;
}

Player::Move RulePlayer::next(const WorldCall& call) {
  running_ = &keyOf(call);
  running_->arrivals.arrange(running_->plan, false, TablePolicy::kSort);
  const Rule::Pick pick = running_->rule->pick(running_->arms, running_->calls);
  arm_ = pick.arm;
  return {{running_->arms[arm_].choice, running_->plan.placed}, pick.explores, true};
}

void RulePlayer::took(const std::optional<CallSummary>& seen) {
  const CallTimes times = timesOf(seen.value(), world_.noise.kind != NoiseKind::kElapsedOnly);
  running_->arms[arm_].times.push_back(std::max(times.compared.value, 1e-9));
  running_->arrivals.observe(times.pattern, times.clock_error);
  ++running_->calls;
}

std::unique_ptr<Rule> alwaysNative() { return std::make_unique<AlwaysNative>(); }
std::unique_ptr<Rule> starMpi(std::int64_t calls_each) { return std::make_unique<StarMpi>(calls_each); }
std::unique_ptr<Rule> oneCallEach() { return std::make_unique<OneCallEach>(); }
std::unique_ptr<Rule> epsilonGreedy(double epsilon, std::uint64_t seed) {
  return std::make_unique<EpsilonGreedy>(epsilon, seed);
}
std::unique_ptr<Rule> upperConfidence() { return std::make_unique<UpperConfidence>(); }
std::unique_ptr<Rule> thompsonSampling(std::uint64_t seed) { return std::make_unique<ThompsonSampling>(seed); }
std::unique_ptr<Rule> successiveHalving(std::int64_t calls_in_round) {
  return std::make_unique<SuccessiveHalving>(calls_in_round);
}

}  // namespace starling::gym
