// Chooses the parameters of an algorithm for one call.
#pragma once

#include "algos/catalogue.h"
#include "base/units.h"
#include "tuner/call_predictor.h"

namespace starling {

struct Candidate {
  Choice choice;
  Seconds predicted;          // post-arrival time
  bool takes_longer = false;  // than that, which is so many times the least that by how much does not matter
  bool is_guess = false;      // whether late ranks make it worth while is not known
};

// Returns the candidate with these parameters, and the segments and chunks of the row's closed forms, where it has
// some.
Candidate withBestSegments(Choice choice, const CallPredictor& predictor, const Precision& precision);

// Returns the row with its default parameters, and the step time, segments and chunks of its closed forms.
Candidate withUsualParameters(const Algorithm& algorithm, const CallPredictor& predictor, const Precision& precision);

// Returns the best of the usual parameters and the values that the row wants tried, one parameter after the other, with
// the best of a few numbers of segments where these have no closed form. `least` is what the fastest row takes.
Candidate withAlternatives(const Candidate& usual, const CallPredictor& predictor, Seconds least);

}  // namespace starling
