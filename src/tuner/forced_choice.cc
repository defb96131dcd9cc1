#include "tuner/forced_choice.h"

namespace starling {

Result<Choice> forcedChoice(const Options& options) {
  const bool is_named = !options.algorithm.empty();
  Result<Choice> named = parseChoice(is_named ? options.algorithm : "recursive_doubling");
  if (!options.reproducible) return named;
  if (named.isOk() && findAlgorithm(named.value().algorithm)->fixed_association) return named;
  return parseChoice("recursive_doubling");
}

}  // namespace starling
