#include "launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Words = std::vector<std::string>;

TEST(ParseLaunch, takesItsOwnOptionsFromBetweenThoseOfMpirun) {
  const LaunchRequest request =
      parseLaunch(Words{"--bind-to", "none", "--db", "x.db", "-np", "4", "--mca", "btl", "self", "--algorithm", "ring",
                        "--mode", "tune", "--verbose", "--", "./app", "--db", "y"})
          .value();
  EXPECT_THAT(request.launcher_arguments,
              ElementsAre("--bind-to", "none", "-n", "4", "--mca", "btl", "self", "./app", "--db", "y"));
  EXPECT_EQ(request.ranks, 4);
  EXPECT_EQ(request.database, "x.db");
  EXPECT_EQ(request.algorithm, "ring");
  EXPECT_EQ(request.mode, "tune");
  EXPECT_TRUE(request.verbose);
  EXPECT_TRUE(request.has_program);
  EXPECT_FALSE(request.places_ranks);
}

TEST(ParseLaunch, takesValuesBehindAnEqualsSign) {
  const LaunchRequest request =
      parseLaunch(Words{"--np=4", "--db=x.db", "--algorithm=slt:segments=4", "--mode=off", "--mca=x", "--", "./app"})
          .value();
  EXPECT_THAT(request.launcher_arguments, ElementsAre("-n", "4", "--mca=x", "./app"));
  EXPECT_EQ(request.ranks, 4);
  EXPECT_EQ(request.database, "x.db");
  EXPECT_EQ(request.algorithm, "slt:segments=4");
  EXPECT_EQ(request.mode, "off");
  const LaunchRequest by_srun = parseLaunch(Words{"--launcher=srun", "--export=A,B", "-c", "2", "--", "a"}).value();
  EXPECT_EQ(by_srun.launcher, Launcher::kSrun);
  EXPECT_EQ(by_srun.exported, "A,B");
  EXPECT_FALSE(by_srun.ranks);
  EXPECT_THAT(parseLaunch(Words{"--algorithm=", "--", "a"}).status().message(), HasSubstr("--algorithm has no value"));
}

TEST(ParseLaunch, refusesADatabaseWithoutAName) {
  EXPECT_THAT(parseLaunch(Words{"--db", "", "--", "a"}).status().message(), HasSubstr("--db: FILE is empty"));
  EXPECT_THAT(parseLaunch(Words{"--db=", "--", "a"}).status().message(), HasSubstr("--db has no value"));
}

TEST(ParseLaunch, leavesTheRestAloneWithoutASeparator) {
  const LaunchRequest request = parseLaunch(Words{"-n", "2", "--db", "x.db", "./app", "--verbose", "-n", "9"}).value();
  EXPECT_THAT(request.launcher_arguments, ElementsAre("-n", "2", "./app", "--verbose", "-n", "9"));
  EXPECT_EQ(request.ranks, 2);
  EXPECT_FALSE(request.verbose);
  EXPECT_TRUE(request.has_program);
}

TEST(ParseLaunch, keepsColoursFromTheLauncher) {
  EXPECT_THAT(parseLaunch(Words{"--color", "never", "--", "a", "--color"}).value().launcher_arguments,
              ElementsAre("a", "--color"));
  EXPECT_THAT(parseLaunch(Words{"--color", "blue", "--", "a"}).status().message(), HasSubstr("auto, always or never"));
}

TEST(ParseLaunch, takesADryRun) {
  EXPECT_TRUE(parseLaunch(Words{"-n", "2", "--dry-run", "--", "a"}).value().dry_run);
  EXPECT_FALSE(parseLaunch(Words{"-n", "2", "--", "a", "--dry-run"}).value().dry_run);
}

TEST(ParseLaunch, refusesItsOwnOptionsWhereTheProgramShouldBe) {
  for (const char* option : {"--db", "--mode=off", "--dry-run", "--launcher"}) {
    EXPECT_THAT(parseLaunch(Words{"-n", "2", "--", option, "a"}).status().message(),
                HasSubstr("starling's options come before `--`"));
  }
  EXPECT_TRUE(parseLaunch(Words{"--", "-n", "2", "a"}).isOk());
}

