#include "subject_choice.h"

namespace starling::bench {
namespace {

constexpr const char* kNative = "native";

}  // namespace

Result<SubjectChoice> parseSubject(const std::string& text) {
  SubjectChoice subject{text, text, std::nullopt};
  if (text == kNative || text.starts_with(kNativePrefix) || text == kTuned) return subject;
  Result<Choice> choice = parseChoice(text);
  if (!choice.isOk()) return Status::error(choice.status().message() + "; and `tuned`, `all`");
  subject.algorithm = findAlgorithm(choice.value().algorithm)->name;
  subject.choice = choice.value();
  return subject;
}

}  // namespace starling::bench
