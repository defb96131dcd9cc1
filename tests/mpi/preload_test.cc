// Programs that were not changed, with the preload library in the way: C and all three ways of Fortran.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "launcher.h"
#include "planted_policies.h"
#include "store/reader.h"

namespace starling {
namespace {

constexpr int kCallsOfEachType = 50;  // in every program
constexpr int kRanks = 3;

const std::vector<std::string>& programs() {
  static const std::vector<std::string> kPaths{
      STARLING_PRELOAD_C,
#ifdef STARLING_PRELOAD_FORTRAN
      STARLING_PRELOAD_FORTRAN,
      STARLING_PRELOAD_USEMPI,
      STARLING_PRELOAD_F08,
#endif
  };
  return kPaths;
}

std::string nameOf(const std::string& path) { return std::filesystem::path(path).filename(); }

class Preload : public testing::TestWithParam<std::string> {
 protected:
  Launch program() const {
    Launch what;
    what.program = GetParam();
    what.ranks = kRanks;
    what.environment["STARLING_DB"] = database_;
    what.environment["STARLING_PREPARE"] = "always";
    return what;
  }
  Launch preloaded() const {
    Launch what = program();
    what.launcher_options = "-x LD_PRELOAD='" STARLING_STARLING_PRELOAD "'";
    return what;
  }

