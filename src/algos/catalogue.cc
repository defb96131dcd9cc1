#include "algos/catalogue.h"

#include <algorithm>

#include "algos/build_notes.h"
#include "algos/row.h"

namespace starling {

std::span<const Algorithm> catalogue() {
#define STARLING_ALGORITHM(file, row) row,
  static const Algorithm kRows[] = {
#include "algos/catalogue_rows.inc"
  };
#undef STARLING_ALGORITHM
  return kRows;
}

std::int64_t scratchElements(const Algorithm& algorithm, const Shape& shape) {
  return algorithm.scratch_elements == nullptr ? shape.count : algorithm.scratch_elements(shape);
}

std::int64_t mostScratchElements(const Shape& shape) {
  std::int64_t most = 0;
  for (const Algorithm& algorithm : catalogue()) most = std::max(most, scratchElements(algorithm, shape));
  return most;
}

const Algorithm* findAlgorithm(std::string_view name) {
  const auto row = std::ranges::find_if(catalogue(), [&](const Algorithm& a) { return a.name == name; });
  return row == catalogue().end() ? nullptr : &*row;
}

const Algorithm* findAlgorithm(std::int32_t id) {
  const auto row = std::ranges::find_if(catalogue(), [&](const Algorithm& a) { return a.id == id; });
  return row == catalogue().end() ? nullptr : &*row;
}

std::optional<std::size_t> findParameter(const Algorithm& algorithm, std::string_view name) {
  const std::span<const Parameter> parameters = algorithm.parameters;
  const auto parameter =
      std::find_if(parameters.begin(), parameters.end(), [name](const Parameter& p) { return p.name == name; });
  if (parameter == parameters.end()) return std::nullopt;
  return static_cast<std::size_t>(parameter - parameters.begin());
}

bool hasSegments(const Algorithm& algorithm, const ParameterValues& parameters) {
  if (!findParameter(algorithm, kSegmentsParameter)) return false;
  return algorithm.best_segments == nullptr || algorithm.best_segments({.ranks = 2}, parameters, 1.0).has_value();
}

ParameterValues defaultParameters(const Algorithm& algorithm) {
  ParameterValues values{};
  for (std::size_t i = 0; i < algorithm.parameters.size(); ++i) values[i] = algorithm.parameters[i].fallback;
  return values;
}

std::span<const std::int64_t> relevantLateness(const Algorithm& algorithm, std::span<const std::int64_t> lateness_ns) {
  static constexpr std::int64_t kSomebodyIsLate[] = {1};
  if (!algorithm.uses_arrivals) return {};
  if (!algorithm.uses_only_any_late) return lateness_ns;
  if (std::ranges::any_of(lateness_ns, [](std::int64_t late) { return late > 0; })) return kSomebodyIsLate;
  return {};
}

bool isAllowed(const Algorithm& algorithm, const Topology& topology) {
  return algorithm.id != kNodeReadAlgorithm || !sharesOneMemory(&topology) || topology.reads_memory;
}

bool isValid(const Algorithm& algorithm, const Shape& shape) {
  if (!shape.commutative && !algorithm.keeps_rank_order) return false;
  return algorithm.is_valid == nullptr || algorithm.is_valid(shape);
}

bool keepsInStep(const Choice& choice) {
  const Algorithm& algorithm = *findAlgorithm(choice.algorithm);
  return algorithm.keeps_in_step != nullptr && algorithm.keeps_in_step(choice.parameters);
}

bool usesMemoryOfNodes(const Choice& choice) {
  const std::optional<std::size_t> index = findParameter(*findAlgorithm(choice.algorithm), kMemoryParameter);
  return index && choice.parameters[*index] != 0;
}

Schedule buildSchedule(const Algorithm& algorithm, const BuildRequest& request) {
  const bool has_steps = request.shape.ranks > 1 && request.shape.count > 0;
  BuildNotes own_notes(request.memory);
  BuildRequest noted = request;
  if (noted.notes == nullptr) noted.notes = &own_notes;
  Schedule schedule = has_steps ? algorithm.build(noted) : emptySchedule(request.seat(), request.memory);
  const auto set = [&](std::string_view name, std::int32_t& flow) {
    const std::optional<std::size_t> index = findParameter(algorithm, name);
    if (index) flow = static_cast<std::int32_t>(request.parameters[*index]);
  };
  set(kWindow.name, schedule.window);
  set(kPacing.name, schedule.pacing);
  return schedule;
}

}  // namespace starling
