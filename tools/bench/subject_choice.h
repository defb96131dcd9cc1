// What a user names as a thing to measure.
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
  std::optional<Choice> choice;  // of own algorithms
};

// Reads one of --algorithm's names. Errors say what is known; which of the MPI library's own algorithms can be named is
// checkNative()'s to say.
Result<SubjectChoice> parseSubject(const std::string& text);

}  // namespace starling::bench
