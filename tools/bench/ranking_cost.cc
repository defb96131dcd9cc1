// starling-ranking-cost: what it takes to rank all algorithms for a call, and how good the ranking is.
//
//   starling-ranking-cost [--loss] [--ranks-per-node N] RANKS...
//
// It needs no other ranks. Calls have 2 floats to 1 Mi, nobody, one, two, four or all ranks late by 1 to 100 ms, and 1
// or N ranks on each node, by default 8. Times are CPU milliseconds of one core, of each call the median of 9. With
// --loss all algorithms are simulated exactly, too, which takes minutes from 128 ranks on: the loss is by how much the
// algorithm that is predicted to be fastest is slower than the fastest.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <random>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "algos/tree_search.h"
#include "simulator/simulated_choice.h"
#include "tuner/candidates.h"
#include "whole_number.h"

namespace starling::bench {
namespace {

constexpr std::size_t kTried = 4;  // of those that are predicted to be fastest, the best of which counts
constexpr Bytes kFloat{4};
constexpr double kNoticeable = 0.03;
constexpr int kMostRanks = 100'000;

enum class Late { kNobody, kOneLong, kOneShort, kTwo, kFour, kAllShort, kAllLong };
constexpr std::array kLate{Late::kNobody, Late::kOneLong,  Late::kOneShort, Late::kTwo,
                           Late::kFour,   Late::kAllShort, Late::kAllLong};

// Latenesses by virtual rank, rising.
std::vector<std::int64_t> latenessOf(Late late, std::int32_t ranks) {
  std::vector<std::int64_t> lateness_ns(static_cast<std::size_t>(ranks));
  const auto last = [&](std::ptrdiff_t number, std::int64_t late_ns) {
    std::fill(lateness_ns.end() - std::min<std::ptrdiff_t>(number, ranks), lateness_ns.end(), late_ns);
  };
  std::mt19937 random(static_cast<unsigned>(ranks));
  const auto all = [&](std::int64_t most_ns) {
    for (std::int64_t& one : lateness_ns) one = static_cast<std::int64_t>(random() % static_cast<unsigned>(most_ns));
    std::sort(lateness_ns.begin(), lateness_ns.end());
  };
  switch (late) {
    case Late::kNobody:
      return {};
    case Late::kOneLong:
      last(1, 100'000'000);
      break;
    case Late::kOneShort:
      last(1, 1'000'000);
      break;
    case Late::kTwo:
      last(2, 10'000'000);
      break;
    case Late::kFour:
      last(4, 100'000'000);
      break;
    case Late::kAllShort:
      all(1'000'000);
      break;
    case Late::kAllLong:
      all(100'000'000);
      break;
  }
  return lateness_ns;
}

CandidateQuery queryOf(std::int32_t ranks, std::int64_t count, Late late, std::int32_t per_node) {
  CandidateQuery query{.shape = {.ranks = ranks, .count = count},
                       .element_size = kFloat,
                       .model = {.alpha = {4e-6}, .beta = 8e-9, .gamma = 1.5e-13, .ports = 1, .shared = true},
                       .lateness_ns = latenessOf(late, ranks)};
  if (per_node == 1) return query;
  query.model.inner_alpha = {5e-7};
  query.model.inner_beta = 2e-10;
  for (std::int32_t rank = 0; rank < ranks; ++rank) query.topology.nodes.push_back(rank / per_node);
  if (ranks <= kMaxLinkedRanks) {
    query.topology.trees = topologyTrees(&query.topology, ranks, std::min(kMaxTrees, ranks));
  }
  return query;
}

double cpuMilliseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

double costOf(const CandidateQuery& query) {
  std::array<double, 9> times{};
  for (double& time : times) {
    const double begin = cpuMilliseconds();
    static_cast<void>(rankCandidates(query));
    time = cpuMilliseconds() - begin;
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

double exactTime(const CandidateQuery& query, const Choice& choice) {
  std::vector<Seconds> arrivals(static_cast<std::size_t>(query.shape.ranks));
  for (std::size_t i = 0; i < query.lateness_ns.size(); ++i) arrivals[i] = fromNanoseconds(query.lateness_ns[i]);
  Shape shape = query.shape;
  shape.topology = &query.topology;
  const auto call = simulateChoice(choice, shape, kFloat, query.model, arrivals, query.lateness_ns);
  return postArrivalTime(call.value(), arrivals).value;
}

struct Losses {
  double first = 0.0;  // of what is predicted to be fastest
  double tried = 0.0;  // of the best of those that are tried
};

Losses lossesOf(const CandidateQuery& query) {
  Shape shape = query.shape;
  shape.topology = &query.topology;
  double best = 1e9;
  for (const Algorithm& row : catalogue()) {
    const bool suits = row.suits_topology == nullptr || row.suits_topology(&query.topology);
    if (row.build == nullptr || !isValid(row, shape) || !suits) continue;
    Choice choice{row.id, defaultParameters(row)};
    setStepTime(choice, shape, kFloat, query.model);
    setBestSegments(choice, shape, kFloat, query.model);
    best = std::min(best, exactTime(query, choice));
  }
  std::vector<double> ranked;
  for (const Candidate& candidate : bestForms(rankCandidates(query))) {
    if (ranked.size() < kTried) ranked.push_back(exactTime(query, candidate.choice));
  }
  const double tried = *std::min_element(ranked.begin(), ranked.end());
  best = std::min(best, tried);
  return {ranked.front() / best - 1.0, tried / best - 1.0};
}

void measure(std::int32_t ranks, std::int32_t shared, bool with_loss) {
  std::vector<double> costs;
  Losses greatest;
  int noticeable = 0;
  for (const std::int64_t count : {2, 1024, 16'384, 131'072, 1'048'576}) {
    for (const Late late : kLate) {
      for (const std::int32_t per_node : {1, shared}) {
        if (per_node >= ranks) continue;
        const CandidateQuery query = queryOf(ranks, count, late, per_node);
        costs.push_back(costOf(query));
        if (!with_loss) continue;
        const Losses losses = lossesOf(query);
        greatest = {std::max(greatest.first, losses.first), std::max(greatest.tried, losses.tried)};
        noticeable += losses.first > kNoticeable ? 1 : 0;
      }
    }
  }
  double sum = 0.0;
  for (const double cost : costs) sum += cost;
  fmt::print("| {} | {} | {:.1f} | {:.1f} |", ranks, costs.size(), sum / static_cast<double>(costs.size()),
             *std::max_element(costs.begin(), costs.end()));
  if (with_loss) fmt::print(" {:.1f} % | {} | {:.1f} % |", 100 * greatest.first, noticeable, 100 * greatest.tried);
  fmt::print("\n");
}

constexpr const char* kUsage = "usage: starling-ranking-cost [--loss] [--ranks-per-node N] RANKS...\n";

struct Wanted {
  bool with_loss = false;
  std::int32_t per_node = 8;  // ranks of a node, where there are several
  std::vector<std::int32_t> ranks;
};

// Returns nothing where an argument is wrong, and says which.
std::optional<Wanted> parse(std::span<const std::string_view> arguments) {
  Wanted wanted;
  bool is_per_node = false;
  for (const std::string_view argument : arguments) {
    if (argument == "--loss" && !is_per_node) {
      wanted.with_loss = true;
    } else if (argument == "--ranks-per-node" && !is_per_node) {
      is_per_node = true;
    } else if (const auto number = parseWholeNumber(argument, 2, kMostRanks)) {
      if (std::exchange(is_per_node, false))
        wanted.per_node = *number;
      else
        wanted.ranks.push_back(*number);
    } else {
      fmt::print(stderr, "starling-ranking-cost: {} is not a number of ranks from 2 to {}\n{}", argument, kMostRanks,
                 kUsage);
      return std::nullopt;
    }
  }
  if (is_per_node || wanted.ranks.empty()) {
    fmt::print(stderr, "starling-ranking-cost: {}\n{}",
               is_per_node ? "--ranks-per-node needs a number of ranks" : "no number of ranks is given", kUsage);
    return std::nullopt;
  }
  return wanted;
}

int run(std::span<const std::string_view> arguments) {
  const std::optional<Wanted> wanted = parse(arguments);
  if (!wanted) return 2;
  fmt::print("| ranks | n | mean, ms | most, ms |{}\n",
             wanted->with_loss ? " greatest loss | above 3 % | of the best of 4 |" : "");
  fmt::print("|---:|---:|---:|---:|{}\n", wanted->with_loss ? "---:|---:|---:|" : "");
  for (const std::int32_t ranks : wanted->ranks) measure(ranks, wanted->per_node, wanted->with_loss);
  return 0;
}

}  // namespace
}  // namespace starling::bench

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  return starling::bench::run(arguments);
}
