#include "base/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace starling {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using Environment = std::map<std::string, std::string>;

EnvironmentLookup lookupIn(Environment environment) {
  return [environment = std::move(environment)](const char* variable) -> std::optional<std::string> {
    const auto found = environment.find(variable);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
  };
}

// What one row of the table takes, and what its field holds afterwards.
struct Accepted {
  const char* text;
  std::function<void(Options&)> set;
};

struct RowCase {
  const char* variable;
  std::vector<Accepted> accepted;
  std::vector<const char*> rejected;
};

void PrintTo(const RowCase& row, std::ostream* out) { *out << row.variable; }

const std::vector<RowCase>& rowCases() {
  static const std::vector<RowCase> kCases = {
      {"STARLING_MODE",
       {{"off", [](Options& options) { options.mode = Mode::kOff; }},
        {"observe", [](Options& options) { options.mode = Mode::kObserve; }},
        {"tune", [](Options& options) { options.mode = Mode::kTune; }}},
       {"on", "Tune", "tune ", "1"}},
      {"STARLING_ALGORITHM",
       {{"ring", [](Options& options) { options.algorithm = "ring"; }},
        {"ring:segments=4,window=2", [](Options& options) { options.algorithm = "ring:segments=4,window=2"; }}},
       {}},
      {"STARLING_REPRODUCIBLE",
       {{"0", [](Options& options) { options.reproducible = false; }},
        {"1", [](Options& options) { options.reproducible = true; }}},
       {"2", "yes", "true", "01"}},
      {"STARLING_PROGRAMS", {{"lmp*,train.py", [](Options& options) { options.programs = "lmp*,train.py"; }}}, {}},
      {"STARLING_NOT_PROGRAMS", {{"prep:post", [](Options& options) { options.not_programs = "prep:post"; }}}, {}},
      {"STARLING_DB",
       {{"/scratch/my runs/tuning.db", [](Options& options) { options.database = "/scratch/my runs/tuning.db"; }}},
       {}},
      {"STARLING_START_DB",
       {{"/opt/starling/site.db", [](Options& options) { options.start_database = "/opt/starling/site.db"; }}},
       {}},
      {"STARLING_LINKS",
       {{"measure", [](Options& options) { options.links = "measure"; }},
        {"/scratch/links.txt", [](Options& options) { options.links = "/scratch/links.txt"; }}},
       {}},
      {"STARLING_VERBOSITY",
       {{"silent", [](Options& options) { options.verbosity = LogLevel::kSilent; }},
        {"warning", [](Options& options) { options.verbosity = LogLevel::kWarning; }},
        {"info", [](Options& options) { options.verbosity = LogLevel::kInfo; }}},
       {"loud", "INFO", "3"}},
      {"STARLING_SUMMARY",
       {{"off", [](Options& options) { options.summary = SummaryLength::kOff; }},
        {"short", [](Options& options) { options.summary = SummaryLength::kShort; }},
        {"full", [](Options& options) { options.summary = SummaryLength::kFull; }}},
       {"on", "0", "Full"}},
      {"STARLING_VIRTUAL_RANKS",
       {{"sort", [](Options& options) { options.virtual_ranks = TablePolicy::kSort; }},
        {"swap", [](Options& options) { options.virtual_ranks = TablePolicy::kSwap; }}},
       {"sorted", "off"}},
      {"STARLING_MINIMUM_CALLS",
       {{"1", [](Options& options) { options.minimum_calls = 1; }},
        {"1000000", [](Options& options) { options.minimum_calls = 1'000'000; }}},
       {"0", "-4", "1000001", "4.5", "4 calls", " 4", "+4", "four", "99999999999999999999"}},
      {"STARLING_PREPARE",
       {{"worthwhile", [](Options& options) { options.prepare = Preparation::kWorthwhile; }},
        {"always", [](Options& options) { options.prepare = Preparation::kAlways; }}},
       {"never", "Always", "1"}},
      {"STARLING_LONGEST_EPOCH",
       {{"4", [](Options& options) { options.longest_epoch = 4; }},
        {"65536", [](Options& options) { options.longest_epoch = 65536; }}},
       {"3", "65537", "0x100", "1e3"}},
      {"STARLING_ROOTED_PERIOD",
       {{"1", [](Options& options) { options.rooted_period = 1; }},
        {"65536", [](Options& options) { options.rooted_period = 65536; }}},
       {"0", "-2", "65537", "1e3", "16 calls"}},
      {"STARLING_FLUSH_INTERVAL",
       {{"0.1", [](Options& options) { options.flush_interval = Seconds{0.1}; }},
        {"30", [](Options& options) { options.flush_interval = Seconds{30.0}; }},
        {"3600", [](Options& options) { options.flush_interval = Seconds{3600.0}; }}},
       {"0.09", "0", "-1", "3600.5", "nan", "inf", "2s", "2,5"}},
      {"STARLING_WATCHDOG",
       {{"0", [](Options& options) { options.watchdog = Seconds{0.0}; }},
        {"0.1", [](Options& options) { options.watchdog = Seconds{0.1}; }},
        {"86400", [](Options& options) { options.watchdog = Seconds{86400.0}; }}},
       {"0.09", "-1", "86401", "nan", "30s"}},
      {"STARLING_WRITER",
       {{"thread", [](Options& options) { options.writer = WriterThread::kOwn; }},
        {"inline", [](Options& options) { options.writer = WriterThread::kCallers; }}},
       {"threads", "INLINE"}},
      {"STARLING_CLOCK_OFFSET",
       {{"0.005", [](Options& options) { options.clock_fault.offset = Seconds{0.005}; }},
        {"-3", [](Options& options) { options.clock_fault.offset = Seconds{-3.0}; }}},
       {"5ms", "nan", "1e7"}},
      {"STARLING_CLOCK_DRIFT",
       {{"50", [](Options& options) { options.clock_fault.drift_ppm = 50.0; }},
        {"-0.5", [](Options& options) { options.clock_fault.drift_ppm = -0.5; }}},
       {"5ppm", "nan", "101"}},
  };
  return kCases;
}

