// Ranks the plans worth trying for a key, best first by the simulator.
#pragma once

#include <vector>

#include "algos/catalogue.h"
#include "tuner/call_predictor.h"
#include "tuner/parameter_search.h"

namespace starling {

// Returns a candidate for each form of an algorithm (RowForm), by rising predicted post-arrival time. Segments are
// those of the row's closed form, else the best of a few that are simulated; where so many would take long to simulate,
// the prediction is that of fewer. Chunks are those of the row's closed form, and the prediction is that of one. Other
// than the usual parameters are looked at where the row is not far behind with these. Where late ranks are named by
// flags, that is simulated if somebody is late and the row is not far behind, nearly the best where late ranks are
// predicted; else it is taken to be two messages longer than the other form, and to be of no use where nobody is late.
// Rows whose schedule would take more than kMostScheduleBytes are left out. Rows for a topology are among them where
// they gain from it, and always where links are known, which the model is not told, and where ranks share memory.
// `native` is not among them: it is the incumbent. In communicators so large that simulating them would hold up the
// call, predictions are those of simulator/fewer_ranks.h, segments without a closed form are the row's default, and of
// rows that take more than twice the least it is only predicted that they do: by a lower bound.
std::vector<Candidate> rankCandidates(const CandidateQuery& query);

// Keeps of each algorithm the form that is predicted to be faster.
std::vector<Candidate> bestForms(const std::vector<Candidate>& ranked);

}  // namespace starling
