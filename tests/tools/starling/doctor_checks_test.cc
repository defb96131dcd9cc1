#include "doctor_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli_process.h"
#include "example_database.h"
#include "installation.h"

namespace starling::cli {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

void writeScript(const std::string& path, const std::string& text) {
  writeFile(path, "#!/bin/sh\n" + text + "\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

std::string folderOf(const TemporaryFolder& folder) { return std::filesystem::path(folder.file("x")).parent_path(); }

TEST(FindProgram, takesTheFirstExecutable) {
  const TemporaryFolder plain;
  const TemporaryFolder good;
  writeFile(plain.file("mpirun"), "not executable");
  writeScript(good.file("mpirun"), "true");
  EXPECT_EQ(findProgram("mpirun", folderOf(plain) + "::" + folderOf(good))->string(), good.file("mpirun"));
  EXPECT_FALSE(findProgram("mpirun", folderOf(plain)).has_value());
  EXPECT_FALSE(findProgram("mpirun", "").has_value());
}

TEST(FindPreload, looksBesideTheFolderOfTheExecutable) {
  const TemporaryFolder root;
  const std::filesystem::path executable = root.file("bin/starling");
  EXPECT_FALSE(findPreload(executable).has_value());
  EXPECT_EQ(checkPreload(executable).health, Health::kFault);
  std::filesystem::create_directories(root.file("lib"));
  writeFile(root.file("lib/libstarling_preload.so"), "");
  EXPECT_EQ(findPreload(executable)->string(), root.file("lib/libstarling_preload.so"));
  EXPECT_EQ(checkPreload(executable).health, Health::kFault);
  EXPECT_THAT(checkPreload(executable).text, HasSubstr("libstarling.so.0, which it loads, is missing"));
  writeFile(root.file("lib/libstarling.so.0"), "");
  EXPECT_EQ(checkPreload(executable).health, Health::kOk);
}

TEST(CheckPrograms, tellsWhichOptionLeavesOutTheProgram) {
  const TemporaryFolder folder;
  writeScript(folder.file("solver-2"), "true");
  std::filesystem::create_symlink("solver-2", folder.file("solver"));
  const auto findings = [&](const std::string& option) {
    return checkPrograms({"solver"}, folderOf(folder), {option});
  };
  for (const char* option :
       {"PATH=/bin", "STARLING_PROGRAMS=solver", "STARLING_PROGRAMS=solver-?", "STARLING_NOT_PROGRAMS=prep"}) {
    EXPECT_THAT(findings(option), SizeIs(0)) << option;
  }
  for (const char* option : {"STARLING_PROGRAMS=lmp", "STARLING_NOT_PROGRAMS=sol*r", "STARLING_NOT_PROGRAMS=*-2"}) {
    ASSERT_THAT(findings(option), SizeIs(1)) << option;
    EXPECT_EQ(findings(option).front().health, Health::kWarning);
    EXPECT_THAT(findings(option).front().text, HasSubstr(std::string("solver is left out by ") + option));
  }
}

TEST(CheckPrograms, knowsScriptsByTheirNames) {
  const TemporaryFolder folder;
  writeScript(folder.file("python3"), "true");
  writeFile(folder.file("train.py"), "");
  const std::vector<std::string> command{folder.file("python3"), "-u", folder.file("train.py")};
  EXPECT_THAT(checkPrograms(command, "", {"STARLING_NOT_PROGRAMS=train.py"}), SizeIs(1));
  EXPECT_THAT(checkPrograms(command, "", {"STARLING_PROGRAMS=train.py"}), SizeIs(0));
}

TEST(CheckMpirun, tellsVersionOrWhatIsMissing) {
  const TemporaryFolder folder;
  EXPECT_EQ(checkMpirun(folderOf(folder)).health, Health::kFault);
  writeScript(folder.file("mpirun"), "echo 'mpirun (Open MPI) 9.9.9'");
  EXPECT_EQ(checkMpirun(folderOf(folder)).health, Health::kOk);
  EXPECT_THAT(checkMpirun(folderOf(folder)).text, HasSubstr("9.9.9"));
  writeScript(folder.file("mpirun"), "echo 'HYDRA build details:'");
  EXPECT_EQ(checkMpirun(folderOf(folder)).health, Health::kWarning);
  writeScript(folder.file("mpirun"), "exit 1");
  EXPECT_EQ(checkMpirun(folderOf(folder)).health, Health::kFault);
}

// A folder with stand-ins for srun, which has these plugins, and for scontrol.
std::string slurmIn(const TemporaryFolder& folder, const std::string& plugins, const std::string& config) {
  writeScript(folder.file("srun"), "echo 'MPI plugin types are...'; printf '\\t%s\\n' " + plugins);
  writeScript(folder.file("scontrol"), "echo '" + config + "'");
  return folderOf(folder);
}

TEST(CheckBatchSystem, saysWhatSrunStartsRanksBy) {
  const TemporaryFolder folder;
  const std::string good = slurmIn(folder, "none pmix", "MpiDefault              = pmix");
  const Finding by_pmix = checkBatchSystem({"SLURM_JOB_ID=12"}, good);
  EXPECT_EQ(by_pmix.health, Health::kOk);
  EXPECT_THAT(by_pmix.text, HasSubstr("in Slurm job 12; "));
  EXPECT_THAT(by_pmix.text, HasSubstr("starts ranks by pmix"));
  const Finding by_none = checkBatchSystem({}, slurmIn(folder, "none pmix", "MpiDefault = none"));
  EXPECT_EQ(by_none.health, Health::kWarning);
  EXPECT_THAT(by_none.text, HasSubstr("starts ranks by none"));
  EXPECT_THAT(by_none.remedy, HasSubstr("--mpi=pmix"));
  EXPECT_EQ(checkBatchSystem({"SLURM_MPI_TYPE=pmix_v4"}, folderOf(folder)).health, Health::kOk);
  EXPECT_EQ(checkBatchSystem({}, slurmIn(folder, "none pmix", "")).health, Health::kWarning);
  const Finding without = checkBatchSystem({}, slurmIn(folder, "none pmi2", "MpiDefault = none"));
  EXPECT_EQ(without.health, Health::kWarning);
  EXPECT_THAT(without.text, HasSubstr("has no plugin pmix"));
}

TEST(CheckBatchSystem, saysWhenSrunFindsNoSlurm) {
  const TemporaryFolder folder;
  writeScript(folder.file("srun"), "echo 'srun: fatal: Could not establish a configuration source' >&2; exit 1");
  const Finding outside = checkBatchSystem({}, folderOf(folder));
  EXPECT_EQ(outside.health, Health::kOk);
  EXPECT_THAT(outside.text, HasSubstr("finds no Slurm"));
  EXPECT_EQ(checkBatchSystem({"SLURM_JOB_ID=12"}, folderOf(folder)).health, Health::kWarning);
}

TEST(CheckBatchSystem, namesTheJob) {
  const TemporaryFolder empty;
  EXPECT_EQ(checkBatchSystem({}, folderOf(empty)).health, Health::kOk);
  EXPECT_THAT(checkBatchSystem({"PBS_JOBID=7.host"}, folderOf(empty)).text, HasSubstr("in PBS job 7.host; "));
  const Finding no_srun =
      checkBatchSystem({"SLURM_JOB_ID=13", "SLURM_ARRAY_JOB_ID=11", "SLURM_ARRAY_TASK_ID=2"}, folderOf(empty));
  EXPECT_EQ(no_srun.health, Health::kWarning);
  EXPECT_THAT(no_srun.text, HasSubstr("in Slurm job 13, task 2 of array 11; srun is not in PATH"));
}

TEST(CheckDatabase, acceptsAGoodOneAndAFutureOne) {
  const TemporaryFolder folder;
  EXPECT_EQ(checkDatabase(folder.file("new/tuning.db")).health, Health::kOk);
  writeExampleDatabase(folder.file("tuning.db"));
  EXPECT_THAT(checkDatabase(folder.file("tuning.db")).text, HasSubstr("2 runs"));
}

TEST(CheckDatabase, acceptsAnEmptyOneAsRunsDo) {
  const TemporaryFolder folder;
  writeFile(folder.file("tuning.db"), "");
  EXPECT_EQ(checkDatabase(folder.file("tuning.db")).health, Health::kOk);
  EXPECT_THAT(checkDatabase(folder.file("tuning.db")).text, HasSubstr("the first run fills it"));
}

TEST(CheckDatabase, doesNotThrowAwayWhatItMayNotRead) {
  const TemporaryFolder folder;
  writeExampleDatabase(folder.file("tuning.db"));
  std::filesystem::permissions(folder.file(""), std::filesystem::perms::all);
  std::filesystem::permissions(folder.file("tuning.db"), std::filesystem::perms::none);
  constexpr uid_t kNobody = 65534;  // root may read all
  const bool is_root = geteuid() == 0;
  ASSERT_TRUE(!is_root || seteuid(kNobody) == 0);
  const Finding finding = checkDatabase(folder.file("tuning.db"));
  ASSERT_TRUE(!is_root || seteuid(0) == 0);
  EXPECT_EQ(finding.health, Health::kFault);
  EXPECT_THAT(finding.text, HasSubstr("cannot be read: Permission denied"));
  EXPECT_THAT(finding.remedy, HasSubstr("right to read"));
}

// The file system of processes never has room.
TEST(CheckDatabase, needsRoom) {
  if (access("/proc", W_OK) != 0) GTEST_SKIP() << "only root may write there";
  const Finding finding = checkDatabase("/proc/tuning.db");
  EXPECT_EQ(finding.health, Health::kWarning);
  EXPECT_THAT(finding.text, HasSubstr("only 0 B of its file system are free"));
  EXPECT_THAT(finding.remedy, HasSubstr("make room there"));
}

TEST(CheckDatabase, refusesAnotherKindOfFile) {
  const TemporaryFolder folder;
  writeFile(folder.file("notes.txt"), "These are notes, not a database.\n");
  const Finding finding = checkDatabase(folder.file("notes.txt"));
  EXPECT_EQ(finding.health, Health::kFault);
  EXPECT_THAT(finding.text, HasSubstr("notes.txt"));
  EXPECT_NE(finding.remedy, "");
}

TEST(CheckStartDatabase, looksAtOneThatIsNamedAlone) {
  const TemporaryFolder folder;
  EXPECT_TRUE(checkStartDatabase("").empty());
  const std::vector<Finding> missing = checkStartDatabase(folder.file("site.db"));
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].health, Health::kWarning);
  EXPECT_THAT(missing[0].remedy, HasSubstr("STARLING_START_DB"));
  writeExampleDatabase(folder.file("site.db"));
  EXPECT_EQ(checkStartDatabase(folder.file("site.db"))[0].health, Health::kOk);
  EXPECT_THAT(checkStartDatabase(folder.file("site.db"))[0].text, HasSubstr("polic"));
}

TEST(CheckClocks, tellsHowWellThoseOfTheLatestRunAgree) {
  const TemporaryFolder folder;
  EXPECT_THAT(checkClocks(folder.file("none.db")).text, HasSubstr("no run"));
  writeExampleDatabase(folder.file("tuning.db"));
  EXPECT_EQ(checkClocks(folder.file("tuning.db")).text, "those of run 2 agree within 3.00 us");
  writeApartDatabase(folder.file("tuning.db"));
  EXPECT_EQ(checkClocks(folder.file("tuning.db")).health, Health::kWarning);
  EXPECT_THAT(checkClocks(folder.file("tuning.db")).text, HasSubstr("run 3 could not compare"));
}

TEST(CheckOptions, tellsEachVariableThatIsWrong) {
  EXPECT_EQ(checkOptions({"STARLING_MODE=tune"}).front().health, Health::kOk);
  const auto findings = checkOptions({"STARLING_MODE=fast", "STARLING_ALGORITHM=unheard_of", "STARLING_MOD=off"});
  ASSERT_THAT(findings, SizeIs(3));
  EXPECT_EQ(findings[0].health, Health::kFault);
  EXPECT_THAT(findings[0].text, HasSubstr("STARLING_MODE=fast"));
  EXPECT_EQ(findings[1].health, Health::kFault);
  EXPECT_THAT(findings[1].text, HasSubstr("unheard_of"));
  EXPECT_EQ(findings[2].health, Health::kWarning);
  EXPECT_THAT(findings[2].text, HasSubstr("STARLING_MOD is not read"));
}

TEST(CheckOptions, readsTheFileOfLinks) {
  const TemporaryFolder folder;
  writeFile(folder.file("links"), "0 1\n1 0\n");
  EXPECT_EQ(checkOptions({"STARLING_LINKS=" + folder.file("links")}).front().health, Health::kOk);
  EXPECT_EQ(checkOptions({"STARLING_LINKS=measure"}).front().health, Health::kOk);
  writeFile(folder.file("links"), "0 1\n2 0\n");
  for (const std::string& wrong : {folder.file("links"), folder.file("none"), folder.file("")}) {
    const Finding finding = checkOptions({"STARLING_LINKS=" + wrong}).front();
    EXPECT_EQ(finding.health, Health::kFault) << wrong;
    EXPECT_THAT(finding.text, HasSubstr("STARLING_LINKS: " + wrong));
  }
}

TEST(CheckPinning, warnsOfVariablesAndParameterFiles) {
  const TemporaryFolder home;
  std::filesystem::create_directories(home.file(".openmpi"));
  const std::string home_entry = "HOME=" + folderOf(home);
  EXPECT_EQ(checkPinning({home_entry}).front().health, Health::kOk);
  EXPECT_THAT(checkPinning({"OMPI_MCA_coll_tuned_allreduce_algorithm=4"}).front().text,
              HasSubstr("OMPI_MCA_coll_tuned_allreduce_algorithm=4 chooses"));
  EXPECT_THAT(checkPinning({"OMPI_MCA_coll_tuned_allreduce_algorithm=0"}).front().text, HasSubstr("may change"));
  writeFile(home.file(".openmpi/mca-params.conf"), "# comment\n coll_tuned_use_dynamic_rules = 1\n");
  const auto findings = checkPinning({home_entry});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].health, Health::kWarning);
  EXPECT_THAT(findings[0].text, HasSubstr("coll_tuned_use_dynamic_rules"));
}

TEST(CheckSharedMemory, saysWhetherRanksOfAMachineShareMemory) {
  const auto usual = checkSharedMemory({});
  ASSERT_THAT(usual, SizeIs(2));
  EXPECT_EQ(usual[0].health, Health::kOk);
  EXPECT_THAT(usual[0].text, HasSubstr("can share"));
  EXPECT_EQ(usual[1].health, Health::kOk) << "a container may forbid it";
  EXPECT_THAT(usual[1].text, HasSubstr("`node_read`"));
  const auto told = checkSharedMemory({"OMPI_MCA_btl=tcp,self"});
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].health, Health::kOk);
  EXPECT_THAT(told[0].text, HasSubstr("OMPI_MCA_btl=tcp,self"));
  const auto unread = checkSharedMemory({"OMPI_MCA_btl_vader_single_copy_mechanism=none"});
  ASSERT_THAT(unread, SizeIs(2));
  EXPECT_THAT(unread[1].text, HasSubstr("single_copy_mechanism=none"));
}

}  // namespace
}  // namespace starling::cli