  TemporaryFolder folder_;
  std::string database_ = folder_.file("tuning.db");
};

TEST_P(Preload, everyCallGoesThroughStarling) {
  const Outcome outcome = launch(preloaded());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.messages(), testing::IsEmpty());
  const auto reader = Reader::open(database_);
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  const auto runs = reader.value().runs();
  ASSERT_TRUE(runs.isOk());
  ASSERT_EQ(runs.value().size(), 1U);
  EXPECT_EQ(runs.value()[0].run.program, nameOf(GetParam()));
  EXPECT_TRUE(runs.value()[0].finished.has_value());
  const auto keys = reader.value().keys(runs.value()[0].number);
  ASSERT_TRUE(keys.isOk());
  std::map<std::string, std::int64_t> calls_of_type;
  for (const KeyRow& row : keys.value()) {
    EXPECT_THAT(row.key.state, testing::AnyOf("settled", "exploring")) << "noise may have made it explore again";
    EXPECT_EQ(row.key.id.operation, "sum");
    EXPECT_EQ(nameOf(row.site.module), nameOf(GetParam())) << "the site is in the program, not in a wrapper";
    calls_of_type[row.key.id.type] += row.key.calls;
  }
  const std::map<std::string, std::int64_t> expected{{"double", kCallsOfEachType}, {"int32", kCallsOfEachType}};
  EXPECT_EQ(calls_of_type, expected);
  EXPECT_EQ(keys.value().size(), 2U) << "two lines call";
}

TEST_P(Preload, schedulesGiveRightResults) {
  for (const char* algorithm : {"ring_segmented", "rabenseifner"}) {
    Launch forced = preloaded();
    forced.environment["STARLING_ALGORITHM"] = algorithm;
    const Outcome outcome = launch(forced);
    EXPECT_EQ(outcome.exit_code, 0) << algorithm << ": " << outcome.text;
    EXPECT_THAT(outcome.messages(), testing::IsEmpty());
  }
}

#ifdef STARLING_PRELOAD_SPELLINGS
TEST(PreloadSpellings, everyOneOfFortranMeansTheSame) {
  const TemporaryFolder folder;
  for (const char* algorithm : {"native", "ring"}) {
    Launch what;
    what.program = STARLING_PRELOAD_SPELLINGS;
    what.ranks = kRanks;
    what.environment["STARLING_DB"] = folder.file("tuning.db");
    what.environment["STARLING_ALGORITHM"] = algorithm;
    what.launcher_options = "-x LD_PRELOAD='" STARLING_STARLING_PRELOAD "'";
    const Outcome outcome = launch(what);
    EXPECT_EQ(outcome.exit_code, 0) << algorithm << ": " << outcome.text;
    EXPECT_THAT(outcome.messages(), testing::IsEmpty());
  }
}
#endif

Launch preloadedWith(const TemporaryFolder& folder, const std::string& variable, const std::string& value) {
  return {.program = STARLING_PRELOAD_C,
          .arguments = "",
          .ranks = kRanks,
          .environment = {{"STARLING_DB", folder.file("tuning.db")}, {"STARLING_SUMMARY", "off"}, {variable, value}},
          .launcher_options = "-x LD_PRELOAD='" STARLING_STARLING_PRELOAD "'"};
}

TEST(PreloadSettings, anAlgorithmThatIsNotUnderstoodIsToldWithWhatFollows) {
  const TemporaryFolder folder;
  const Outcome outcome = launch(preloadedWith(folder, "STARLING_ALGORITHM", "rign"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.messages(),
              testing::ElementsAre(testing::AllOf(
                  testing::HasSubstr("STARLING_ALGORITHM is not understood, and all calls are left to the MPI library"),
                  testing::HasSubstr("did you mean `ring`?"))));
}

TEST(PreloadSettings, aVariableThatIsNotReadIsToldOnce) {
  const TemporaryFolder folder;
  const Outcome outcome = launch(preloadedWith(folder, "STARLING_ALGORITM", "ring"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.messages(),
              testing::ElementsAre(
                  testing::HasSubstr("STARLING_ALGORITM is not read by Starling; did you mean `STARLING_ALGORITHM`?")));
}

TEST(PreloadSettings, aFolderInPlaceOfTheFileOfLinksBreaksNothing) {
  const TemporaryFolder folder;
  Launch what = preloadedWith(folder, "STARLING_LINKS", folder.file(""));
  what.environment["STARLING_PREPARE"] = "always";
  what.environment["STARLING_MINIMUM_CALLS"] = "1";
  const Outcome outcome = launch(what);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.messages(), testing::ElementsAre(testing::HasSubstr("on rank 0 it is a folder")));
}

TEST(PreloadSettings, aLineBreakInOneValueLosesNoOther) {
  const TemporaryFolder folder;
  Launch what = preloadedWith(folder, "STARLING_ALGORITHM", "ring\nfoo");
  what.environment["STARLING_MODE"] = "off";
  const Outcome outcome = launch(what);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_FALSE(std::filesystem::exists(folder.file("tuning.db"))) << "nothing is tuned with STARLING_MODE=off";
}

class PreloadLater : public testing::Test {
 protected:
  bool promise(double gain) const {
    return learnAndPlant(preloadedWith(folder_, "STARLING_PREPARE", "always"), database_, "recursive_doubling", gain);
  }

  // Returns how many calls a later run records that is prepared where it is worth it.
  std::int64_t callsRecordedLater(const std::string& minimum_calls) {
    Launch later = preloadedWith(folder_, "STARLING_PREPARE", "worthwhile");
    later.environment["STARLING_MINIMUM_CALLS"] = minimum_calls;
    const Outcome outcome = launch(later);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    const auto reader = Reader::open(database_);
    EXPECT_TRUE(reader.isOk()) << reader.status().message();
    std::int64_t calls = 0;
    if (!reader.isOk()) return calls;
    for (const KeyRow& row : reader.value().keys(reader.value().runs().value().back().number).value())
      calls += row.key.calls;
    return calls;
  }

  TemporaryFolder folder_;
  std::string database_ = folder_.file("tuning.db");
};

TEST_F(PreloadLater, theWorldIsPreparedAfterItsFirstCallWhereAnEarlierRunPromisesAGain) {
  ASSERT_TRUE(promise(2.0));
  EXPECT_EQ(callsRecordedLater("4"), 2 * kCallsOfEachType - 1);
}

TEST_F(PreloadLater, theWorldIsPreparedAsUsualWhereNoGainIsPromised) {
  ASSERT_TRUE(promise(1.05));
  EXPECT_LE(callsRecordedLater("4"), 2 * kCallsOfEachType - 4);
}

TEST_F(PreloadLater, theWorldIsPreparedAfterAsManyCallsAsTheUserAsksFor) {
  ASSERT_TRUE(promise(2.0));
  EXPECT_LE(callsRecordedLater("20"), 2 * kCallsOfEachType - 20);
}

TEST_P(Preload, programRunsWithoutIt) {
  EXPECT_EQ(launch(program()).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(database_));
}

INSTANTIATE_TEST_SUITE_P(Programs, Preload, testing::ValuesIn(programs()),
                         [](const auto& test) { return nameOf(test.param); });

}  // namespace
}  // namespace starling
