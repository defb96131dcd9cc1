// The outcome of a command: its exit code, and what to tell the user.
#pragma once

#include <string>
#include <utility>

#include "base/status.h"

namespace starling::cli {

inline constexpr int kExitFault = 1;  // the command was understood and failed
inline constexpr int kExitUsage = 2;  // the command was not understood

class [[nodiscard]] Outcome {
 public:
  static Outcome ok() { return Outcome(0, ""); }
  // The message is one sentence that says what, where and how to mend it. It is printed on stderr.
  static Outcome fault(std::string message) { return Outcome(kExitFault, std::move(message)); }
  static Outcome fault(const Status& status) { return Outcome(kExitFault, status.message()); }
  static Outcome usage(std::string message) { return Outcome(kExitUsage, std::move(message)); }

  int exitCode() const { return exit_code_; }
  const std::string& message() const { return message_; }

 private:
  Outcome(int exit_code, std::string message) : exit_code_(exit_code), message_(std::move(message)) {}

  int exit_code_;
  std::string message_;
};

}  // namespace starling::cli
