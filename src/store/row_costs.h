// What algorithms were found to cost, in the text in which policies keep it: "ring 1.21 0.3; slt:flagged=1 0.87 0.1".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace starling {

struct RowCost {
  std::string row;     // an algorithm, with what makes its form: "slt:flagged=1"
  double times = 1.0;  // what it takes, over what the cost model predicts
  double error = 0.0;  // deviation of the logarithm of that: 0.1 is about 10%

  bool operator==(const RowCost&) const = default;
};

// Writes what parseRowCosts() reads, with four digits. Costs that tell nothing are left out: infinite ones, or with an
// error of 0. THREADS: any.
std::string formatRowCosts(std::span<const RowCost> costs);

// Returns no costs of an empty text. Errors say what is expected in place of what; of which algorithms there are
// nothing is known here. THREADS: any.
Result<std::vector<RowCost>> parseRowCosts(std::string_view text);

}  // namespace starling
