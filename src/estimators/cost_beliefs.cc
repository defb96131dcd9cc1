#include "estimators/cost_beliefs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "estimators/cost_distribution.h"

namespace starling {
namespace {

// The deviation of a measurement is taken to be this until there are some: the prior weighs as much as so many.
constexpr double kUsualNoise = 0.08;
constexpr double kNoiseWeight = 4.0;
// The noise is that of the latest measurements, and never less than this.
constexpr double kNoiseMemory = 64.0;
constexpr double kLeastNoise = 0.01;
// The noise of one arm is that of all, which weighs as much as so many measurements, and its own.
constexpr double kCommonNoiseWeight = 4.0;

// A measurement counts for no more than so many deviations.
constexpr double kMostDeviations = 3.0;

// Page's test: what is off by less than this many deviations is no sign, and so many in sum are one.
constexpr double kSlack = 0.75;
constexpr double kAlarm = 6.0;
// After a change costs are known but within these deviations: of all together, of the arm where it was seen alone, and
// of each other one.
constexpr double kCommonChange = 0.4;
constexpr double kOwnChange = 0.4;
constexpr double kOthersChange = 0.12;

// A change is taken back within so many measurements of the arm, by a sum of logarithms of likelihoods that must reach
// kAlarm, and to which one measurement adds no more than this.
constexpr std::int64_t kChangeMayPass = 64;
constexpr double kMostEvidence = kMostDeviations - kSlack;

// The first call of an arm is never shorter for that, and longer by this in the mean until it is known by how much.
// This weighs as much as so many arms, and the mean is never taken to be less than the last of these.
constexpr double kFirstExcess = 0.3;
constexpr double kFirstWeight = 1.0;
constexpr double kLeastFirstExcess = 0.02;
// No more than this is put down to that, and what is left then is known but for such a deviation.
constexpr double kMostFirstExcess = 1.4;
constexpr double kFirstDeviation = 0.3;

double density(double x) { return std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi); }
double probabilityBelow(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

// Returns by how much the mean of a normal distribution grows, in its deviations, when what lies below zero is taken
// away, and its mean lies so far above zero.
double growthOfPositive(double mean) {
  constexpr double kFarBelow = -8.0;  // from where on both are too small to be divided, and a series is exact enough
  if (mean < kFarBelow) return -mean - 1.0 / mean;
  return density(mean) / probabilityBelow(mean);
}

}  // namespace

struct CostBeliefs::State {
  explicit State(double common_variance) : costs(common_variance) {}

  CostDistribution costs;
  struct Arm {
    double above = 0.0;  // sums of Page's test
    double below = 0.0;
    double latest = std::numeric_limits<double>::quiet_NaN();
    double first = std::numeric_limits<double>::quiet_NaN();  // of its calls, until there is another
    double noise_sum = 0.0;
    double noise_weight = 0.0;
    double scatter = 1.0;

    // Its noise is still that of before.
    void forgetCosts() {
      above = below = 0.0;
      latest = first = std::numeric_limits<double>::quiet_NaN();
    }
  };
  std::vector<Arm> arms;

  // What was known of all when an arm was measured.
  struct Knowledge {
    std::size_t arm = 0;
    CostDistribution costs;
    std::int64_t calls = 0;  // that were made since
  };
  std::optional<Knowledge> quiet;  // when the arm that was measured last was not off to one side
  struct Change {
    Knowledge before;
    double changed_to = 0.0;
    double evidence = 0.0;          // that the arm is back
    std::int64_t measurements = 0;  // of it
  };
  std::optional<Change> change;  // which may pass

  double noise_sum = kNoiseWeight * kUsualNoise * kUsualNoise;
  double noise_weight = kNoiseWeight;

  double first_sum = kFirstWeight * kFirstExcess;
  double first_weight = kFirstWeight;
  double firstExcess() const { return std::max(first_sum / first_weight, kLeastFirstExcess); }

  // By how much first calls take longer depends on the machine, and hardly on the arm.
  void learnFirst(Arm& arm, double cost) {
    if (std::isnan(arm.first)) return;
    first_sum += std::clamp(arm.first - cost, 0.0, kMostFirstExcess);
    first_weight += 1.0;
    arm.first = std::numeric_limits<double>::quiet_NaN();
  }

  double noiseVariance() const { return std::max(noise_sum / noise_weight, kLeastNoise * kLeastNoise); }
  double noiseVariance(const Arm& arm) const {
    const double expected = arm.scatter * arm.scatter * noiseVariance();
    return (kCommonNoiseWeight * expected + arm.noise_sum) / (kCommonNoiseWeight + arm.noise_weight);
  }

