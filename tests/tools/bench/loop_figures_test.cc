#include "loop_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling::bench {
namespace {

using testing::HasSubstr;

Header someHeader() {
  Header header;
  header.environment.ranks = 2;
  header.environment.nodes = 1;
  header.environment.mpi_version = "Open MPI v4.1.4";
  header.type = "char";
  return header;
}

Arguments argumentsOf(Procedure procedure) {
  Arguments arguments;
  arguments.procedure = procedure;
  arguments.sites = 40;
  return arguments;
}

OverheadFigures someOverhead() {
  OverheadFigures figures;
  figures.count = 2;
  figures.bytes = 8;
  figures.calls = 1000;
  figures.mpi_ns = {420.0, 2100.0, 440.0};
  figures.pmpi_ns = {400.0, 1000.0, 400.0};
  figures.copy_ns = {5.0, 3.0, 4.0};
  figures.flags_ns = {250.0, 200.0, 300.0};
  return figures;
}

TEST(LoopFigures, overheadIsTheMedianOfTheRatiosOfPairs) {
  const cli::Json record = recordOf(someHeader(), argumentsOf(Procedure::kOverhead), someOverhead());
  EXPECT_EQ(record["record"], "overhead");
  EXPECT_EQ(record["sites"], 40);
  EXPECT_EQ(record["pairs"], 3);
  EXPECT_DOUBLE_EQ(record["mpi_us"].get<double>(), 0.44);
  EXPECT_DOUBLE_EQ(record["pmpi_us"].get<double>(), 0.4);
  EXPECT_DOUBLE_EQ(record["copy_us"].get<double>(), 0.004);
  EXPECT_DOUBLE_EQ(record["flags_us"].get<double>(), 0.25);
  EXPECT_DOUBLE_EQ(record["ratio"].get<double>(), 1.1);
  EXPECT_DOUBLE_EQ(record["ratio_25"].get<double>(), 1.075);
}

TEST(LoopFigures, overheadHasNoFlagsWhereRanksShareNoMemory) {
  OverheadFigures figures = someOverhead();
  figures.flags_ns.clear();
  const Arguments arguments = argumentsOf(Procedure::kOverhead);
  const cli::Json record = recordOf(someHeader(), arguments, figures);
  EXPECT_TRUE(record["flags_us"].is_null());
  EXPECT_NE(loopTable(someHeader(), arguments, cli::Json::array({record})).find(" - "), std::string::npos);
}

TEST(LoopFigures, aLoopHasItsMeanAndTheRanksThatAreFarthestFromIt) {
  LoopFigures figures;
  figures.calls = 1000;
  figures.time = {1500.0, 1400.0, 1600.0};
  const cli::Json record = recordOf(someHeader(), argumentsOf(Procedure::kBackToBack), figures);
  EXPECT_EQ(record["record"], "loop");
  EXPECT_DOUBLE_EQ(record["mean_us"].get<double>(), 1.5);
  EXPECT_DOUBLE_EQ(record["least_us"].get<double>(), 1.4);
  EXPECT_DOUBLE_EQ(record["most_us"].get<double>(), 1.6);
}

TEST(LoopFigures, tablesSayWhatWasCalledHowOften) {
  const Arguments arguments = argumentsOf(Procedure::kOverhead);
  cli::Json records = cli::Json::array({recordOf(someHeader(), arguments, someOverhead())});
  const std::string table = loopTable(someHeader(), arguments, records);
  EXPECT_THAT(table, HasSubstr("char sum, from 40 places, medians"));
  EXPECT_THAT(table, HasSubstr("1.075 to 1.600"));
  EXPECT_THAT(table, HasSubstr("0.004 us"));
  const Arguments loops = argumentsOf(Procedure::kBackToBack);
  records = cli::Json::array({recordOf(someHeader(), loops, LoopFigures{})});
  EXPECT_THAT(loopTable(someHeader(), loops, records), HasSubstr("LEAST RANK"));
}

TEST(LoopFigures, longVectorsAreCalledLessOften) {
  EXPECT_EQ(suiteCalls(8192), 1000);
  EXPECT_EQ(suiteCalls(8193), 100);
  EXPECT_EQ(suiteWarmup(8192), 200);
  EXPECT_EQ(suiteWarmup(8193), 10);
}

}  // namespace
}  // namespace starling::bench
