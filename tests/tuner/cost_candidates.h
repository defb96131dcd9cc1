// What the tests of a key's costs start from.
#pragma once

#include <vector>

#include "tuner/key_costs.h"

namespace starling {

inline Choice named(const char* text) { return parseChoice(text).value(); }

// Two algorithms that MPI libraries have, too, and one that heeds arrivals.
inline std::vector<Candidate> candidates(double ring = 1e-3, double slt = 2e-3) {
  return {{named("ring"), Seconds{ring}}, {named("rabenseifner"), Seconds{1.5e-3}}, {named("slt"), Seconds{slt}}};
}

inline KeyCosts predicted() {
  KeyCosts costs;
  costs.predict(candidates());
  return costs;
}

// Measures native and the ring.
inline void measure(KeyCosts& costs, double native, double ring, int calls = 8) {
  for (int i = 0; i < calls; ++i) {
    costs.observe(kNativeChoice, Seconds{native});
    costs.observe(named("ring"), Seconds{ring});
  }
}

inline KeyCosts::Allowance plenty(std::size_t trials = 6) {
  return {.trials = trials, .calls_to_come = 1000, .excess = 1e9};
}

}  // namespace starling
