// The catalogue: every algorithm is one row. Verifier, tests, documentation, CLI and tuner read it from here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "algos/schedule.h"
#include "algos/topology.h"
#include "base/status.h"

namespace starling {

inline constexpr int kMaxParameters = 5;

// Values of an algorithm's parameters, in the order of its row; entries beyond the row's are 0.
using ParameterValues = std::array<std::int64_t, kMaxParameters>;

struct Parameter {
  const char* name;  // lower_snake
  std::int64_t minimum;
  std::int64_t maximum;
  std::int64_t fallback;
  const char* unit;  // "" when it has none
  const char* help;
  // Values beside the default that the tuner simulates, where the row has no closed form for it.
  std::span<const std::int64_t> worth_trying{};
};

// What an algorithm's validity may depend on: nothing else is equal on all ranks.
struct Shape {
  std::int32_t ranks = 1;
  std::int64_t count = 0;  // elements
  bool commutative = true;
  const Topology* topology = nullptr;  // by virtual rank, for as long as the shape is used; null: not known
};

// What a builder needs for one rank's schedule.
struct BuildRequest {
  Shape shape;
  std::int32_t virtual_rank = 0;
  ParameterValues parameters{};
  // Predicted lateness by virtual rank, nanoseconds, ascending when the table is sorted; empty means all on time.
  std::span<const std::int64_t> lateness_ns;
};

struct Algorithm {
  std::int32_t id;        // stable: stored in databases and policies
  const char* name;       // lower_snake
  const char* trade_off;  // one line
  std::span<const Parameter> parameters;
  bool keeps_rank_order;  // legal for non-commutative operations (with the identity table)
  // Combines as recursive_doubling does, whatever the parameters and arrivals: with the identity table all such rows
  // give the same bits.
  bool fixed_association = false;
  bool uses_arrivals;              // its schedule depends on lateness_ns
  bool asks_only_whether = false;  // ... only on whether anybody is late
  // ... on Shape::topology, and is worth trying where this holds. Null: it does not depend on it.
  bool (*gains_from)(const Topology* topology) = nullptr;
  std::int32_t scratch_vectors = 1;                // scratch memory in lengths of the vector; see scratchElements()
  bool (*is_valid)(const Shape& shape);            // null: always valid
  Schedule (*build)(const BuildRequest& request);  // null: `native`, which has no schedule
  // Segments by the closed form of the cost, for n b / a of the vector; null: the default is as good as any.
  double (*best_segments)(std::int32_t ranks, double transfers) = nullptr;
  const char* valid_text;  // is_valid for people
  const char* cost;        // steps and bytes on the wire; P ranks, n bytes, S segments, a/b/g = alpha/beta/gamma
  const char* source;      // paper, section
};

inline constexpr std::int32_t kNativeAlgorithm = 0;

// All rows, ordered by id. The first is `native`.
std::span<const Algorithm> catalogue();

// Elements of scratch memory that a rank needs at most for this row, or for any row.
std::int64_t scratchElements(const Algorithm& algorithm, const Shape& shape);
std::int64_t mostScratchElements(const Shape& shape);

// nullptr when there is no such row.
const Algorithm* findAlgorithm(std::string_view name);
const Algorithm* findAlgorithm(std::int32_t id);

// Its place among the row's parameters; empty where the row has none of that name.
std::optional<std::size_t> findParameter(const Algorithm& algorithm, std::string_view name);

ParameterValues defaultParameters(const Algorithm& algorithm);

// What the row's schedule depends on of these latenesses: all, nothing, or one that says that somebody is late.
std::span<const std::int64_t> heeded(const Algorithm& algorithm, std::span<const std::int64_t> lateness_ns);

// The row may run on this shape: rank order kept where the operation needs it, and the row's own condition.
bool isValid(const Algorithm& algorithm, const Shape& shape);

// An algorithm with parameter values, as users write it: "slt:segments=64,window=8". Parameters not named have their
// defaults. Errors name the unknown word and list the known ones.
struct Choice {
  std::int32_t algorithm = kNativeAlgorithm;
  ParameterValues parameters{};

  bool operator==(const Choice&) const = default;
};
Result<Choice> parseChoice(std::string_view text);
// The inverse of parseChoice(); parameters at their defaults are left out.
std::string formatChoice(const Choice& choice);

// Builds one rank's schedule. REQUIRES: the row has a builder, isValid(), parameters within their ranges.
// Memory and time are linear in the steps of this rank. Count 0 and one rank give a schedule without steps.
Schedule buildSchedule(const Algorithm& algorithm, const BuildRequest& request);

}  // namespace starling
