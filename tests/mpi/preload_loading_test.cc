// How the preload library gets at Starling and at the MPI library of the process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "launcher.h"
#include "store/reader.h"

namespace starling {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int kRanks = 3;

class PreloadLoading : public testing::Test {
 protected:
  Launch preloaded(const std::string& program, const std::string& library) {
    Launch what;
    what.program = program;
    what.ranks = kRanks;
    what.environment["STARLING_DB"] = database_;
    what.environment["STARLING_PREPARE"] = "always";
    what.launcher_options = "-x LD_PRELOAD='" + library + "'";
    return what;
  }

  // Copies the preload library, without what it loads.
  std::string loneLibrary() const {
    std::filesystem::copy_file(STARLING_STARLING_PRELOAD, folder_.file("libstarling_preload.so"));
    return folder_.file("libstarling_preload.so");
  }

  TemporaryFolder folder_;
  std::string database_ = folder_.file("tuning.db");
};

TEST_F(PreloadLoading, aModuleHasAnMpiLibraryForItselfAlone) {
  Launch host = preloaded(STARLING_MODULE_HOST, STARLING_STARLING_PRELOAD);
  host.arguments = "'" STARLING_PRELOAD_MODULE "'";
  const Outcome outcome = launch(host);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.messages(), IsEmpty());
  const auto reader = Reader::open(database_);
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  const auto runs = reader.value().runs();
  ASSERT_TRUE(runs.isOk());
  ASSERT_THAT(runs.value(), SizeIs(1));
  const auto keys = reader.value().keys(runs.value()[0].number);
  ASSERT_TRUE(keys.isOk());
  ASSERT_THAT(keys.value(), SizeIs(1));
  EXPECT_EQ(keys.value()[0].key.calls, 40);
}

TEST_F(PreloadLoading, programsRunUntunedWhereStarlingIsMissing) {
  const std::string library = loneLibrary();
  for (const char* program : {STARLING_PRELOAD_C,
#ifdef STARLING_PRELOAD_FORTRAN
                              STARLING_PRELOAD_FORTRAN, STARLING_PRELOAD_USEMPI, STARLING_PRELOAD_F08
#endif
       }) {
    const Outcome outcome = launch(preloaded(program, library));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    EXPECT_THAT(outcome.messages(), SizeIs(kRanks)) << outcome.text;
    EXPECT_THAT(outcome.messages(), Each(AllOf(HasSubstr("libstarling.so"), HasSubstr("cannot be loaded"),
                                               HasSubstr("No such file"), HasSubstr("runs untuned"))));
    EXPECT_FALSE(std::filesystem::exists(database_));
  }
}

TEST_F(PreloadLoading, saysNothingOfItWhereSilenceIsWanted) {
  Launch silent = preloaded(STARLING_PRELOAD_C, loneLibrary());
  silent.environment["STARLING_VERBOSITY"] = "silent";
  const Outcome outcome = launch(silent);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.messages(), IsEmpty());
}

TEST_F(PreloadLoading, aProgramOfAnotherMpiLibraryRunsUntuned) {
  const Outcome outcome = shell("LD_PRELOAD='" STARLING_STARLING_PRELOAD "' '" STARLING_FOREIGN_PROGRAM "' 2>&1");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.messages(),
              ElementsAre(AllOf(HasSubstr("Starling is built for"), HasSubstr(": Foreign MPI 7.1; this program runs"),
                                HasSubstr("build Starling with the MPI library of the program"))));
}

TEST_F(PreloadLoading, aProgramThatIsLinkedWithAnotherCopyHasOne) {
  const std::string library = loneLibrary();
  std::filesystem::copy_file(STARLING_STARLING, folder_.file(std::filesystem::path(STARLING_SONAME).filename()));
  const Outcome outcome = launch(preloaded(STARLING_LINKED_AND_PRELOADED, library));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.messages(), IsEmpty());
  EXPECT_THAT(outcome.text, HasSubstr("copies 1 keys 2\n"));
}

}  // namespace
}  // namespace starling
