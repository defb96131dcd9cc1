#include "elf_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli_process.h"

namespace starling::cli {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

ElfFile part(const std::string& name) {
  const Result<ElfFile> file = readElf(STARLING_CALL_STACK "/" + name);
  EXPECT_TRUE(file.isOk()) << file.status().message();
  return file.isOk() ? file.value() : ElfFile{};
}

TEST(ElfFile, tellsWhatAProgramTakesFromOthers) {
  const ElfFile program = part("c_program");
  EXPECT_THAT(program.undefined, Contains("MPI_Allreduce"));
  EXPECT_THAT(program.defined, Not(Contains("MPI_Allreduce")));
  EXPECT_THAT(program.interpreter, HasSubstr("ld"));
  EXPECT_TRUE(program.is_executable);
  EXPECT_FALSE(program.isStatic());
}

TEST(ElfFile, tellsWhatALibraryDefines) {
  const ElfFile tool = part("libpmpi_tool.so");
  EXPECT_THAT(tool.defined, Contains("MPI_Allreduce"));
  EXPECT_THAT(tool.undefined, Contains("PMPI_Allreduce"));
  EXPECT_FALSE(tool.is_executable);
}

TEST(ElfFile, knowsStaticPrograms) { EXPECT_TRUE(part("static_program").isStatic()); }

TEST(ElfFile, refusesOtherFiles) {
  const TemporaryFolder folder;
  writeFile(folder.file("notes"), "These are notes, not a program.\n");
  EXPECT_THAT(readElf(folder.file("notes")).status().message(), HasSubstr("notes is no ELF file"));
  writeFile(folder.file("cut"), readFile(STARLING_CALL_STACK "/c_program").substr(0, 40));
  EXPECT_FALSE(readElf(folder.file("cut")).isOk());
  EXPECT_THAT(readElf(folder.file("nothing")).status().message(), HasSubstr("No such file"));
}

// Section headers at the end are gone: there are no symbols, and nothing worse happens.
TEST(ElfFile, readsWhatIsThereOfATruncatedOne) {
  const TemporaryFolder folder;
  const std::string whole = readFile(STARLING_CALL_STACK "/c_program");
  writeFile(folder.file("half"), whole.substr(0, whole.size() / 2));
  const Result<ElfFile> file = readElf(folder.file("half"));
  EXPECT_TRUE(!file.isOk() || file.value().undefined.empty());
}

}  // namespace
}  // namespace starling::cli