const OptionRow& rowOf(const char* variable) {
  for (const OptionRow& row : optionTable()) {
    if (std::string(row.variable) == variable) return row;
  }
  throw std::invalid_argument(std::string("no row for ") + variable);
}

// Rows whose values are names or paths take any text.
std::vector<RowCase> rowsThatReject() {
  std::vector<RowCase> rows;
  for (const RowCase& row : rowCases()) {
    if (!row.rejected.empty()) rows.push_back(row);
  }
  return rows;
}

std::string nameOf(const testing::TestParamInfo<RowCase>& row) { return row.param.variable; }

class OptionRowTest : public testing::TestWithParam<RowCase> {};
class RejectingOptionRowTest : public testing::TestWithParam<RowCase> {};

TEST_P(OptionRowTest, acceptsEveryAllowedValueAndChangesOnlyItsOwnField) {
  for (const Accepted& accepted : GetParam().accepted) {
    const ParsedOptions parsed = parseOptions(lookupIn({{GetParam().variable, accepted.text}}));
    Options expected;
    accepted.set(expected);
    EXPECT_THAT(parsed.errors, IsEmpty()) << accepted.text;
    EXPECT_TRUE(parsed.options == expected) << accepted.text;
  }
}

TEST_P(RejectingOptionRowTest, rejectsWithVariableValueAndAllowedValuesWhenNotUnderstood) {
  const OptionRow& row = rowOf(GetParam().variable);
  for (const char* text : GetParam().rejected) {
    const ParsedOptions parsed = parseOptions(lookupIn({{row.variable, text}}));
    ASSERT_THAT(parsed.errors, SizeIs(1)) << text;
    EXPECT_THAT(parsed.errors[0], HasSubstr(std::string(row.variable) + "=" + text));
    EXPECT_THAT(parsed.errors[0], HasSubstr(row.values));
    EXPECT_TRUE(parsed.options == Options{}) << text << " changed an option although it was rejected";
  }
}

