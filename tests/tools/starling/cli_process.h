// Runs the built `starling` and keeps what it said.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "../../temporary_folder.h"

namespace starling::cli {

struct CliResult {
  int exit_code = -1;
  std::string out;
  std::string err;
};

// `arguments` and `environment` ("NAME=value ...") are words for the shell. Variables of the caller that would steer
// the program are unset.
inline CliResult runProgram(const std::string& program, const std::string& arguments,
                            const std::string& environment = "") {
  const TemporaryFolder folder;
  const std::string command = "env -u STARLING_DB -u STARLING_MODE -u STARLING_ALGORITHM -u LD_PRELOAD " + environment +
                              " '" + program + "' " + arguments + " >'" + folder.file("out") + "' 2>'" +
                              folder.file("err") + "'";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, readFile(folder.file("out")), readFile(folder.file("err"))};
}

// Returns what the program printed as JSON, which is discarded where it is none.
inline nlohmann::json jsonOf(const CliResult& result) {
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return nlohmann::json::parse(result.out, nullptr, false);
}

inline CliResult runStarling(const std::string& arguments, const std::string& environment = "") {
  return runProgram(STARLING_CLI, arguments, environment);
}

}  // namespace starling::cli
