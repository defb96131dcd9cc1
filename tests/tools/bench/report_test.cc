#include "report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling::bench {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Header someHeader() {
  Header header;
  header.environment.ranks = 4;
  header.environment.nodes = 2;
  header.environment.mpi_version = "Open MPI v4.1.4";
  header.clock = "shared";
  header.command = "--algorithm slt";
  header.type = "float";
  return header;
}

Arguments someArguments() {
  Arguments arguments;
  arguments.pattern = parsePattern("one-late").value();
  arguments.beta_ns = 8.0;
  return arguments;
}

Summary someSummary() {
  Summary summary;
  summary.algorithm = "slt";
  summary.choice = "slt:segments=64";
  summary.setting = {1000, 50.0};
  summary.bytes = 4000;
  summary.elapsed = {{0.0015}, {0.001}, {0.0014}, {0.002}};
  summary.post_arrival.mean = {-1e-6};
  summary.messages = PerRank{2.5, 4};
  return summary;
}

TEST(Report, headerSaysOnWhatWasMeasured) {
  const cli::Json record = headerRecord(someHeader(), someArguments());
  EXPECT_EQ(record["record"], "header");
  EXPECT_EQ(record["nodes"], 2);
  EXPECT_EQ(record["beta_ns"], 8.0);
  EXPECT_EQ(record["arguments"], "--algorithm slt");
}

TEST(Report, resultHasParametersAndMilliseconds) {
  const cli::Json record = resultRecord(someHeader(), someArguments(), someSummary());
  EXPECT_EQ(record["algorithm"], "slt");
  EXPECT_EQ(record["parameters"]["segments"], 64);
  EXPECT_EQ(record["collective"], "allreduce");
  EXPECT_EQ(record["pattern"], "one-late");
  EXPECT_EQ(record["delay_ms"], 50.0);
  EXPECT_EQ(record["elapsed_ms"]["p50"], 1.4);
  EXPECT_EQ(record["post_arrival_ms"]["mean"], -0.001);
  EXPECT_EQ(record["messages_per_rank"]["max"], 4);
  EXPECT_TRUE(record["share_of_saving"].is_null());
  EXPECT_TRUE(record["bytes_sent_per_rank"].is_null());
  EXPECT_FALSE(record.contains("chosen"));
}

TEST(Report, tunedSaysWhatItChose) {
  Summary summary = someSummary();
  summary.algorithm = summary.choice = "tuned";
  summary.chosen = "prr:tau_ns=5";
  const cli::Json record = resultRecord(someHeader(), someArguments(), summary);
  EXPECT_EQ(record["chosen"], "prr:tau_ns=5");
  EXPECT_TRUE(record["settled"].get<bool>());
  const std::vector<Summary> summaries{summary};
  EXPECT_THAT(tableOf(someHeader(), someArguments(), summaries), HasSubstr("tuned (prr:tau_ns=5)"));
}

TEST(Report, callsMeasuredFromTheFirstOneOnAreToldOneByOne) {
  Summary summary = someSummary();
  EXPECT_FALSE(resultRecord(someHeader(), someArguments(), summary).contains("elapsed_each_ms"));
  summary.elapsed_each = {{0.002}, {0.001}};
  EXPECT_EQ(resultRecord(someHeader(), someArguments(), summary)["elapsed_each_ms"], (std::vector<double>{2.0, 1.0}));
  const std::vector<Summary> summaries{summary};
  EXPECT_THAT(csvOf(someHeader(), someArguments(), summaries), Not(HasSubstr("elapsed_each_ms")));
}

TEST(Report, modelStandsBesideWhatWasMeasuredWhereItIsWanted) {
  Arguments arguments = someArguments();
  Summary summary = someSummary();
  EXPECT_FALSE(resultRecord(someHeader(), arguments, summary).contains("modelled_ms"));
  EXPECT_FALSE(headerRecord(someHeader(), arguments).contains("model"));
  arguments.model = true;
  EXPECT_TRUE(resultRecord(someHeader(), arguments, summary)["modelled_ms"].is_null());
  summary.modelled = Seconds{0.0025};
  EXPECT_EQ(resultRecord(someHeader(), arguments, summary)["modelled_ms"], 2.5);
  Header header = someHeader();
  header.model.alpha = {0.5e-6};
  EXPECT_EQ(headerRecord(header, arguments)["model"]["alpha_us"], 0.5);
  const std::vector<Summary> summaries{summary, someSummary()};
  EXPECT_THAT(tableOf(header, arguments, summaries), HasSubstr("MODEL"));
  EXPECT_THAT(tableOf(header, arguments, summaries), HasSubstr("2.50 ms"));
  EXPECT_THAT(csvOf(header, arguments, summaries), HasSubstr("modelled_ms"));
}

TEST(Report, phasesHaveTheirSumsAndOneInAll) {
  const Summary plain = someSummary();
  EXPECT_FALSE(resultRecord(someHeader(), someArguments(), plain).contains("post_arrival_sum_ms"));
  Summary summary = plain;
  summary.phases = {{"rank_1", {1.5}}, {"nobody", {0.25}}};
  const cli::Json record = resultRecord(someHeader(), someArguments(), summary);
  EXPECT_EQ(record["post_arrival_sum_ms"].dump(), R"({"rank_1":1500.0,"nobody":250.0,"all":1750.0})");
  const std::vector<Summary> summaries{summary, summary};
  EXPECT_THAT(csvOf(someHeader(), someArguments(), summaries), HasSubstr("post_arrival_sum_ms.rank_1"));
  EXPECT_THAT(tableOf(someHeader(), someArguments(), summaries), HasSubstr("SUM nobody"));
  EXPECT_THAT(tableOf(someHeader(), someArguments(), summaries), HasSubstr("1.75 s"));
}

TEST(Report, aLoopHasItsTimeWhereCallsFormOne) {
  Arguments arguments = someArguments();
  Summary summary = someSummary();
  EXPECT_FALSE(resultRecord(someHeader(), arguments, summary).contains("loop_ms"));
  arguments.as_program = true;
  summary.loop = Seconds{2.25};
  EXPECT_EQ(resultRecord(someHeader(), arguments, summary)["loop_ms"], 2250.0);
  const std::vector<Summary> summaries{summary, summary};
  EXPECT_THAT(tableOf(someHeader(), arguments, summaries), HasSubstr("LOOP"));
  EXPECT_THAT(tableOf(someHeader(), arguments, summaries), HasSubstr("2.25 s"));
  EXPECT_THAT(csvOf(someHeader(), arguments, summaries), HasSubstr("loop_ms"));
}

TEST(Report, csvHasOneColumnPerFigureForEverySummary) {
  Summary tuned = someSummary();
  tuned.chosen = "native";
  tuned.messages.reset();
  const std::vector<Summary> summaries{someSummary(), tuned};
  const std::string csv = csvOf(someHeader(), someArguments(), summaries);
  EXPECT_THAT(csv, StartsWith("record,algorithm,"));
  EXPECT_THAT(csv, HasSubstr("elapsed_ms.mean"));
  EXPECT_THAT(csv, HasSubstr("messages_per_rank.max"));
  EXPECT_THAT(csv, Not(HasSubstr("null")));
}

}  // namespace
}  // namespace starling::bench
