// `starling run` with a stand-in for mpirun that prints what it was given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli_process.h"

namespace starling::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A copy of the program in bin/, as an installation has it.
class RunCommand : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder : {"bin", "lib", "path", "home"}) std::filesystem::create_directories(folder_.file(folder));
    std::filesystem::copy_file(STARLING_CLI, folder_.file("bin/starling"));
    writeFile(folder_.file("lib/libstarling_preload.so"), "");
    for (const char* launcher : {"path/mpirun", "path/srun"}) {
      writeFile(folder_.file(launcher),
                "#!/bin/sh\nfor word in \"$@\"; do echo \"<$word>\"; done\n"
                "echo \"own LD_PRELOAD=$LD_PRELOAD STARLING_DB=$STARLING_DB STARLING_MODE=$STARLING_MODE\"\nexit 7\n");
      std::filesystem::permissions(folder_.file(launcher), std::filesystem::perms::owner_all);
    }
  }

  CliResult run(const std::string& arguments, const std::string& environment = "") const {
    return runProgram(
        folder_.file("bin/starling"), "run " + arguments,
        "HOME='" + folder_.file("home") + "' PATH='" + folder_.file("path") + ":/usr/bin:/bin' " + environment);
  }
  std::string preload() const { return folder_.file("lib/libstarling_preload.so"); }

  TemporaryFolder folder_;
};

TEST_F(RunCommand, preloadsTheLibraryIntoTheRanksOnly) {
  const CliResult result = run("-n 1 --mca btl self -- ./app one 'two words'");
  EXPECT_EQ(result.exit_code, 7) << "the exit code is mpirun's";
  EXPECT_THAT(result.out, HasSubstr("<-x>\n<LD_PRELOAD=" + preload() + ">\n"));
  EXPECT_THAT(result.out,
              HasSubstr("<-n>\n<1>\n<--mca>\n<btl>\n<self>\n<./app>\n<one>\n<two words>\nown LD_PRELOAD= "));
}

// The shell makes of the line what the launcher would have been given.
TEST_F(RunCommand, printsTheCommandForAShellAndDoesNothing) {
  const std::string words = "-n 1 --db 'a b.db' --mode observe -- ./app 'two words' \"it's\" '' \"$(printf 'a\\nb')\"";
  const CliResult dry = run("--dry-run " + words);
  EXPECT_EQ(dry.exit_code, 0) << dry.err;
  EXPECT_THAT(dry.out, AllOf(HasSubstr(" STARLING_MODE=observe " + folder_.file("path/mpirun") + " "),
                             HasSubstr(" 'two words' "), Not(HasSubstr("own LD_PRELOAD"))));
  EXPECT_EQ(std::count(dry.out.begin(), dry.out.end(), '\n'), 1);
  writeFile(folder_.file("line"), dry.out);
  const CliResult by_shell = runProgram("bash", "'" + folder_.file("line") + "'");
  EXPECT_EQ(by_shell.exit_code, 7);
  EXPECT_EQ(by_shell.out, run(words).out);
}

TEST_F(RunCommand, keepsAnotherPreload) {
  EXPECT_THAT(run("-n 1 -- ./app", "LD_PRELOAD=").out, HasSubstr("<LD_PRELOAD=" + preload() + ">"));
}

TEST_F(RunCommand, exportsStarlingVariables) {
  const CliResult result = run("-n 1 --db tuning.db --mode observe -- ./app", "STARLING_MINIMUM_CALLS=3");
  EXPECT_THAT(result.out, AllOf(HasSubstr("<-x>\n<STARLING_DB>\n"), HasSubstr("<-x>\n<STARLING_MODE>\n"),
                                HasSubstr("<-x>\n<STARLING_MINIMUM_CALLS>\n"), HasSubstr("STARLING_MODE=observe")));
  EXPECT_THAT(result.out, HasSubstr("STARLING_DB=/")) << "ranks may start in another folder";
  EXPECT_THAT(result.out, Not(HasSubstr("<--db>")));
}

