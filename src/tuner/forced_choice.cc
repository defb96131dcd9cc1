#include "tuner/forced_choice.h"

namespace starling {

Result<Choice> forcedChoice(const Options& options) {
  if (options.algorithm.empty()) return leastReproducible();
  Result<Choice> named = parseChoice(options.algorithm);
  if (!options.reproducible || !named.isOk()) return named;
  if (findAlgorithm(named.value().algorithm)->fixed_association) return named;
  return leastReproducible();
}

Choice leastReproducible() { return parseChoice("recursive_doubling").value(); }

}  // namespace starling
