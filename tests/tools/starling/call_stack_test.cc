#include "call_stack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli_process.h"

namespace starling::cli {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::SizeIs;

std::string part(const std::string& name) { return STARLING_CALL_STACK "/" + name; }

std::string preload() { return part("libstarling_preload.so"); }

auto finding(Health health, const std::string& subject, const std::string& text) {
  return AllOf(Field(&Finding::health, health), Field(&Finding::subject, subject),
               Field(&Finding::text, HasSubstr(text)));
}

auto isOk() { return Field(&Finding::health, Health::kOk); }

// Under the LD_PRELOAD that is given; empty: none.
std::vector<Finding> check(const std::string& program, const std::string& preloaded = "") {
  const std::vector<Finding> findings = checkCommand(part(program), "", {"LD_PRELOAD=" + preloaded}, preload());
  for (const Finding& each : findings) EXPECT_EQ(each.remedy.empty(), each.health == Health::kOk) << each.text;
  return findings;
}

TEST(CallStack, allIsWellWhereOnlyMpiIsBehindStarling) {
  const std::vector<Finding> findings = check("c_program");
  EXPECT_THAT(findings, SizeIs(3));
  EXPECT_THAT(findings, Each(isOk()));
  EXPECT_THAT(findings, Contains(finding(Health::kOk, "program", "c_program calls MPI_Allreduce")));
  EXPECT_THAT(findings, Contains(finding(Health::kOk, "MPI library", part("libown_mpi.so"))));
  EXPECT_THAT(findings, Contains(finding(Health::kOk, "call order", "Starling comes first, then libown_mpi.so")));
}

TEST(CallStack, fortranHasASpellingOfItsOwn) {
  const std::vector<Finding> findings = check("fortran_program");
  EXPECT_THAT(findings, Each(isOk()));
  EXPECT_THAT(findings, Contains(finding(Health::kOk, "call order",
                                         "mpi_allreduce_: Starling comes first, then libown_mpi_fortran.so")));
}

TEST(CallStack, aLinkedToolIsBehindStarling) {
  const std::vector<Finding> findings = check("tool_program");
  EXPECT_THAT(findings, Each(isOk()));
  EXPECT_THAT(findings, Contains(finding(Health::kOk, "call order",
                                         "Starling comes first, then libpmpi_tool.so, which sees what is left to MPI; "
                                         "then libown_mpi.so")));
}

TEST(CallStack, startingWithStarlingRunPutsItInFront) {
  EXPECT_THAT(check("c_program", part("libpmpi_tool.so")), Each(isOk()));
}

TEST(CallStack, aToolInFrontThatCallsPmpiIsAFault) {
  for (const char* program : {"c_program", "fortran_program"}) {
    const std::vector<Finding> findings = check(program, part("libpmpi_tool.so") + ":" + preload());
    EXPECT_THAT(findings,
                Contains(finding(Health::kFault, "call order", "calls PMPI_Allreduce: Starling sees no call")));
    EXPECT_THAT(findings, Contains(Field(&Finding::remedy, HasSubstr("libstarling_preload.so in LD_PRELOAD before "
                                                                     "libpmpi_tool.so"))));
  }
}

TEST(CallStack, aToolInFrontThatCallsTheNextFunctionIsAWarning) {
  EXPECT_THAT(check("c_program", part("libnext_tool.so") + " " + preload()),
              Contains(finding(Health::kWarning, "call order", "libnext_tool.so wraps MPI_Allreduce in front")));
}

TEST(CallStack, aToolInFrontThatWrapsOnlyInitIsAWarning) {
  EXPECT_THAT(check("c_program", part("libinit_tool.so") + ":" + preload()),
              Contains(finding(Health::kWarning, "call order", "Starling begins at the first allreduce")));
}

TEST(CallStack, aWrapperWithinTheProgramIsAFault) {
  EXPECT_THAT(check("wrapping_program"),
              Contains(finding(Health::kFault, "call order", "wrapping_program wraps MPI_Allreduce in front")));
}

TEST(CallStack, aProgramThatMayLoadMpiAtRunTimeIsToldOfStarlings) {
  const std::vector<Finding> findings = check("plain_program");
  EXPECT_THAT(findings, Contains(finding(Health::kOk, "MPI library", part("libown_mpi.so"))));
  EXPECT_THAT(findings, Contains(finding(Health::kOk, "call order", "then what the program loads at run time")));
}

TEST(CallStack, thatStarlingsOwnMpiLibraryIsNotFoundIsAFault) {
  const TemporaryFolder folder;
  std::filesystem::copy_file(preload(), folder.file("libstarling_preload.so"));
  EXPECT_THAT(check("c_program", folder.file("libstarling_preload.so")),
              Contains(finding(Health::kFault, "MPI library", "Starling's is not found")));
}

TEST(CallStack, anotherMpiLibraryIsAFault) {
  EXPECT_THAT(check("other_program"), Contains(finding(Health::kFault, "MPI library",
                                                       "the program is linked with " + part("libother_mpi.so") +
                                                           ", Starling with " + part("libown_mpi.so"))));
}

TEST(CallStack, anMpiLibraryWithinTheProgramIsAFault) {
  const std::vector<Finding> findings = check("mpi_inside_program");
  EXPECT_THAT(findings, Contains(finding(Health::kFault, "MPI library", "has an MPI library linked into it")));
  EXPECT_THAT(findings, Contains(finding(Health::kFault, "call order", "in front of Starling")));
}

TEST(CallStack, programsWithNothingToTuneAreWarnings) {
  EXPECT_THAT(check("plain_program"), Contains(finding(Health::kWarning, "program", "is not linked with MPI")));
  EXPECT_THAT(check("init_program"), Contains(finding(Health::kWarning, "program", "does not call MPI_Allreduce")));
}

TEST(CallStack, whatCannotBePreloadedIsAFault) {
  EXPECT_THAT(check("static_program"), Contains(finding(Health::kFault, "program", "is statically linked")));
  EXPECT_THAT(check("libown_mpi.so"), Contains(finding(Health::kFault, "program", "is a library")));
  EXPECT_THAT(check("c_program", "/nowhere/libtool.so"),
              Contains(finding(Health::kFault, "program", "/nowhere/libtool.so is not found")));
}

TEST(CheckCommand, saysWhatIsNoProgram) {
  const TemporaryFolder folder;
  writeFile(folder.file("script"), "#!/bin/sh\n./app\n");
  writeFile(folder.file("mpirun"), "");
  const auto only = [&](const std::string& command) { return checkCommand(command, "", {}, preload()).front(); };
  EXPECT_THAT(only(folder.file("script")), finding(Health::kWarning, "program", "is a script"));
  EXPECT_THAT(only(folder.file("mpirun")), finding(Health::kFault, "program", "starts other programs"));
  EXPECT_THAT(only(folder.file("nothing")), finding(Health::kFault, "program", "No such file"));
  EXPECT_THAT(only("nothing"), finding(Health::kFault, "program", "nothing is not in PATH"));
}

TEST(CheckCommand, looksForTheProgramInThePath) {
  EXPECT_THAT(checkCommand("c_program", "/nowhere:" STARLING_CALL_STACK, {}, preload()), Each(isOk()));
}

TEST(Doctor, examinesTheProgramAfterTwoDashes) {
  const std::string program = " -- " + part("static_program") + " --json input";
  const CliResult text = runProgram(STARLING_CLI, "doctor" + program);
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_THAT(text.out, HasSubstr("is statically linked"));
  const auto rows = nlohmann::json::parse(runProgram(STARLING_CLI, "doctor --json" + program).out);
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(),
                          [](const auto& row) { return row["health"] == "fault" && row["subject"] == "program"; }));
}

