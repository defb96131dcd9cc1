#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/printable.h"
#include "base/signature_names.h"
#include "store/policy_document.h"

namespace starling {
namespace {

// These are the values of Open MPI's coll_tuned_allreduce_algorithm, by number.
constexpr std::string_view kOpenMpiNames[] = {"ignore", "basic_linear",   "nonoverlapping", "recursive_doubling",
                                              "ring",   "segmented_ring", "rabenseifner"};
constexpr int kOwnChoice = 0;
constexpr int kRing = 4;
constexpr int kSegmentedRing = 5;
constexpr int kRabenseifner = 6;

constexpr const char* kHead =
    "# Open MPI rules for MPI_Allreduce, exported by Starling from what it learned.\n"
    "# For Open MPI 4.1 and 5.0. Version 6 and later read the same text with other communicator sizes: not for them.\n"
    "# Use: mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename ABSOLUTE_PATH ...\n"
    "# Open MPI 5.0 on several nodes also needs: --mca coll_han_priority 0\n"
    "# A row holds from its bytes on, up to the next row: bytes, algorithm (0: Open MPI's own choice), 0, segment "
    "bytes.\n";

// Holds "slt" and 64 for "slt:segments=64,window=8".
struct ParsedChoice {
  std::string_view algorithm;
  std::optional<std::int64_t> segments{};  // empty: the text names none
};
ParsedChoice parseChoiceText(std::string_view text) {
  const std::size_t colon = text.find(':');
  ParsedChoice choice{text.substr(0, colon)};
  if (colon == std::string_view::npos) return choice;
  std::string_view parameters = text.substr(colon + 1);
  while (!parameters.empty()) {
    const std::string_view parameter = parameters.substr(0, parameters.find(','));
    constexpr std::string_view kName = "segments=";
    if (parameter.starts_with(kName)) {
      const std::string_view value = parameter.substr(kName.size());
      std::from_chars(value.data(), value.data() + value.size(), choice.segments.emplace());
    }
    parameters.remove_prefix(std::min(parameter.size() + 1, parameters.size()));
  }
  return choice;
}

// Returns the least bytes of a size class.
std::int64_t firstByteOf(std::int32_t size_class) { return size_class == 0 ? 0 : lastByteOf(size_class - 1) + 1; }

// The policies of one communicator size and size class.
using Candidates = std::vector<const WeightedPolicy*>;
using Classes = std::map<std::int32_t, Candidates>;  // by size class

// Picks the policy with most time of the site with most time, or the first by site and order where times are equal.
const PolicyRecord& pickWinner(const Candidates& candidates) {
  std::map<std::string_view, double> seconds;
  for (const WeightedPolicy* candidate : candidates) seconds[candidate->policy.site] += candidate->seconds;
  const auto site = std::max_element(seconds.begin(), seconds.end(), [](const auto& a, const auto& b) {
                      return a.second < b.second;
                    })->first;
  const auto rank = [site](const WeightedPolicy* candidate) {
    return std::pair(candidate->policy.site == site, candidate->seconds);
  };
  const auto winner = std::max_element(candidates.begin(), candidates.end(),
                                       [&rank](const auto* a, const auto* b) { return rank(a) < rank(b); });
  return (*winner)->policy;
}

// Open MPI gives a communicator the block of the largest size that is not above its own, and one smaller than all
// blocks the first block: so what was not learned needs blocks of its own.
std::string guardBlock(std::int32_t size, std::string_view communicators) {
  return fmt::format("\n{}  # {}: not learned\n1  # rows\n0 0 0 0\n", size, communicators);
}

std::string formatGap(std::int64_t bytes) { return fmt::format("{} 0 0 0  # not learned\n", bytes); }

class Exporter {
 public:
  Exporter(const std::vector<WeightedPolicy>& policies, std::span<const OpenMpiCounterpart> counterparts,
           bool all_commute)
      : counterparts_(counterparts), commutative_(all_commute) {
    for (const WeightedPolicy& weighted : policies) {
      const PolicyRecord& policy = weighted.policy;
      if (!isKnownToCommute(policy.type, policy.operation)) commutative_ = false;
      // Nothing is chosen for one rank, and a block of size 0 would collide with the guard.
      if (policy.communicator_size >= 2) blocks_[policy.communicator_size][policy.size_class].push_back(&weighted);
    }
  }

  Export run() {
    std::string text = guardBlock(0, "communicators smaller than those below");
    int blocks = 1;
    for (const auto& [size, classes] : blocks_) {
      text += formatBlock(size, classes);
      ++blocks;
      if (!blocks_.contains(size + 1)) {
        text += guardBlock(size + 1, fmt::format("communicators of {} ranks and more", size + 1));
        ++blocks;
      }
    }
    addWarnings();
    return Export{fmt::format("{}1  # collectives\n2  # the collective: allreduce\n{}  # communicator sizes\n{}", kHead,
                              blocks, text),
                  std::move(warnings_)};
  }

