// What an earlier run has learned of one key, in a form in which this run can begin with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algos/catalogue.h"
#include "base/status.h"
#include "store/records.h"
#include "tuner/placement.h"

namespace starling {

// THREADS: any.
class LearnedChoice {
 public:
  // It is an error if the policy's choice cannot be read, as of a later version.
  static Result<LearnedChoice> of(PolicyRecord policy);

  const Choice& choice() const { return choice_; }
  // Returns what the policy says of how many times as fast as native the choice is; empty: it does not.
  const std::optional<double>& gain() const { return policy_.gain; }
  // Returns what is taken for that until this run has measured it: a number within bounds, whatever the policy says.
  double assumedGain() const;
  // Returns whether the policy has ranks in another order than theirs.
  bool arrangesRanks() const { return !policy_.table.empty(); }
  std::vector<PlacedRank> placed() const;
  // Returns why the choice was made there: sentences, none where it is not known.
  const std::string& reason() const { return policy_.reason; }
  // Returns a sentence, with a space at its end, that says where the choice is from.
  std::string describe() const;

 private:
  LearnedChoice(PolicyRecord policy, const Choice& choice);

  PolicyRecord policy_;
  Choice choice_;
};

}  // namespace starling
