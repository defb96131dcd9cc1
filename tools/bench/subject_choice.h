// A choice is what a user names as a thing to measure.
#pragma once

#include <optional>
#include <string>

#include "algos/catalogue.h"
#include "base/status.h"

namespace starling::bench {

inline constexpr const char* kNativePrefix = "native:";
inline constexpr const char* kTuned = "tuned";

struct SubjectChoice {
  std::string text;              // as the user wrote it, without parameters given apart
  std::string algorithm;         // "slt", "native", "native:ompi", "tuned"
  std::optional<Choice> choice;  // set for Starling's own algorithms
};

// Reads one of --algorithm's names. Errors say what is known; whether one of the MPI library's own algorithms exists is
// for checkNative() to say.
Result<SubjectChoice> parseSubject(const std::string& text);

}  // namespace starling::bench