TEST(Doctor, refusesAMissingProgram) {
  const CliResult result = runProgram(STARLING_CLI, "doctor --");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("there is no program after `--`"));
}

// A program names what is to load it, and whoever asks that starts it.
TEST(CallStack, startsNothingThatTheProgramBringsAlong) {
  const TemporaryFolder folder;
  std::string program = readFile(part("c_program"));
  const std::string loader = readElf(part("c_program")).value().interpreter;
  std::string short_folder = "/tmp/XXXXXX";  // its name takes the loader's place in the file
  ASSERT_NE(::mkdtemp(short_folder.data()), nullptr);
  const std::string brought = short_folder + "/l";
  const std::string sign = folder.file("started");
  writeFile(brought, "#!/bin/sh\ntouch '" + sign + "'\n");
  std::filesystem::permissions(brought, std::filesystem::perms(0700));
  std::string padded = brought;
  padded.resize(loader.size(), '\0');
  program.replace(program.find(loader), loader.size(), padded);
  writeFile(folder.file("program"), program);
  const std::vector<Finding> findings = checkCommand(folder.file("program"), "", {}, preload());
  std::filesystem::remove_all(short_folder);
  EXPECT_FALSE(std::filesystem::exists(sign));
  EXPECT_THAT(findings, testing::ElementsAre(finding(Health::kWarning, "program", "wants to be loaded by " + brought)));
}

}  // namespace
}  // namespace starling::cli
