// What the tests share that start whole programs under mpirun.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "../temporary_folder.h"

namespace starling {

// How a program ended, and what it and mpirun wrote.
struct Outcome {
  int exit_code = -1;
  std::string text;

  // What Starling had to say on stderr.
  std::vector<std::string> messages() const {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      if (line.starts_with("starling: ")) lines.push_back(line);
    }
    return lines;
  }
};

struct Launch {
  std::string program;    // path
  std::string arguments;  // for a shell
  int ranks = 3;
  std::map<std::string, std::string> environment;  // of mpirun and, by that, of ranks on this machine
  std::string launcher_options;                    // for a shell
};

// Runs a command line. What it writes to stdout is the text.
inline Outcome shell(const std::string& command) {
  Outcome outcome;
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> buffer{};
  while (const std::size_t bytes = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    outcome.text.append(buffer.data(), bytes);
  }
  const int status = ::pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

// Runs the program under mpirun, four minutes at most. Nothing is summed up at its end, unless the environment says so.
inline Outcome launch(const Launch& what) {
  std::string command = "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 STARLING_SUMMARY=off";
  for (const auto& [name, value] : what.environment) command += " " + name + "='" + value + "'";
  command += " timeout --kill-after=5 240 " STARLING_TEST_MPIRUN " " + what.launcher_options + " -n " +
             std::to_string(what.ranks) + " '" + what.program + "' " + what.arguments + " 2>&1";
  return shell(command);
}

}  // namespace starling
