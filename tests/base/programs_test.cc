#include "base/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace starling {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Optional;

using Names = std::vector<std::string>;

Options meant(const std::string& programs) {
  Options options;
  options.programs = programs;
  return options;
}

Options notMeant(const std::string& programs) {
  Options options;
  options.not_programs = programs;
  return options;
}

TEST(ProgramNames, areThoseOfTheExecutableAndOfTheCommand) {
  EXPECT_THAT(programNames("/opt/solver-2.1", Names{"./solver", "input"}), ElementsAre("solver-2.1", "solver"));
  EXPECT_THAT(programNames("/opt/solver", {}), ElementsAre("solver"));
}

TEST(ProgramNames, haveTheScriptOfAnInterpreter) {
  const std::string script = testing::TempDir() + "programs_test_train.py";
  std::ofstream(script) << "\n";
  EXPECT_THAT(programNames("/usr/bin/python3.11", Names{"python3", "-u", "-m", "mpi4py", script, "--fast"}),
              ElementsAre("python3.11", "python3", "programs_test_train.py"));
  EXPECT_THAT(programNames("/opt/solver", Names{"solver", script}), ElementsAre("solver", "solver"))
      << "what other programs are given is data";
  std::filesystem::remove(script);
  const std::string data = testing::TempDir() + "programs_test_data.csv";
  std::ofstream(data) << "\n";
  EXPECT_THAT(programNames("/usr/bin/python3.11", Names{"python3", "-c", "pass"}),
              ElementsAre("python3.11", "python3"));
  EXPECT_THAT(programNames("/usr/bin/python3.11", Names{"python3", "-m", "no.such.module", "input"}),
              ElementsAre("python3.11", "python3", "no.such.module"));
  EXPECT_THAT(programNames("/usr/bin/python3.11", Names{"python3", "-m", "train", data}),
              ElementsAre("python3.11", "python3", "train"));
  EXPECT_THAT(programNames("/usr/bin/python3.11", Names{"python3", "-c", "pass", data}),
              ElementsAre("python3.11", "python3"));
  EXPECT_THAT(programNames("/usr/bin/perl", Names{"perl", "-e", "1", data}), ElementsAre("perl", "perl"));
  std::filesystem::remove(data);
  EXPECT_THAT(programNames("/usr/bin/python3.11", Names{"python3", "-m"}), ElementsAre("python3.11", "python3"));
}

TEST(ProgramNames, tellScriptsOfOneInterpreterApart) {
  EXPECT_EQ(programNameOf({"python3.11", "python3", "train.py"}), "train.py");
  EXPECT_EQ(programNameOf({"python3.11", "python3"}), "python3.11");
  EXPECT_EQ(programNameOf({"solver-2.1", "solver"}), "solver-2.1");
}

TEST(ProgramNames, ofThisProcessNameThisTest) { EXPECT_THAT(ownProgramNames(), Contains("base_tests")); }

TEST(LeavesOut, nothingWhereNothingIsSaid) { EXPECT_EQ(leavesOut({}, Names{"solver"}), std::nullopt); }

TEST(LeavesOut, whatNoPatternOfThoseMeantIsLike) {
  for (const char* patterns : {"solver", "lmp,solver", "lmp:sol*", "s?lver", "[rs]olver", ":,solver"}) {
    EXPECT_EQ(leavesOut(meant(patterns), Names{"solver-2.1", "solver"}), std::nullopt) << patterns;
  }
  for (const char* patterns : {"solve", "olver", "Solver", "lmp", "*/solver", ","}) {
    EXPECT_THAT(leavesOut(meant(patterns), Names{"solver"}), Optional(std::string("STARLING_PROGRAMS=") + patterns));
  }
}

TEST(LeavesOut, whatAPatternOfThoseNotMeantIsLike) {
  EXPECT_THAT(leavesOut(notMeant("make_*,prep"), Names{"make_mesh"}),
              Optional(std::string("STARLING_NOT_PROGRAMS=make_*,prep")));
  EXPECT_EQ(leavesOut(notMeant("make_*,prep"), Names{"solver"}), std::nullopt);
}

TEST(LeavesOut, whatIsMeantAndNotMeant) {
  Options options = meant("*");
  options.not_programs = "prep";
  EXPECT_THAT(leavesOut(options, Names{"prep"}), Optional(std::string("STARLING_NOT_PROGRAMS=prep")));
}

}  // namespace
}  // namespace starling