TEST_F(RunCommand, oversubscribesOnlyWhenItMustAndSaysSo) {
  const CliResult many = run("-n 100000 -- ./app");
  EXPECT_THAT(many.out, HasSubstr("<--oversubscribe>"));
  EXPECT_THAT(many.err, HasSubstr("adding --oversubscribe"));
  const CliResult one = run("-n 1 -- ./app");
  EXPECT_THAT(one.out, Not(HasSubstr("<--oversubscribe>")));
  EXPECT_THAT(one.err, Not(HasSubstr("oversubscribe")));
  EXPECT_THAT(run("-n 100000 --hostfile hosts -- ./app").out, Not(HasSubstr("<--oversubscribe>")));
  EXPECT_THAT(run("-n 100000 -- ./app", "SLURM_JOB_ID=1").out, Not(HasSubstr("<--oversubscribe>")));
}

TEST_F(RunCommand, startsRanksBySrun) {
  const CliResult result = run("--launcher srun -N 2 -n 4 --mode observe -- ./app one");
  EXPECT_EQ(result.exit_code, 7) << "the exit code is srun's";
  EXPECT_THAT(result.out, testing::StartsWith("<--export=ALL,LD_PRELOAD=" + preload() +
                                              ">\n<-N>\n<2>\n<-n>\n<4>\n<./app>\n<one>\nown LD_PRELOAD= "));
  EXPECT_THAT(result.out, HasSubstr("STARLING_MODE=observe")) << "which ALL exports";
  EXPECT_THAT(run("--launcher srun -n 100000 -- ./app").out, Not(HasSubstr("oversubscribe")));
  EXPECT_THAT(run("--launcher srun -n 2 -- ./app", "LD_PRELOAD=/no,tool.so 2>&1").out, Not(HasSubstr("<./app>")));
}

TEST_F(RunCommand, refusesWrongVariablesBeforeAnythingStarts) {
  const CliResult result = run("-n 1 -- ./app", "STARLING_MINIMUM_CALLS=none");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, AllOf(HasSubstr("STARLING_MINIMUM_CALLS=none"), HasSubstr("starling options")));
  EXPECT_THAT(result.err, Not(HasSubstr("default"))) << "nothing is used";
  const CliResult wrong_row = run("--algorithm wombat -n 1 -- ./app");
  EXPECT_EQ(wrong_row.exit_code, 2);
  EXPECT_THAT(wrong_row.err, AllOf(HasSubstr("wombat"), HasSubstr("`starling algorithms`")));
}

TEST_F(RunCommand, saysWhichPartIsMissing) {
  std::filesystem::remove(folder_.file("path/mpirun"));
  const CliResult no_mpirun =
      runProgram(folder_.file("bin/starling"), "run -n 1 -- ./app", "PATH='" + folder_.file("path") + "'");
  EXPECT_EQ(no_mpirun.exit_code, 1);
  EXPECT_THAT(no_mpirun.err, AllOf(HasSubstr("mpirun is not in PATH"), HasSubstr("--launcher srun")));
  std::filesystem::remove(folder_.file("path/srun"));
  const CliResult no_srun =
      runProgram(folder_.file("bin/starling"), "run --launcher srun -- ./app", "PATH='" + folder_.file("path") + "'");
  EXPECT_EQ(no_srun.exit_code, 1);
  EXPECT_THAT(no_srun.err, HasSubstr("srun is not in PATH"));
  std::filesystem::remove(folder_.file("lib/libstarling_preload.so"));
  const CliResult no_library = run("-n 1 -- ./app");
  EXPECT_EQ(no_library.exit_code, 1);
  EXPECT_THAT(no_library.err, AllOf(HasSubstr("the preload library is not at"), HasSubstr(preload())));
}

}  // namespace
}  // namespace starling::cli
