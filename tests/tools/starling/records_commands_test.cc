// The built program against a database with known records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
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

class RecordsCommands : public ExampleCommands {};

TEST_F(RecordsCommands, sitesListsTheLatestRunByFallingTime) {
  const json sites = parsed("sites --json");
  ASSERT_EQ(sites.size(), 3U);
  EXPECT_EQ(sites[0]["label"], "pressure");
  EXPECT_EQ(sites[0]["run"], 2);
  EXPECT_EQ(sites[0]["communicator_size"], 4);
  EXPECT_EQ(sites[0]["bytes"], 4000000);
  EXPECT_EQ(sites[0]["calls"], 120);
  EXPECT_EQ(sites[0]["exploration_calls"], 14);
  EXPECT_DOUBLE_EQ(sites[0]["seconds"], 7.5);
  EXPECT_DOUBLE_EQ(sites[0]["imbalance"], 0.05);
  EXPECT_DOUBLE_EQ(sites[0]["gain"], 2.5);
  EXPECT_EQ(sites[0]["algorithm"], "slt:segments=64");
  EXPECT_EQ(sites[0]["table"], json::array({0, 1, 3, 2}));
  EXPECT_EQ(sites[0]["state"], "settled");
  EXPECT_EQ(sites[1]["symbol"], "Solver::dot(double const*)");
  EXPECT_EQ(sites[1]["offset"], 0x1f);
  EXPECT_TRUE(sites[1]["gain"].is_null());
  EXPECT_TRUE(sites[1]["line"].is_null());
  EXPECT_EQ(sites[2]["state"], "observing");
}

// A run that made all its calls on communicators of few calls, and one that was killed.
TEST_F(RecordsCommands, sitesSaysWhyThereAreNone) {
  Result<Database> database = Database::open(database_);
  ASSERT_TRUE(database.isOk()) << database.status().message();
  ASSERT_TRUE(database.value().beginRun(exampleRun("third")).isOk());
  const std::string killed = run("sites --run 3").err;
  EXPECT_THAT(killed, AllOf(HasSubstr("recorded no allreduce"), HasSubstr("ended without MPI_Finalize"),
                            Not(HasSubstr("each rank made"))));
  ASSERT_TRUE(database.value().finishRun("third", Seconds{3.0}, {2500, 1.5, 0.1}).isOk());
  const std::string finished = run("sites --run 3").err;
  EXPECT_THAT(finished, AllOf(HasSubstr("STARLING_PREPARE=always has the last recorded, too: each rank made 2500 such "
                                        "calls, on average."),
                              Not(HasSubstr("MPI_Finalize"))));
  EXPECT_EQ(run("decisions --run 3").out, "No decision was taken in run 3 of app.\n");
}

TEST_F(RecordsCommands, runsAreListedAlsoThoseWithoutAKey) {
  Result<Database> database = Database::open(database_);
  ASSERT_TRUE(database.isOk()) << database.status().message();
  ASSERT_TRUE(database.value().beginRun(exampleRun("third")).isOk());
  ASSERT_TRUE(database.value().finishRun("third", Seconds{3.0}, {2500, 1.5, 0.1}).isOk());
  ASSERT_TRUE(database.value().beginRun(exampleRun("fourth")).isOk());
  const json runs = parsed("runs --json");
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_EQ(runs[1]["number"], 2);
  EXPECT_EQ(runs[1]["keys"], 3);
  EXPECT_DOUBLE_EQ(runs[1]["in_allreduce"], 8.0);
  EXPECT_EQ(runs[2]["keys"], 0);
  EXPECT_DOUBLE_EQ(runs[2]["in_allreduce"], 1.5);
  EXPECT_TRUE(runs[3]["in_allreduce"].is_null());
  EXPECT_TRUE(runs[3]["finished"].is_null());
  const std::string table = run("runs --sort in_allreduce --limit 2").out;
  EXPECT_THAT(table, AllOf(StartsWith("RUN             BEGAN  PROGRAM"), HasSubstr("2023-11-14 22:13  app"),
                           HasSubstr("  8.00 s ")));
  EXPECT_THAT(run("runs").out, HasSubstr("open or killed"));
}

