// What several ways to do one thing take, as far as a model and noisy measurements tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace starling {

// Holds a normal distribution of the logarithms of the costs of several arms, in which they depend on each other: what
// the model is wrong by for all of them, and what makes all slower from one day to the next, is learned from any. A
// Kalman filter (Kalman 1960): costs wander between measurements, together and each by itself, so that what was
// measured long ago is known less well. How far measurements scatter is learned of each arm, beginning with what all of
// them do: where cores are busy some suffer more than others. A measurement counts for no more than it may be off by
// chance; where several in a row are off to one side, which Page's test finds (cumulative sums; Page 1954), the costs
// have changed. What an arm that has changed says of the others then is a guess, which is taken back where the arm soon
// costs what it did before: that was a disturbance.
// Costs are natural logarithms of seconds; deviations are of these, so that 0.1 is about 10%.
// THREADS: not thread-safe.
class CostBeliefs {
 public:
  // `common_deviation` is that of what the model is wrong by for all arms.
  explicit CostBeliefs(double common_deviation);
  ~CostBeliefs();
  CostBeliefs(const CostBeliefs& other);
  CostBeliefs(CostBeliefs&&) noexcept;
  CostBeliefs& operator=(CostBeliefs&&) noexcept;

  // Adds an arm that the model predicts to cost so much, but for an error of its own. Returns its index. All arms are
  // added before anything is measured.
  std::size_t add(double cost, double deviation);
  // The same for an arm that the model predicts in another way: what it is wrong by for all others says nothing of it.
  std::size_t addApart(double cost, double deviation);
  // Adds an arm that is nearly another one: what is found of either says as much of both, but for such an error.
  std::size_t addLike(std::size_t arm, double cost, double deviation);
  std::size_t size() const;

  // Takes a measurement of one arm, which has this error beside the noise. Returns true where it shows that costs have
  // changed: all are less well known then.
  bool observe(std::size_t arm, double cost, double error = 0.0);
  // Takes the first measurement of an arm, which may have been slow because it was the first, and never fast because of
  // that. By how much first calls take longer is learned from the calls that follow them.
  void observeFirst(std::size_t arm, double cost, double error = 0.0);
  // Takes a measurement of an arm in place of all that was known of it.
  void observeAnew(std::size_t arm, double cost, double error = 0.0);
  // Takes what is known from elsewhere: an arm costs so much, but for an error.
  void observeCost(std::size_t arm, double cost, double deviation);
  // Likewise: arm `a` costs more than `b` by `difference`, but for an error.
  void observeDifference(std::size_t a, std::size_t b, double difference, double deviation);
  // Notes that so many calls were made since the latest measurement.
  void age(std::int64_t calls);
  // Changes what is known of one arm, because it is another one now: it costs more by `difference`, but for an error.
  void shift(std::size_t arm, double difference, double deviation);

  // Says that measurements of the arm scatter by so many times what those of others do; as far as theirs, else. What is
  // known of its own is scaled.
  void setScatter(std::size_t arm, double scatter);

  // Notes that the model is wrong by so much for all arms but those that it predicts in another way.
  void shiftAll(double difference);
  // Makes all arms but one less well known, in what they have in common.
  void loosenAllBut(std::size_t arm, double deviation);

  double cost(std::size_t arm) const;
  double deviation(std::size_t arm) const;
  // Returns the deviation of the difference between two arms.
  double deviationBetween(std::size_t a, std::size_t b) const;
  // Returns the probability that the first costs less than the second.
  double probabilityOfLess(std::size_t a, std::size_t b) const;
  // Returns the deviation of one measurement of the arm.
  double noise(std::size_t arm) const;
  // Returns by how much less than `best` one of them will be found to cost in the mean, if `arm` is measured so often,
  // and is taken only where it is less by more than `least`.
  double expectedGain(std::size_t arm, std::size_t best, std::int64_t measurements, double least) const;

 private:
  void observeChange(std::size_t arm, double cost);
  // Returns whether an arm costs again what it did before it changed, as measurements say, of which this is one.
  bool isBack(std::size_t arm, double cost, double variance);

  struct State;  // keeps Eigen out of this header
  std::unique_ptr<State> state_;
};

}  // namespace starling