  // Two measurements of one arm differ by noise alone, or nearly so.
  void learnNoise(Arm& arm, double cost) {
    if (!std::isnan(arm.latest)) {
      const double limit = kMostDeviations * kMostDeviations * noiseVariance(arm);
      const double square = std::min(0.5 * (cost - arm.latest) * (cost - arm.latest), limit);
      const double keep = 1.0 - 1.0 / kNoiseMemory;
      noise_sum = keep * noise_sum + square / (arm.scatter * arm.scatter);
      noise_weight = keep * noise_weight + 1.0;
      arm.noise_sum = keep * arm.noise_sum + square;
      arm.noise_weight = keep * arm.noise_weight + 1.0;
    }
    arm.latest = cost;
  }

  Knowledge knowledgeFor(std::size_t arm) const { return {arm, costs, 0}; }
  // What was known applies to other costs now.
  void forgetFormer() {
    quiet.reset();
    change.reset();
  }

  // Returns whether the measurement is the last of several that tell of a change.
  bool tellsOfChange(Arm& arm, double deviations) {
    arm.above = std::max(0.0, arm.above + deviations - kSlack);
    arm.below = std::max(0.0, arm.below - deviations - kSlack);
    return arm.above > kAlarm || arm.below > kAlarm;
  }
};

CostBeliefs::CostBeliefs(double common_deviation)
    : state_(std::make_unique<State>(common_deviation * common_deviation)) {}
CostBeliefs::~CostBeliefs() = default;
CostBeliefs::CostBeliefs(const CostBeliefs& other) : state_(std::make_unique<State>(*other.state_)) {}
CostBeliefs::CostBeliefs(CostBeliefs&&) noexcept = default;
CostBeliefs& CostBeliefs::operator=(CostBeliefs&&) noexcept = default;

std::size_t CostBeliefs::size() const { return state_->arms.size(); }

std::size_t CostBeliefs::add(double cost, double deviation) {
  state_->arms.emplace_back();
  return state_->costs.add(cost, deviation, false);
}

std::size_t CostBeliefs::addApart(double cost, double deviation) {
  state_->arms.emplace_back();
  return state_->costs.add(cost, deviation, true);
}

std::size_t CostBeliefs::addLike(std::size_t arm, double cost, double deviation) {
  state_->arms.emplace_back();
  return state_->costs.addLike(arm, cost, deviation);
}

bool CostBeliefs::observe(std::size_t arm, double cost, double error) {
  State& state = *state_;
  State::Arm& measured = state.arms[arm];
  // What is known to be disturbed says nothing of the noise.
  if (error * error <= state.noiseVariance(measured)) {
    state.learnNoise(measured, cost);
    state.learnFirst(measured, cost);
  }
  const double variance = state.noiseVariance(measured) + error * error;
  if (isBack(arm, cost, variance)) {
    state.costs = state.change->before.costs;
    state.costs.walk(state.change->before.calls);
    for (State::Arm& one : state.arms) one.above = one.below = 0.0;
    state.forgetFormer();
  }
  if (measured.above <= 0.0 && measured.below <= 0.0) state.quiet = state.knowledgeFor(arm);
  const double spread = std::sqrt(state.costs.variance(arm) + variance);
  const double deviations = std::clamp((cost - state.costs.cost(arm)) / spread, -kMostDeviations, kMostDeviations);
  const bool has_changed = state.tellsOfChange(measured, deviations);
  if (has_changed)
    observeChange(arm, cost);
  else
    state.costs.update(arm, deviations * spread, variance);
  return has_changed;
}

void CostBeliefs::observeChange(std::size_t arm, double cost) {
  State& state = *state_;
  for (State::Arm& one : state.arms) {
    one.above = one.below = 0.0;
    one.first = std::numeric_limits<double>::quiet_NaN();
  }
  if (!state.change || state.change->before.arm != arm) {
    const bool was_quiet = state.quiet && state.quiet->arm == arm;
    state.change = {.before = was_quiet ? *state.quiet : state.knowledgeFor(arm)};
  }
  state.change->changed_to = cost;
  state.change->evidence = 0.0;
  state.costs.loosen(kCommonChange, kOthersChange);
  state.costs.loosenOne(arm, kOwnChange);
  state.costs.update(arm, cost - state.costs.cost(arm), state.noiseVariance(state.arms[arm]));
}

bool CostBeliefs::isBack(std::size_t arm, double cost, double variance) {
  std::optional<State::Change>& change = state_->change;
  if (!change || change->before.arm != arm) return false;
  if (++change->measurements > kChangeMayPass) {
    change.reset();
    return false;
  }
  const double from_now = cost - change->changed_to;
  const double from_former = cost - change->before.costs.cost(arm);
  const double evidence = 0.5 * (from_now * from_now - from_former * from_former) / variance;
  change->evidence = std::max(0.0, change->evidence + std::clamp(evidence, -kMostEvidence, kMostEvidence));
  return change->evidence > kAlarm;
}

void CostBeliefs::observeCost(std::size_t arm, double cost, double deviation) {
  state_->costs.update(arm, cost - state_->costs.cost(arm), deviation * deviation);
}

void CostBeliefs::observeDifference(std::size_t a, std::size_t b, double difference, double deviation) {
  state_->costs.updateDifference(a, b, difference, deviation * deviation);
}

void CostBeliefs::observeFirst(std::size_t arm, double cost, double error) {
  State& state = *state_;
  const double variance = state.costs.variance(arm) + state.noiseVariance(state.arms[arm]) + error * error;
  const double deviation = std::sqrt(variance);
  const double off = std::max(cost - state.costs.cost(arm), -kMostDeviations * deviation);
  // Before the call the excess has an exponential distribution. After it that is a normal one without its negative
  // part, of which this is how far its mean lies above zero, in deviations, before that part was taken away.
  const double above = off / deviation - deviation / state.firstExcess();
  const double growth = growthOfPositive(above);
  const double excess = deviation * (above + growth);
  double told = std::clamp(growth * (growth + above), 0.0, 1.0);  // of what a call tells whose excess is known
  if (excess > kMostFirstExcess) told = std::max(told, 1.0 - kFirstDeviation * kFirstDeviation / variance);
  if (error * error <= state.noiseVariance(state.arms[arm])) state.arms[arm].first = cost;
  const double own = std::min(off - std::min(excess, kMostFirstExcess), kMostDeviations * deviation);
  state.costs.updateInPart(arm, own, variance, told);
}

void CostBeliefs::age(std::int64_t calls) {
  state_->costs.walk(calls);
  if (state_->quiet) state_->quiet->calls += calls;
  if (state_->change) state_->change->before.calls += calls;
}

void CostBeliefs::shift(std::size_t arm, double difference, double deviation) {
  state_->costs.shift(arm, difference);
  state_->costs.loosenOne(arm, deviation);
  state_->arms[arm].forgetCosts();
  state_->forgetFormer();
  state_->costs.bound();
}

void CostBeliefs::setScatter(std::size_t arm, double scatter) {
  State::Arm& changed = state_->arms[arm];
  const double times = scatter / changed.scatter;
  changed.noise_sum *= times * times;
  changed.scatter = scatter;
}

void CostBeliefs::shiftAll(double difference) {
  state_->forgetFormer();
  state_->costs.shiftCommon(difference);
}

void CostBeliefs::observeAnew(std::size_t arm, double cost, double error) {
  State& state = *state_;
  state.arms[arm].forgetCosts();
  state.forgetFormer();
  state.costs.replace(arm, cost, state.noiseVariance(state.arms[arm]) + error * error);
}

void CostBeliefs::loosenAllBut(std::size_t arm, double deviation) {
  state_->costs.loosenAllBut(arm, deviation);
  state_->forgetFormer();
}

double CostBeliefs::cost(std::size_t arm) const { return state_->costs.cost(arm); }

double CostBeliefs::deviation(std::size_t arm) const { return std::sqrt(std::max(state_->costs.variance(arm), 0.0)); }

double CostBeliefs::deviationBetween(std::size_t a, std::size_t b) const {
  return std::sqrt(std::max(state_->costs.varianceBetween(a, b), 0.0));
}

double CostBeliefs::probabilityOfLess(std::size_t a, std::size_t b) const {
  const double spread = deviationBetween(a, b);
  const double less = cost(b) - cost(a);
  if (spread <= 0.0) return less > 0.0 ? 1.0 : 0.0;
  return probabilityBelow(less / spread);
}

double CostBeliefs::noise(std::size_t arm) const { return std::sqrt(state_->noiseVariance(state_->arms[arm])); }

double CostBeliefs::expectedGain(std::size_t arm, std::size_t best, std::int64_t measurements, double least) const {
  const double variance = std::pow(deviationBetween(arm, best), 2);
  const double noise = state_->noiseVariance(state_->arms[arm]) / static_cast<double>(measurements);
  if (variance <= 0.0) return 0.0;
  const double learned =
      variance / std::sqrt(variance + noise);  // deviation of what the difference will be found to be
  const double far = (cost(arm) - cost(best) + least) / learned;
  return learned * (density(far) - far * probabilityBelow(-far));
}

}  // namespace starling