TEST_F(RecordsCommands, sitesIsATableForPeople) {
  const CliResult result = run("sites");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, StartsWith("SITE  WHERE"));
  EXPECT_THAT(result.out, HasSubstr("pressure"));
  EXPECT_THAT(result.out, HasSubstr("Solver::dot "));
  EXPECT_THAT(result.out, HasSubstr("7.50 s"));
  EXPECT_THAT(result.out, HasSubstr(" 2.50x +- 0.05  "));
  EXPECT_THAT(result.out, Not(HasSubstr("\x1b")));
}

TEST_F(RecordsCommands, sitesPrintsCommaSeparatedValues) {
  const CliResult result = run("sites --csv");
  EXPECT_THAT(result.out, StartsWith("run,site,where,symbol,"));
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 4);
}

TEST_F(RecordsCommands, runsAreChosenByNumber) {
  EXPECT_EQ(parsed("sites --json --run 1").size(), 1U);
  EXPECT_EQ(parsed("sites --json --run all").size(), 4U);
  EXPECT_THAT(run("sites --run all").out, StartsWith("RUN  SITE  WHERE"));
  const CliResult missing = run("sites --run 9");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, HasSubstr("there is no run 9: the database holds runs 1 to 2"));
  EXPECT_EQ(missing.out, "");
}

TEST_F(RecordsCommands, showHasTheCandidatesAndTheTable) {
  const json shown = parsed("show pressure --json");
  ASSERT_EQ(shown.size(), 1U);
  ASSERT_EQ(shown[0]["candidates"].size(), 3U);
  EXPECT_EQ(shown[0]["candidates"][0]["algorithm"], "slt:segments=64");
  EXPECT_DOUBLE_EQ(shown[0]["candidates"][0]["post_arrival"], 0.005);
  EXPECT_EQ(shown[0]["candidates"][2]["algorithm"], "native");
  EXPECT_EQ(shown[0]["run_details"]["processor"], "Example CPU");
  const std::string text = run("show pressure").out;
  EXPECT_THAT(text, AllOf(HasSubstr("virtual-rank table  0 1 3 2"), HasSubstr("exploration calls   14"),
                          HasSubstr("Example CPU"), HasSubstr("POST-ARRIVAL")));
}

TEST_F(RecordsCommands, explainSaysWhetherItConverged) {
  EXPECT_THAT(run("explain pressure").out, AllOf(HasSubstr("Rank 2 stands out"), HasSubstr("Settled, after 14 calls")));
  EXPECT_THAT(run("explain dot").out, HasSubstr("Not converged"));
  const json explained = parsed("explain 1 --json");
  EXPECT_EQ(explained[0]["converged"], true);
  EXPECT_GE(explained[0]["sentences"].size(), 6U);
}

TEST_F(RecordsCommands, arrivalsScaleTheBarsToTheLatest) {
  const std::string text = run("arrivals pressure").out;
  EXPECT_THAT(text, HasSubstr(std::string(40, '#')));
  EXPECT_THAT(text, HasSubstr("\nRank 2 stands out: it comes 50.0 ms after the first"));
  const json arrivals = parsed("arrivals pressure --json");
  EXPECT_EQ(arrivals[0]["stands_out"], 2);
  ASSERT_EQ(arrivals[0]["ranks"].size(), 4U);
  EXPECT_NEAR(arrivals[0]["ranks"][2]["lateness"], 0.05, 1e-12);
  EXPECT_NEAR(arrivals[0]["ranks"][2]["prediction_error"], 0.001, 1e-12);
  EXPECT_THAT(run("arrivals dot").out, HasSubstr("No arrivals were recorded."));
}

TEST_F(RecordsCommands, decisionsAreListedWithTheirReasons) {
  EXPECT_THAT(run("decisions").out, HasSubstr("Least post-arrival time of three."));
  const json decisions = parsed("decisions pressure --json");
  ASSERT_EQ(decisions.size(), 1U);
  EXPECT_EQ(decisions[0]["call"], 24);
  EXPECT_DOUBLE_EQ(decisions[0]["native"], 0.0125);
  EXPECT_THAT(run("decisions dot").out, HasSubstr("not converged"));
  EXPECT_TRUE(parsed("decisions dot --json").empty());
}

