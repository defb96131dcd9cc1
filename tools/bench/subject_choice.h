// A choice is what a user names as a thing to measure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algos/catalogue.h"
#include "base/status.h"
#include "collective.h"

namespace starling::bench {

inline constexpr const char* kNativePrefix = "native:";
inline constexpr const char* kTuned = "tuned";
// Of broadcasts and reductions: the plan of tuned_bcast or tuned_reduce, made from what --predict tells.
inline constexpr const char* kPlanned = "planned";

struct SubjectChoice {
  std::string text;              // as the user wrote it, without parameters given apart
  std::string algorithm;         // "slt", "native", "native:ompi", "planned", "tuned"
  std::optional<Choice> choice;  // set for Starling's own algorithms of allreduce
};

// Returns whether the name is that of the MPI library's own choice, or of one of its own algorithms.
bool isNative(std::string_view algorithm);

// Returns the names of all that can be measured of the collective operation, but for single algorithms of the MPI
// library.
std::vector<std::string> knownSubjects(Collective collective);

// Reads one of --algorithm's names. Errors say what is known; whether one of the MPI library's own algorithms exists is
// for checkNative() to say.
Result<SubjectChoice> parseSubject(Collective collective, const std::string& text);

}  // namespace starling::bench
