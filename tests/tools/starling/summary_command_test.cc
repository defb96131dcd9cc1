// The built program sums up a run with known records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "../../store/first_schema.h"
#include "example_commands.h"

namespace starling::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class SummaryCommand : public ExampleCommands {
 protected:
  CliResult run(const std::string& arguments) const { return ExampleCommands::run("summary " + arguments); }
};

TEST_F(SummaryCommand, hasTheFiguresOfTheOtherCommands) {
  const json summary = jsonOf(run("--json"));
  const json sites = parsed("sites --json");
  ASSERT_EQ(summary["keys"].size(), sites.size());
  double seconds = 0.0;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    for (const char* field : {"site", "calls", "bytes", "seconds", "algorithm", "state", "gain", "gain_error"}) {
      EXPECT_EQ(summary["keys"][i][field], sites[i][field]) << field;
    }
    if (sites[i]["seconds"].is_number()) seconds += sites[i]["seconds"].get<double>();
  }
  EXPECT_DOUBLE_EQ(summary["seconds"], seconds) << "all are of all ranks";
  EXPECT_EQ(summary["run"]["number"], 2);
  EXPECT_EQ(summary["latest"]["rank"], 2);
  EXPECT_EQ(summary["latest"]["host"], "host1");
}

TEST_F(SummaryCommand, isAFewSentences) {
  const CliResult summary = run("");
  EXPECT_EQ(summary.exit_code, 0) << summary.err;
  EXPECT_EQ(summary.err, "");
  EXPECT_EQ(std::count(summary.out.begin(), summary.out.end(), '\n'), 4);
  EXPECT_THAT(summary.out, AllOf(StartsWith("Run 2, app with 4 ranks on 1 node"), HasSubstr("rank 2 on host1"),
                                 HasSubstr("\nFor more: starling sites --run 2 --db '")));
  const CliResult full = run("--full");
  EXPECT_EQ(std::count(full.out.begin(), full.out.end(), '\n'), 7);
  EXPECT_THAT(full.out, AllOf(HasSubstr("Site 1, pressure: 120 calls"), HasSubstr("gain 2.50x +- 0.05"),
                              HasSubstr("Solver::norm: 3 calls of 8 B (float, sum) on 4 ranks, -; native, observing."),
                              Not(HasSubstr(" 0 s"))));
}

TEST_F(SummaryCommand, sumsUpOneRun) {
  EXPECT_THAT(run("--run 1").out, StartsWith("Run 1, app"));
  const CliResult all = run("--run all");
  EXPECT_EQ(all.exit_code, 2);
  EXPECT_THAT(all.err, HasSubstr("one run is summed up at a time"));
  const CliResult missing = run("--run 9");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, HasSubstr("there is no run 9"));
}

TEST_F(SummaryCommand, knowsLessOfAnOlderDatabaseAndSaysSo) {
  writeFirstSchemaDatabase(folder_.file("old.db"));
  const CliResult summary = runStarling("summary --full --db '" + folder_.file("old.db") + "'");
  EXPECT_EQ(summary.exit_code, 0) << summary.err;
  EXPECT_THAT(summary.out, AllOf(HasSubstr("in allreduce"), Not(HasSubstr("took")), Not(HasSubstr("came last"))));
}

}  // namespace
}  // namespace starling::cli