TEST_F(RecordsCommands, whatNoCallWasTimedForIsADash) {
  const json sites = parsed("sites --json");
  EXPECT_TRUE(sites[2]["seconds"].is_null());
  EXPECT_TRUE(sites[2]["imbalance"].is_null());
  EXPECT_EQ(sites[0]["compared_by"], "post_arrival");
  EXPECT_THAT(run("sites").out, Not(HasSubstr(" 0 s")));
  EXPECT_THAT(run("show norm").out, Not(HasSubstr(" 0 s")));
  EXPECT_THAT(run("explain norm").out, HasSubstr("no call was timed"));
}

TEST_F(RecordsCommands, sitesAndExplainTellCommunicatorsApart) {
  EXPECT_THAT(run("sites").out, AllOf(Not(HasSubstr("COMMUNICATOR")), Not(HasSubstr("worth preparing"))));
  EXPECT_THAT(run("explain pressure").out, Not(HasSubstr("worth preparing")));
  writeManyCommunicators(database_);
  const std::string sites = run("sites").out;
  EXPECT_THAT(sites, AllOf(HasSubstr("COMMUNICATOR"), HasSubstr("MPI_COMM_WORLD"), HasSubstr("rows (0:1)"),
                           HasSubstr("rows (2:0)"), HasSubstr("came before the communicator was worth preparing")));
  const std::string explained = run("explain pressure").out;
  EXPECT_THAT(explained, AllOf(HasSubstr("its 4 ranks of MPI_COMM_WORLD made"), HasSubstr("ranks of rows (0:1) made"),
                               HasSubstr("ranks of rows (2:0) made"), HasSubstr("The rest is as above.")));
  const std::string repeated = "Settled, after 14 calls of exploration.";
  EXPECT_EQ(explained.find(repeated), explained.rfind(repeated));
  EXPECT_NE(explained.find(repeated), std::string::npos);
}

TEST_F(RecordsCommands, titlesNameTheCommunicatorWhereThereAreSeveral) {
  writeManyCommunicators(database_);
  EXPECT_THAT(run("arrivals pressure").out,
              AllOf(HasSubstr(", 4 ranks of "), HasSubstr(", 2 ranks of rows (2:0), run 3")));
  EXPECT_THAT(run("arrivals pressure --run 2").out, HasSubstr(", 4 ranks, run 2"));
  EXPECT_EQ(parsed("decisions pressure --json --run 2")[0]["communicator"], "world");
  EXPECT_THAT(run("decisions --run 2").out, Not(HasSubstr("COMMUNICATOR")));
}

// Of ranks whose clocks cannot be compared, every command says so.
class RecordsCommandsOfClocksThatDiffer : public RecordsCommands {
 protected:
  void SetUp() override {
    RecordsCommands::SetUp();
    writeApartDatabase(database_);
  }
};

TEST_F(RecordsCommandsOfClocksThatDiffer, sitesAndShowHaveNoImbalance) {
  const json sites = parsed("sites --json --run 3");
  EXPECT_TRUE(sites[0]["imbalance"].is_null());
  EXPECT_EQ(sites[0]["compared_by"], "elapsed");
  EXPECT_THAT(run("sites --run 3").out, HasSubstr("Site 1: The clocks of the ranks cannot be compared"));
  EXPECT_THAT(run("sites --run 2").out, Not(HasSubstr("clocks")));
  const std::string shown = run("show pressure --run 3").out;
  EXPECT_THAT(shown, AllOf(HasSubstr("imbalance           -\n"), HasSubstr("2.50x +- 0.05 (by mean elapsed time)"),
                           HasSubstr("cannot be compared"), Not(HasSubstr(" 0 s"))));
  const json candidate = parsed("show pressure --json --run 3")[0]["candidates"][0];
  EXPECT_TRUE(candidate["post_arrival"].is_null());
  EXPECT_DOUBLE_EQ(candidate["elapsed"], 0.009);
  EXPECT_NEAR(candidate["elapsed_minimum"], 0.0085, 1e-12);
  EXPECT_NEAR(candidate["elapsed_deviation"], 0.0005, 1e-12);
}

TEST_F(RecordsCommandsOfClocksThatDiffer, explainAndArrivalsSayWhyNobodyIsLate) {
  EXPECT_THAT(run("explain pressure --run 3").out,
              AllOf(HasSubstr("Which rank comes late is not known"), Not(HasSubstr("after the last arrival"))));
  EXPECT_THAT(run("arrivals pressure --run 3").out, HasSubstr("Which rank comes late is not known"));
  const json arrivals = parsed("arrivals pressure --json --run 3");
  EXPECT_EQ(arrivals[0]["compared_by"], "elapsed");
  EXPECT_TRUE(arrivals[0]["ranks"].empty());
}

