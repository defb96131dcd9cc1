// Processes that inherit the preload library and have nothing to do with MPI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

#include "launcher.h"

namespace starling {
namespace {

using testing::AnyOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string kWithout = "env -u LD_PRELOAD ";
const std::string kWith = "env LD_PRELOAD='" STARLING_STARLING_PRELOAD "' ";

// A command that prints the memory map of its own process, and one that writes to both streams and fails.
struct Bystander {
  const char* name;
  const char* maps;
  const char* fails;
};

void PrintTo(const Bystander& bystander, std::ostream* out) { *out << bystander.name; }

class PreloadBystanders : public testing::TestWithParam<Bystander> {
 protected:
  void SetUp() override {
    if (shell("command -v " + std::string(GetParam().name)).exit_code != 0)
      GTEST_SKIP() << GetParam().name << " is not installed";
  }
};

std::set<std::string> librariesIn(const std::string& maps) {
  std::set<std::string> libraries;
  std::istringstream lines(maps);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t name = line.rfind('/');
    if (name != std::string::npos && line.find(".so", name) != std::string::npos) {
      libraries.insert(line.substr(name + 1));
    }
  }
  return libraries;
}

TEST_P(PreloadBystanders, getThisLibraryAndNoOther) {
  const std::set<std::string> before = librariesIn(shell(kWithout + GetParam().maps).text);
  std::set<std::string> added = librariesIn(shell(kWith + GetParam().maps).text);
  EXPECT_THAT(before, Not(IsEmpty()));
  for (const std::string& library : before) added.erase(library);
  EXPECT_THAT(added, ElementsAre("libstarling_preload.so"));
}

TEST_P(PreloadBystanders, writeWhatTheyWroteAndEndAsTheyDid) {
  for (const char* stream : {" 2>/dev/null", " 2>&1 >/dev/null"}) {
    const Outcome before = shell(kWithout + GetParam().fails + stream);
    const Outcome after = shell(kWith + GetParam().fails + stream);
    EXPECT_EQ(after.text, before.text) << stream;
    EXPECT_EQ(after.exit_code, before.exit_code);
    EXPECT_NE(before.exit_code, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Programs, PreloadBystanders,
    testing::Values(Bystander{"bash", "bash -c 'while read -r line; do echo \"$line\"; done < /proc/self/maps'",
                              "bash -c 'echo out; echo err >&2; exit 7'"},
                    Bystander{"git", "git -c alias.maps='!cat /proc/$PPID/maps' maps", "git no-such-command"},
                    Bystander{"python3", "python3 -c \"print(open('/proc/self/maps').read())\"",
                              "python3 -c 'import sys; print(1); sys.exit(\"err\")'"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(PreloadLibrary, needsOnlyTheCLibrary) {
  std::istringstream lines(shell("readelf -d '" STARLING_STARLING_PRELOAD "'").text);
  std::set<std::string> needed;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("(NEEDED)") != std::string::npos) needed.insert(line.substr(line.find('[') + 1));
  }
  // In older C libraries dlopen is in one of its own.
  EXPECT_THAT(needed, Each(AnyOf(StartsWith("libc."), StartsWith("libdl."), StartsWith("ld-linux"))));
  EXPECT_THAT(needed, testing::Contains(StartsWith("libc.")));
}

}  // namespace
}  // namespace starling