TEST(ShellLine, quotesWhatAShellWouldChange) {
  EXPECT_EQ(
      shellLine(Words{"STARLING_DB=/a b/t.db", "EMPTY="}, Words{"/usr/bin/mpirun", "-x", "A=B:c", "it's", "$x", ""}),
      "STARLING_DB='/a b/t.db' EMPTY= /usr/bin/mpirun -x A=B:c 'it'\\''s' '$x' ''");
}

TEST(ShellLine, hasNothingThatActsOnATerminal) {
  EXPECT_EQ(shellLine({}, Words{"a\nb", "\x1b[2J'\\"}), "$'a\\012b' $'\\033[2J\\'\\\\'");
}

TEST(ParseLaunch, noticesWhenTheUserPlacesRanks) {
  EXPECT_TRUE(parseLaunch(Words{"-n", "2", "--hostfile", "hosts", "--", "a"}).value().places_ranks);
  EXPECT_TRUE(parseLaunch(Words{"--oversubscribe", "-n", "2", "a"}).value().places_ranks);
  EXPECT_FALSE(parseLaunch(Words{"-n", "2", "--", "a", "--oversubscribe"}).value().places_ranks);
}

TEST(ParseLaunch, refusesWhatCannotBeRun) {
  EXPECT_THAT(parseLaunch(Words{"-n", "0", "--", "a"}).status().message(), HasSubstr("1 or more"));
  EXPECT_THAT(parseLaunch(Words{"-n", "2x", "--", "a"}).status().message(), HasSubstr("1 or more"));
  EXPECT_THAT(parseLaunch(Words{"--db", "--", "a"}).status().message(), HasSubstr("--db has no value"));
  EXPECT_THAT(parseLaunch(Words{"-n", "2", "--"}).status().message(), HasSubstr("no program"));
  EXPECT_FALSE(parseLaunch(Words{"-n", "2"}).value().has_program);
  EXPECT_THAT(parseLaunch(Words{"--launcher", "ssh", "--", "a"}).status().message(), HasSubstr("mpirun or srun"));
  EXPECT_THAT(parseLaunch(Words{"--launcher", "--", "a"}).status().message(), HasSubstr("--launcher has no value"));
  EXPECT_THAT(parseLaunch(Words{"--export=A", "--", "a"}).status().message(), HasSubstr("option of srun"));
}

TEST(ParseLaunch, readsTheOptionsOfSrunAsSrunDoes) {
  const LaunchRequest request =
      parseLaunch(Words{"-c", "2", "-n", "4", "--launcher", "srun", "--export", "A,B", "--", "a", "--launcher"})
          .value();
  EXPECT_EQ(request.launcher, Launcher::kSrun);
  EXPECT_EQ(request.ranks, 4) << "srun's -c is not a number of ranks";
  EXPECT_EQ(request.exported, "A,B");
  EXPECT_THAT(request.launcher_arguments, ElementsAre("-c", "2", "-n", "4", "a", "--launcher"));
}

TEST(ParseLaunch, leavesTheLauncherOfAProgramAlone) {
  const LaunchRequest request = parseLaunch(Words{"-n", "2", "./app", "--launcher", "ssh"}).value();
  EXPECT_EQ(request.launcher, Launcher::kMpirun);
  EXPECT_THAT(request.launcher_arguments, ElementsAre("-n", "2", "./app", "--launcher", "ssh"));
}

TEST(ParseLaunch, addsUpTheRanksOfAllPrograms) {
  EXPECT_EQ(parseLaunch(Words{"-n", "1", "--", "a", ":", "-np", "3", "b", "-n", "9"}).value().ranks, 4);
  EXPECT_EQ(parseLaunch(Words{"-n", "1", "a", ":", "-n", "3", "b"}).value().ranks, 4);
  EXPECT_EQ(parseLaunch(Words{"-n", "1", "--", "a", ":", "b"}).value().ranks, 1);
}

