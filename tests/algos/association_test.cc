// The one association of the rows that reproducible mode may use, against a reference computed in a row.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

#include "simulator/simulated_choice.h"
#include "variations.h"

namespace starling {
namespace {

constexpr unsigned kSeed = 17;
constexpr int kPatterns = 100;
constexpr std::int32_t kMostRanks = std::min(17, kProvedRanks);

std::vector<const Algorithm*> rowsOfOneAssociation() {
  std::vector<const Algorithm*> rows;
  for (const Algorithm& row : catalogue()) {
    if (row.fixed_association) rows.push_back(&row);
  }
  return rows;
}

// As the documentation says: of P ranks, the first 2 (P - 2^k) combine in neighbouring pairs, so that 2^k values are
// left (2^k the largest power of two up to P); of those always the neighbours in pairs.
template <typename Value>
Value combinedInRow(std::vector<Value> values, const std::function<Value(const Value&, const Value&)>& operation) {
  const std::size_t pairs = values.size() - std::bit_floor(values.size());
  std::vector<Value> left;
  for (std::size_t i = 0; i < pairs; ++i) left.push_back(operation(values[2 * i], values[2 * i + 1]));
  left.insert(left.end(), values.begin() + static_cast<std::ptrdiff_t>(2 * pairs), values.end());
  for (; left.size() > 1; left.resize(left.size() / 2)) {
    for (std::size_t i = 0; i < left.size() / 2; ++i) left[i] = operation(left[2 * i], left[2 * i + 1]);
  }
  return left.front();
}

class Association : public testing::TestWithParam<const Algorithm*> {
 protected:
  // Runs the row over many arrival patterns and compares every element of every rank.
  template <typename Value>
  void check(const std::function<Value(std::int32_t, std::int64_t)>& input,
             const std::function<Value(const Value&, const Value&)>& operation) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed);
    for (std::int32_t ranks = 2; ranks <= kMostRanks; ++ranks) {
      const std::int64_t count = 2 * ranks + 3;
      std::vector<std::vector<Value>> inputs(ranks);
      std::vector<Value> expected;
      for (std::int64_t i = 0; i < count; ++i) {
        std::vector<Value> operands;
        for (std::int32_t rank = 0; rank < ranks; ++rank) operands.push_back(input(rank, i));
        for (std::int32_t rank = 0; rank < ranks; ++rank) inputs[rank].push_back(operands[rank]);
        expected.push_back(combinedInRow(operands, operation));
      }
      for (int pattern = 0; pattern < kPatterns; ++pattern) {
        const std::vector<Schedule> schedules = schedulesUnder(pattern, ranks, count);
        ASSERT_EQ(interpret<Value>(schedules, inputs, operation), std::vector(ranks, expected))
            << ranks << " ranks, pattern " << pattern;
      }
    }
  }

 private:
  // A vector takes 0.8 ms to 2 ms here; the patterns' delays are of that order, with one rank, some or all of them
  // late.
  std::vector<Schedule> schedulesUnder(int pattern, std::int32_t ranks, std::int64_t count) {
    Choice choice{GetParam()->id, defaultParameters(*GetParam())};
    setStepTime(choice, {.ranks = ranks, .count = count}, Bytes{8}, {.alpha = {1e-4}, .beta = 1e-8});
    std::vector<std::int64_t> lateness = randomLateness(ranks, 5'000'000, random_);
    if (pattern % 3 != 0) {
      const std::int64_t late = pattern % 3 == 1 ? 1 : 1 + pattern % ranks;
      std::fill(lateness.begin(), lateness.end(), 0);
      for (std::int64_t i = 0; i < late; ++i) lateness[(pattern + i) % ranks] = 10'000'000;
    }
    return buildAll(choice, {.ranks = ranks, .count = count, .commutative = false}, lateness);
  }

  std::mt19937 random_{kSeed};
};

INSTANTIATE_TEST_SUITE_P(Catalogue, Association, testing::ValuesIn(rowsOfOneAssociation()),
                         [](const auto& row) { return std::string(row.param->name); });

TEST_P(Association, isTheStatedOneWhateverTheArrivals) {
  check<std::string>([](std::int32_t rank, std::int64_t) { return std::string(1, static_cast<char>('a' + rank)); },
                     [](const std::string& left, const std::string& right) { return "(" + left + right + ")"; });
}

TEST_P(Association, givesTheBitsOfTheReferenceForInexactSums) {
  check<double>(
      [](std::int32_t rank, std::int64_t i) {
        return std::ldexp(1.0 + 0.37 * static_cast<double>(i % 7), 7 * (rank % 5)) / (rank + 3.0);
      },
      [](const double& left, const double& right) { return left + right; });
}

TEST_P(Association, multipliesMatricesInRankOrder) {
  using Matrix = std::array<std::int64_t, 4>;  // modulo a prime, rows first
  constexpr std::int64_t kPrime = 1'000'003;
  check<Matrix>(
      [](std::int32_t rank, std::int64_t i) {
        return Matrix{rank + 1, i + 2, 3 * i + rank, 5 + rank};
      },
      [](const Matrix& a, const Matrix& b) {
        return Matrix{(a[0] * b[0] + a[1] * b[2]) % kPrime, (a[0] * b[1] + a[1] * b[3]) % kPrime,
                      (a[2] * b[0] + a[3] * b[2]) % kPrime, (a[2] * b[1] + a[3] * b[3]) % kPrime};
      });
}

}  // namespace
}  // namespace starling
