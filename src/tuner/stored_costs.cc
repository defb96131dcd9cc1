#include "tuner/stored_costs.h"

#include <cmath>

#include "store/row_costs.h"

namespace starling {
namespace {

std::string textOf(const RowForm& row) {
  const Choice usual{row.algorithm, defaultParameters(*findAlgorithm(row.algorithm))};
  return formatChoice(formOf(usual) == row ? usual : otherForm(usual).value_or(usual));
}

}  // namespace

std::string storedCosts(std::span<const CostResidual> residuals) {
  std::vector<RowCost> costs;
  for (const CostResidual& one : residuals) costs.push_back({textOf(one.row), std::exp(one.off), one.deviation});
  return formatRowCosts(costs);
}

std::vector<CostResidual> residualsOf(const PolicyRecord& policy) {
  const Result<std::vector<RowCost>> costs = parseRowCosts(policy.costs);
  if (!costs.isOk()) return {};
  std::vector<CostResidual> residuals;
  for (const RowCost& cost : costs.value()) {
    // Another version of this library may have other algorithms.
    const Result<Choice> row = parseChoice(cost.row);
    if (row.isOk()) residuals.push_back({formOf(row.value()), std::log(cost.times), cost.error});
  }
  return residuals;
}

}  // namespace starling