TEST(RankEnvironment, namesStarlingVariablesAndKeepsOtherPreloads) {
  const Words entries = {"PATH=/bin", "STARLING_MODE=tune", "LD_PRELOAD=/opt/liba.so", "STARLING_DB=x=y"};
  const RankEnvironment environment = rankEnvironment(entries, "/lib/libs.so");
  EXPECT_EQ(environment.preload, "/lib/libs.so:/opt/liba.so");
  EXPECT_THAT(environment.variables, ElementsAre("STARLING_DB", "STARLING_MODE"));
  EXPECT_EQ(rankEnvironment(Words{"LD_PRELOAD="}, "/lib/libs.so").preload, "/lib/libs.so");
}

TEST(RankEnvironment, putsStarlingInFrontOfOtherTools) {
  const auto preload = [](const std::string& others) {
    return rankEnvironment(Words{"LD_PRELOAD=" + others}, "/lib/libs.so").preload;
  };
  EXPECT_EQ(preload("/opt/liba.so libb.so"), "/lib/libs.so:/opt/liba.so:libb.so");
  EXPECT_EQ(preload("/usr/lib/libasan.so.8:/opt/liba.so"), "/usr/lib/libasan.so.8:/lib/libs.so:/opt/liba.so");
}

TEST(MpirunCommand, exportsToTheRanks) {
  const LaunchRequest request = parseLaunch(Words{"-n", "2", "--", "./app", "in"}).value();
  const RankEnvironment environment{"/lib/libs.so", {"STARLING_MODE"}};
  EXPECT_THAT(
      mpirunCommand("/bin/mpirun", request, environment, false),
      ElementsAre("/bin/mpirun", "-x", "LD_PRELOAD=/lib/libs.so", "-x", "STARLING_MODE", "-n", "2", "./app", "in"));
  EXPECT_THAT(mpirunCommand("/bin/mpirun", request, environment, true), testing::Contains("--oversubscribe"));
}

TEST(MpirunCommand, exportsToEachOfSeveralPrograms) {
  const LaunchRequest request = parseLaunch(Words{"-n", "1", "--", "a", ":", "-n", "3", "b"}).value();
  EXPECT_THAT(mpirunCommand("mpirun", request, {"s.so", {"STARLING_MODE"}}, false),
              ElementsAre("mpirun", "-x", "LD_PRELOAD=s.so", "-x", "STARLING_MODE", "-n", "1", "a", ":", "-x",
                          "LD_PRELOAD=s.so", "-x", "STARLING_MODE", "-n", "3", "b"));
}

TEST(SrunCommand, exportsToTheRanks) {
  const auto command = [](const Words& arguments) {
    Words words{"--launcher", "srun"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return srunCommand("srun", parseLaunch(words).value(), {"s.so", {"STARLING_DB", "STARLING_MODE"}});
  };
  EXPECT_THAT(command({"-n", "2", "--", "a", "in"}),
              ElementsAre("srun", "--export=ALL,LD_PRELOAD=s.so", "-n", "2", "a", "in"));
  EXPECT_THAT(command({"--export=ALL,X=1", "--", "a"}), ElementsAre("srun", "--export=ALL,X=1,LD_PRELOAD=s.so", "a"));
  EXPECT_THAT(command({"--export", "HOME", "--", "a"}),
              ElementsAre("srun", "--export=HOME,STARLING_DB,STARLING_MODE,LD_PRELOAD=s.so", "a"));
  EXPECT_THAT(command({"--export=NONE", "--", "a"}),
              ElementsAre("srun", "--export=STARLING_DB,STARLING_MODE,LD_PRELOAD=s.so", "a"));
  EXPECT_THAT(command({"-n", "1", "--", "a", ":", "-n", "3", "b"}),
              ElementsAre("srun", "--export=ALL,LD_PRELOAD=s.so", "-n", "1", "a", ":", "--export=ALL,LD_PRELOAD=s.so",
                          "-n", "3", "b"));
}

}  // namespace
}  // namespace starling::cli