TEST_F(RecordsCommandsOfClocksThatDiffer, decisionsAndExportNameTheTime) {
  EXPECT_THAT(run("decisions --run 3").out, AllOf(HasSubstr("COMPARED BY"), HasSubstr("  elapsed  ")));
  EXPECT_EQ(parsed("decisions --json --run 3")[0]["compared_by"], "elapsed");
  EXPECT_EQ(parsed("export --run 3")["policies"][0]["compared_by"], "elapsed");
}

TEST_F(RecordsCommands, wrongSitesAreToldPlainly) {
  for (const char* command : {"show", "explain", "arrivals", "decisions"}) {
    const CliResult missing = run(std::string(command) + " velocity");
    EXPECT_EQ(missing.exit_code, 1) << command;
    EXPECT_EQ(missing.out, "") << command;
    EXPECT_THAT(missing.err, HasSubstr("there is no site 'velocity'")) << command;
    EXPECT_THAT(missing.err, HasSubstr("run 2 of app")) << command;
    const CliResult ambiguous = run(std::string(command) + " Solver");
    EXPECT_EQ(ambiguous.exit_code, 1) << command;
    EXPECT_THAT(ambiguous.err, HasSubstr("matches 2 sites")) << command;
  }
}

TEST_F(RecordsCommands, decisionsAndOptionsFitALine) {
  for (const char* command : {"decisions", "options"}) {
    const CliResult listed = run(command);
    ASSERT_EQ(listed.exit_code, 0) << listed.err;
    std::istringstream lines(listed.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120U) << command << ": " << line;
  }
}

TEST_F(RecordsCommands, outputThatIsLostIsAFault) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  for (const char* command :
       {"summary", "sites", "export", "policies", "options", "algorithms", "--help", "--version", "sites --help"}) {
    const std::string line = "STARLING_DB='" + database_ + "' '" STARLING_CLI "' " + command;
    EXPECT_EQ(WEXITSTATUS(std::system((line + " >/dev/full 2>/dev/null").c_str())), 1) << command;
  }
}

TEST_F(RecordsCommands, anotherKindOfFileIsNoDatabase) {
  writeFile(folder_.file("notes.txt"), "These are notes, not a database.\n");
  for (const char* command : {"summary", "sites", "show 1", "decisions", "export", "policies"}) {
    const CliResult result = runStarling(std::string(command) + " --db '" + folder_.file("notes.txt") + "'");
    EXPECT_EQ(result.exit_code, 1) << command;
    EXPECT_EQ(result.out, "") << command;
    EXPECT_THAT(result.err, HasSubstr("notes.txt")) << command;
  }
  EXPECT_EQ(readFile(folder_.file("notes.txt")), "These are notes, not a database.\n");
}

TEST_F(RecordsCommands, theDatabaseIsFoundThroughTheEnvironment) {
  const CliResult result = runStarling("sites", "STARLING_DB='" + database_ + "'");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("pressure"));
}

TEST(RecordsCommandsOfAnOlderDatabase, readItAsItIsAndSayWhatItDoesNotRecord) {
  const TemporaryFolder folder;
  writeFirstSchemaDatabase(folder.file("tuning.db"));
  const std::string bytes = readFile(folder.file("tuning.db"));
  const std::string database = " --db '" + folder.file("tuning.db") + "'";
  for (const char* command : {"sites", "show residual", "explain residual"}) {
    const CliResult result = runStarling(command + database);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("is not recorded. An older Starling wrote this database")) << command;
    EXPECT_THAT(result.out, Not(HasSubstr("after the last arrival"))) << command;
    EXPECT_THAT(result.out, Not(HasSubstr(" 0 s"))) << command;
  }
  EXPECT_EQ(readFile(folder.file("tuning.db")), bytes);
}

TEST(RecordsCommandsWithoutRuns, areToldPlainly) {
  const TemporaryFolder folder;
  { ASSERT_TRUE(Database::open(folder.file("tuning.db")).isOk()); }
  const CliResult result = runStarling("sites --db '" + folder.file("tuning.db") + "'");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("holds no run yet"));
}

}  // namespace
}  // namespace starling::cli