 private:
  std::string formatBlock(std::int32_t size, const Classes& classes) {
    std::string rows;
    std::int64_t next = 0;  // the first of the bytes that have no row yet
    for (const auto& [size_class, candidates] : classes) {
      if (firstByteOf(size_class) > next) rows += formatGap(next);
      rows += formatLearned(size_class, candidates);
      next = lastByteOf(size_class) + 1;
    }
    rows += formatGap(next);
    return fmt::format("\n{}  # communicators of {} ranks\n{}  # rows\n{}", size, size,
                       std::count(rows.begin(), rows.end(), '\n'), rows);
  }

  std::string formatLearned(std::int32_t size_class, const Candidates& candidates) {
    const PolicyRecord& policy = pickWinner(candidates);
    const ParsedChoice choice = parseChoiceText(policy.choice);
    const int number = translate(choice.algorithm);
    for (const WeightedPolicy* other : candidates) {
      if (parseChoiceText(other->policy.choice).algorithm != choice.algorithm) {
        ++disagreements_;
        break;
      }
    }
    if (!policy.table.empty() && choice.algorithm != "native") ++tables_;
    const std::int64_t segments = number == kSegmentedRing ? segmentsOf(choice) : 0;
    const std::int64_t segment_bytes = segments > 0 ? lastByteOf(size_class) / policy.communicator_size / segments : 0;
    return fmt::format("{} {} 0 {}  # {} to {} bytes: {}, learned at {}\n", firstByteOf(size_class), number,
                       segment_bytes, firstByteOf(size_class), lastByteOf(size_class), printable(policy.choice),
                       printable(policy.site));  // a line end in a label would turn its rest into rules
  }

  // Returns 0 where the algorithm has no segments.
  std::int64_t segmentsOf(const ParsedChoice& choice) const {
    const auto counterpart = std::ranges::find(counterparts_, choice.algorithm, &OpenMpiCounterpart::algorithm);
    const std::int64_t usual = counterpart == counterparts_.end() ? 0 : counterpart->usual_segments;
    return choice.segments.value_or(usual);
  }

  // Returns Open MPI's number for an algorithm, and notes what is lost on the way.
  int translate(std::string_view algorithm) {
    const auto counterpart = std::ranges::find(counterparts_, algorithm, &OpenMpiCounterpart::algorithm);
    const auto* const name = counterpart == counterparts_.end()
                                 ? std::end(kOpenMpiNames)
                                 : std::ranges::find(kOpenMpiNames, counterpart->openmpi_nearest);
    if (name == std::end(kOpenMpiNames)) {
      lost_.insert(fmt::format("{} has no likeness in Open MPI: its own choice (0) stands instead.", algorithm));
      return kOwnChoice;
    }
    const auto number = static_cast<int>(name - std::begin(kOpenMpiNames));
    const bool is_ring = number == kRing || number == kSegmentedRing;
    if (is_ring && !commutative_) {
      lost_.insert(
          fmt::format("{} is exported as Rabenseifner (6), because the program has an operation that does not commute, "
                      "or is not known to, for which the rings of Open MPI give wrong results.",
                      algorithm));
      return kRabenseifner;
    }
    if (is_ring) rings_ = true;
    if (!counterpart->is_same) {
      lost_.insert(fmt::format("{} is exported as {} ({}), the nearest that Open MPI has.", algorithm,
                               number == kOwnChoice ? "its own choice" : *name, number));
    }
    return number;
  }

  void addWarnings() {
    warnings_.assign(lost_.begin(), lost_.end());
    if (blocks_.empty())
      warnings_.emplace_back("There is no policy to export: Open MPI's own choice stands everywhere.");
    if (disagreements_ > 0) {
      warnings_.push_back(
          fmt::format("In {} size classes the policies disagree; Open MPI's file knows neither site nor type nor "
                      "operation, so the site with most time in allreduce won.",
                      disagreements_));
    }
    if (tables_ > 0) {
      warnings_.push_back(fmt::format("{} order the ranks; Open MPI keeps its own order.",
                                      tables_ == 1 ? "1 policy would" : fmt::format("{} policies would", tables_)));
    }
    if (rings_) {
      warnings_.emplace_back(
          "Rings are exported because all operations that were seen commute; Open MPI does not check that, so do not "
          "use the file where a non-commutative operation may come.");
    }
  }

  std::span<const OpenMpiCounterpart> counterparts_;
  std::map<std::int32_t, Classes> blocks_;  // by communicator size
  bool commutative_;                        // of all operations seen
  bool rings_ = false;
  int disagreements_ = 0;
  int tables_ = 0;
  std::set<std::string> lost_;
  std::vector<std::string> warnings_;
};

}  // namespace

// Operations on derived types were recorded as "user" whether they commute or not, before these were told apart.
bool isKnownToCommute(std::string_view type, std::string_view operation) {
  const bool is_of_program = operation == operationName(Operation::kUser);
  return operation != kUserNonCommutativeOperation && !(is_of_program && type == kDerivedType);
}

Export exportOpenMpiRules(const std::vector<WeightedPolicy>& policies, std::span<const OpenMpiCounterpart> counterparts,
                          bool all_commute) {
  return Exporter(policies, counterparts, all_commute).run();
}

}  // namespace starling
