// Runs the built `starling` and keeps what it said.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace starling::cli {

// A folder that is removed with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "starling-cli-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code fault;
    if (!path_.empty()) std::filesystem::remove_all(path_, fault);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

struct CliResult {
  int exit_code = -1;
  std::string out;
  std::string err;
};

inline std::string readFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void writeFile(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

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