TEST_P(OptionRowTest, fallbackTextSaysTheDefaultThatIsInForce) {
  const OptionRow& row = rowOf(GetParam().variable);
  Options options;
  const Status status = row.apply(row, row.fallback, options);
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_TRUE(options == Options{});
}

INSTANTIATE_TEST_SUITE_P(Table, OptionRowTest, testing::ValuesIn(rowCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Table, RejectingOptionRowTest, testing::ValuesIn(rowsThatReject()), nameOf);

TEST(OptionTable, hasACaseHereForEveryRowAndNamesEachVariableOnce) {
  std::set<std::string> tested;
  for (const RowCase& row : rowCases()) tested.insert(row.variable);
  std::set<std::string> listed;
  for (const OptionRow& row : optionTable()) {
    EXPECT_TRUE(listed.insert(row.variable).second) << row.variable << " is listed twice";
    EXPECT_TRUE(std::string(row.variable).starts_with("STARLING_")) << row.variable;
    EXPECT_STRNE(row.values, "") << row.variable;
    EXPECT_STRNE(row.help, "") << row.variable;
  }
  EXPECT_EQ(listed, tested);
}

TEST(ParseOptions, givesTheDefaultsWhenNothingIsSet) {
  const ParsedOptions parsed = parseOptions(lookupIn({}));
  EXPECT_THAT(parsed.errors, IsEmpty());
  EXPECT_TRUE(parsed.options == Options{});
}

TEST(ParseOptions, keepsTheGoodValuesWhenOthersAreRejected) {
  const ParsedOptions parsed = parseOptions(
      lookupIn({{"STARLING_MODE", "sometimes"}, {"STARLING_MINIMUM_CALLS", "7"}, {"STARLING_LONGEST_EPOCH", "never"}}));
  EXPECT_THAT(parsed.errors, SizeIs(2));
  Options expected;
  expected.minimum_calls = 7;
  EXPECT_TRUE(parsed.options == expected);
}

TEST(ParseEnvironment, readsTheVariablesOfTheProcess) {
  ASSERT_EQ(setenv("STARLING_MINIMUM_CALLS", "9", 1), 0);
  EXPECT_EQ(parseEnvironment().options.minimum_calls, 9);
  ASSERT_EQ(unsetenv("STARLING_MINIMUM_CALLS"), 0);
  EXPECT_EQ(parseEnvironment().options.minimum_calls, Options{}.minimum_calls);
}

TEST(ParseOptions, namesTheWordThatIsNearest) {
  EXPECT_THAT(parseOptions(lookupIn({{"STARLING_MODE", "tun"}})).errors.at(0),
              testing::EndsWith("; did you mean `tune`?"));
  EXPECT_THAT(parseOptions(lookupIn({{"STARLING_MODE", "wombat"}})).errors.at(0), testing::EndsWith("tune"));
}

TEST(ParseOptions, takesAnEmptyValueForNone) {
  for (const OptionRow& row : optionTable()) {
    const ParsedOptions parsed = parseOptions(lookupIn({{row.variable, ""}}));
    EXPECT_TRUE(parsed.errors.empty()) << row.variable;
    EXPECT_EQ(parsed.options, Options{}) << row.variable;
  }
}

TEST(ParseOptions, refusesAHomeFolderThatNoShellHasPutIn) {
  for (const char* variable : {"STARLING_DB", "STARLING_START_DB"}) {
    const ParsedOptions parsed = parseOptions(lookupIn({{variable, "~/tuning.db"}}));
    ASSERT_EQ(parsed.errors.size(), 1U);
    EXPECT_THAT(parsed.errors[0], testing::HasSubstr(std::string(variable) + "=~/tuning.db is not understood"));
    EXPECT_EQ(parsed.options, Options{});
  }
}

TEST(ParseOptions, rejectsAPatternWhoseBracketStaysOpen) {
  for (const char* variable : {"STARLING_PROGRAMS", "STARLING_NOT_PROGRAMS"}) {
    for (const char* wrong : {"[", "lmp:solver[ab", "[ab]*,x[,y"}) {
      const ParsedOptions parsed = parseOptions(lookupIn({{variable, wrong}}));
      ASSERT_EQ(parsed.errors.size(), 1U) << wrong;
      EXPECT_THAT(parsed.errors[0], testing::HasSubstr(std::string(variable) + "=" + wrong)) << wrong;
      EXPECT_EQ(parsed.options, Options{}) << wrong;
    }
    EXPECT_TRUE(parseOptions(lookupIn({{variable, "[ab]*,lmp:x]"}})).errors.empty());
  }
}

TEST(UnknownVariables, areThoseThatNoOptionHas) {
  const auto unknown = unknownVariables(std::vector<std::string>{"STARLING_ALGORITM=ring", "STARLING_MODE=tune",
                                                                 "PATH=/bin", "STARLING_", "STARLING_WOMBAT"});
  ASSERT_EQ(unknown.size(), 3U);
  EXPECT_EQ(unknown[0].name, "STARLING_ALGORITM");
  EXPECT_EQ(unknown[0].hint, "; did you mean `STARLING_ALGORITHM`?");
  EXPECT_EQ(unknown[1].name, "STARLING_");
  EXPECT_EQ(unknown[1].hint, "");
  EXPECT_EQ(unknown[2].name, "STARLING_WOMBAT");
  EXPECT_EQ(unknown[2].hint, "");
}

TEST(UnknownVariables, leaveOutWhereModulesSayThatItIsInstalled) {
  EXPECT_TRUE(unknownVariables(std::vector<std::string>{"STARLING_ROOT=/opt", "STARLING_HOME=/opt", "STARLING_DIR=/opt",
                                                        "STARLING_VERSION=1"})
                  .empty());
}

TEST(DatabasePath, isTheOptionWhenSet) {
  Options options;
  options.database = "/scratch/mine.db";
  EXPECT_EQ(databasePath(options, lookupIn({{"XDG_DATA_HOME", "/data"}, {"HOME", "/home/ada"}})), "/scratch/mine.db");
}

TEST(DatabasePath, liesInTheDataHomeWhenTheOptionIsEmpty) {
  EXPECT_EQ(databasePath(Options{}, lookupIn({{"XDG_DATA_HOME", "/data"}, {"HOME", "/home/ada"}})),
            "/data/starling/tuning.db");
}

TEST(DatabasePath, liesInTheHomeFolderWhenThereIsNoDataHome) {
  EXPECT_EQ(databasePath(Options{}, lookupIn({{"HOME", "/home/ada"}})), "/home/ada/.local/share/starling/tuning.db");
  EXPECT_EQ(databasePath(Options{}, lookupIn({{"XDG_DATA_HOME", ""}, {"HOME", "/home/ada"}})),
            "/home/ada/.local/share/starling/tuning.db");
}

TEST(DatabasePath, takesNoDataHomeThatIsRelative) {
  EXPECT_EQ(databasePath(Options{}, lookupIn({{"XDG_DATA_HOME", "data"}, {"HOME", "/home/ada"}})),
            "/home/ada/.local/share/starling/tuning.db");
}

// Programs change their working directory, and each rank may have another one.
TEST(DatabasePath, isAbsoluteWhereAllRanksAreToFindIt) {
  Options options;
  options.database = "mine.db";
  EXPECT_EQ(absoluteDatabasePath(options), (std::filesystem::current_path() / "mine.db").string());
  options.database = "/scratch/mine.db";
  EXPECT_EQ(absoluteDatabasePath(options), "/scratch/mine.db");
  options.database = ":memory:";
  EXPECT_EQ(absoluteDatabasePath(options), ":memory:");
}

TEST(DatabasePath, liesInTheWorkingFolderWhenThereIsNoHomeEither) {
  EXPECT_EQ(databasePath(Options{}, lookupIn({})), "starling-tuning.db");
  EXPECT_EQ(databasePath(Options{}, lookupIn({{"HOME", ""}})), "starling-tuning.db");
}

}  // namespace
}  // namespace starling
