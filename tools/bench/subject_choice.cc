#include "subject_choice.h"

#include <fmt/format.h>

#include <algorithm>

namespace starling::bench {
namespace {

constexpr const char* kNative = "native";

}  // namespace

bool isNative(std::string_view algorithm) { return algorithm == kNative || algorithm.starts_with(kNativePrefix); }

std::vector<std::string> knownSubjects(Collective collective) {
  if (collective != Collective::kAllreduce) return {kNative, kPlanned, kTuned};
  std::vector<std::string> names;
  for (const Algorithm& row : catalogue()) names.emplace_back(row.name);
  names.emplace_back(kTuned);
  return names;
}

Result<SubjectChoice> parseSubject(Collective collective, const std::string& text) {
  SubjectChoice subject{text, text, std::nullopt};
  if (isNative(text) || text == kTuned) return subject;
  if (collective != Collective::kAllreduce) {
    if (text == kPlanned) return subject;
    return Status::error(
        fmt::format("there is no {} of {}: use native, planned or tuned", text, collectiveName(collective)));
  }
  Result<Choice> choice = parseChoice(text);
  if (!choice.isOk()) return Status::error(choice.status().message() + " `tuned` and `all` may be given, too");
  subject.algorithm = findAlgorithm(choice.value().algorithm)->name;
  subject.choice = choice.value();
  return subject;
}

}  // namespace starling::bench
