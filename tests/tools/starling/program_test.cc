// The built program: commands that need no database, and wrong arguments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "algos/catalogue.h"
#include "base/options.h"
#include "cli_process.h"

namespace starling::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

json parsed(const std::string& arguments) { return jsonOf(runStarling(arguments)); }

TEST(Program, tellsVersionAndHelp) {
  EXPECT_THAT(runStarling("--version").out, StartsWith("starling "));
  const CliResult help = runStarling("--help");
  EXPECT_EQ(help.exit_code, 0);
  for (const char* command : {"run", "sites", "watch", "show", "explain", "arrivals", "decisions", "algorithms",
                              "simulate", "policies", "export", "import", "doctor", "options", "completions", "man"}) {
    EXPECT_THAT(help.out, HasSubstr(command));
    const CliResult command_help = runStarling(std::string(command) + " --help");
    EXPECT_EQ(command_help.exit_code, 0) << command;
    EXPECT_THAT(command_help.out, HasSubstr("Usage: starling " + std::string(command))) << command;
  }
}

struct WrongArguments {
  const char* arguments;
  const char* message;
};

TEST(Program, wrongArgumentsAreUsageErrorsWithASentence) {
  static constexpr WrongArguments kCases[] = {
      {"", "subcommand is required"},
      {"bogus", "there is no command 'bogus': the commands are run, summary, report, runs, sites"},
      {"--db x bogus", "there is no command 'bogus'"},
      {"sits", "did you mean `sites`?"},
      {"sites --lmit 3", "did you mean `--limit`?"},
      {"sites --markdown", "it is an option of `algorithms`, `options`"},
      {"--json sites", "it is an option of `sites`: write it behind `sites`"},
      {"sites -- --json", "--json comes before `--`"},
      {"sites --run --json", "--run: N is missing: --json, which follows, is an option itself"},
      {"--db --color=never sites", "--db: FILE is missing"},
      {"run -n 2 -- --verbose ./app", "--verbose stands where the program should"},
      {"run --algorithm rign -n 2 -- true", "did you mean `ring`?"},
      {"run --mode tun -n 2 -- true", "did you mean `tune`?"},
      {"simulate --type flot", "did you mean `float`?"},
      {"doctor -- --json", "options of `doctor` come before `--`"},
      {"doctor --jsn", "did you mean `--json`?"},
      {"completions", "SHELL is required"},
      {"completions tcsh", "there is no shell 'tcsh'"},
      {"man sits", "there is no command 'sits'"},
      {"--bogus sites", "--bogus"},
      {"run", "there is no program"},
      {"run -n 2", "there is no program"},
      {"run -n 2 --", "there is no program"},
      {"run -n two -- true", "-n two is not a number of ranks"},
      {"run --db", "--db has no value"},
      {"run --mode fast -n 2 -- true", "STARLING_MODE=fast"},
      {"run --algorithm unheard_of -n 2 -- true", "unheard_of"},
      {"sites --bogus", "--bogus"},
      {"sites --run first", "'first' is not a run"},
      {"sites --run 0", "'0' is not a run"},
      {"sites --json --csv", "--json excludes --csv"},
      {"sites 1", "not expected: 1"},
      {"show", "SITE is required"},
      {"show 1 2", "not expected: 2"},
      {"sites one two three", "not expected: one two three"},
      {"show 1 --run x", "'x' is not a run"},
      {"explain", "SITE is required"},
      {"arrivals", "SITE is required"},
      {"algorithms --json --markdown", "--json excludes --markdown"},
      {"simulate --alpha 25", "'25' has no unit"},
      {"simulate --beta fast", "'fast' is not a duration"},
      {"simulate --count many", "'many' is not a count"},
      {"simulate --type real", "there is no type 'real'"},
      {"simulate --late 3", "RANK:DURATION"},
      {"simulate --ranks 4 --late 4:1ms", "4 ranks, 0 to 3"},
      {"simulate --ranks 0", "--ranks"},
      {"simulate --ports 0", "--ports"},
      {"simulate --ports 2 --shared-ports", "excludes"},
      {"simulate --ranks-per-node 0", "--ranks-per-node"},
      {"simulate --ranks-per-node 2 --inner-alpha 1", "'1' has no unit"},
      {"simulate --ranks-per-node 2 --inner-alpha 0", "above zero"},
      {"simulate --inner-beta 1ns", "--ranks-per-node"},
      {"simulate --links /nonexistent/links", "--links: /nonexistent/links cannot be read"},
      {"simulate --links /proc/self/comm", "line 1: \"starling\" is no whole number"},
      {"simulate --overhead 1", "'1' has no unit"},
      {"simulate --release soon", "'soon' is not a duration"},
      {"simulate --algorithm unheard_of", "unheard_of"},
      {"simulate --algorithm ring:depth=3", "depth"},
      {"simulate --timeline native", "no schedule"},
      {"simulate --timeline ring,unheard_of", "unheard_of"},
      {"simulate --timeline ring --algorithm ring", "excludes"},
      {"export --format xml", "xml"},
      {"export --run all", "one run is exported at a time"},
      {"import", "FILE is required"},
      {"doctor now", "not expected: now"},
      {"options --csv --markdown", "excludes"},
  };
  for (const WrongArguments& wrong : kCases) {
    const CliResult result = runStarling(wrong.arguments);
    EXPECT_EQ(result.exit_code, 2) << wrong.arguments;
    EXPECT_EQ(result.out, "") << wrong.arguments;
    EXPECT_THAT(result.err, AllOf(StartsWith("starling: "), HasSubstr(wrong.message))) << wrong.arguments;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

TEST(Program, aMissingDatabaseIsAFaultWithASentence) {
  for (const char* command :
       {"summary", "sites", "show 1", "explain 1", "arrivals 1", "decisions", "export", "policies"}) {
    const CliResult result = runStarling(std::string(command) + " --db /missing/tuning.db");
    EXPECT_EQ(result.exit_code, 1) << command;
    EXPECT_EQ(result.out, "") << command;
    EXPECT_THAT(result.err, HasSubstr("/missing/tuning.db")) << command;
  }
}

TEST(Program, algorithmsPrintsTheCatalogue) {
  const json rows = parsed("algorithms --json");
  ASSERT_EQ(rows.size(), catalogue().size());
  const std::string text = runStarling("algorithms").out;
  const std::string markdown = runStarling("algorithms --markdown").out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i]["id"], catalogue()[i].id);
    EXPECT_EQ(rows[i]["name"], catalogue()[i].name);
    EXPECT_EQ(rows[i]["parameters"].size(), catalogue()[i].parameters.size());
    EXPECT_THAT(text, HasSubstr(catalogue()[i].name));
    EXPECT_THAT(markdown, HasSubstr("| " + std::string(catalogue()[i].name) + " |"));
    EXPECT_THAT(markdown, HasSubstr("## " + std::string(catalogue()[i].name) + "\n"));
  }
}

TEST(Program, algorithmsDescribesOne) {
  const CliResult result = runStarling("algorithms prr");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, AllOf(StartsWith("prr\n"), HasSubstr("tau_ns"), HasSubstr("Proficz")));
  EXPECT_EQ(parsed("algorithms prr --json")["name"], "prr");
  const std::string drawn = runStarling("algorithms prr --markdown").out;
  EXPECT_THAT(drawn, AllOf(StartsWith("## prr\n"), HasSubstr("| tau_ns |"), HasSubstr("   3 (   1) |....")));
  const CliResult missing = runStarling("algorithms unheard_of");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, AllOf(HasSubstr("no algorithm 'unheard_of'"), HasSubstr("ring")));
}

TEST(Program, optionsPrintsTheTable) {
  const json rows = parsed("options --json");
  ASSERT_EQ(rows.size(), optionTable().size());
  const std::string text = runStarling("options").out;
  const std::string markdown = runStarling("options --markdown").out;
  for (const OptionRow& row : optionTable()) {
    EXPECT_THAT(text, HasSubstr(row.variable));
    EXPECT_THAT(markdown, HasSubstr("| " + std::string(row.variable) + " |"));
  }
}

TEST(Program, simulateGivesTheModelsFigures) {
  // 1000 floats on 4 ranks: 6 steps of 250 us each.
  const json result = parsed("simulate --ranks 4 --count 1000 --alpha 0 --beta 250ns --algorithm ring --json");
  ASSERT_EQ(result["algorithms"].size(), 1U);
  EXPECT_NEAR(result["algorithms"][0]["post_arrival"], 6 * 250e-6, 1e-9);
  EXPECT_EQ(result["algorithms"][0]["transfers"], 24);
  EXPECT_EQ(result["bytes"], 4000);
}

// Two ranks are late and send everybody their parts, four at a time: those at one port come one after the other or
// share it, and a sender that learns late that they have come makes the rest wait.
TEST(Program, simulateKnowsSharedPortsAndSendersThatWait) {
  const std::string call =
      "simulate --ranks 8 --count 1Ki --late 1:1ms --late 2:1ms --alpha 4us --algorithm ring_segmented --json";
  const json in_turn = parsed(call);
  const json waiting = parsed(call + " --overhead 1us --release 3us");
  const json shared = parsed(call + " --overhead 1us --release 3us --shared-ports");
  const auto time = [](const json& result) { return result["algorithms"][0]["post_arrival"].get<double>(); };
  EXPECT_LT(time(in_turn), time(waiting));
  EXPECT_LT(time(waiting), time(shared));
  EXPECT_FALSE(in_turn["shared_ports"].get<bool>());
  EXPECT_TRUE(shared["shared_ports"].get<bool>());
  EXPECT_EQ(shared["release"], 3e-6);
  EXPECT_EQ(shared["overhead"], 1e-6);
}

// Of 64 ranks, 8 on each node, few messages leave a node when its ranks combine first.
TEST(Program, simulateKnowsSeveralRanksOnANode) {
  const std::string call = "simulate --ranks 64 --count 256 --algorithm two_level:inner=1,rabenseifner --json ";
  const json flat = parsed(call);
  const json nodes = parsed(call + "--ranks-per-node 8");
  EXPECT_EQ(nodes["algorithms"][0]["algorithm"], "two_level:inner=1");
  EXPECT_LT(nodes["algorithms"][0]["post_arrival"], 0.6 * flat["algorithms"][0]["post_arrival"].get<double>());
  EXPECT_EQ(flat["ranks_per_node"], 1);
  EXPECT_EQ(nodes["ranks_per_node"], 8);
}

TEST(Program, simulateTakesSeveralLateRanksAndAlgorithms) {
  const json result = parsed(
      "simulate --ranks 8 --count 64Ki --late 3:50ms --late 1:10ms --algorithm ring,slt:segments=64,window=8 "
      "--algorithm prr --json");
  EXPECT_EQ(result["table"], json::array({0, 2, 4, 5, 6, 7, 1, 3}));
  EXPECT_EQ(result["algorithms"].size(), 3U);
  EXPECT_EQ(parsed("simulate --ranks 4 --late 0:1ms --no-sort --algorithm ring --json")["table"],
            json::array({0, 1, 2, 3}));
}

TEST(Program, simulateComparesTheCatalogueInATable) {
  const CliResult result = runStarling("simulate --ranks 5 --count 1000");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, AllOf(StartsWith("ALGORITHM"), HasSubstr("SHARE OF SAVING"), HasSubstr("Left out: native")));
}

TEST(Program, simulateDrawsATimeline) {
  const CliResult result = runStarling("simulate --ranks 4 --count 1000 --late 0:100us --timeline ring");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, AllOf(StartsWith("virtual rank"), HasSubstr("\nring: elapsed"),
                                HasSubstr("   3 (   0) |...."), HasSubstr("reduces\n")));
  const json drawn = parsed("simulate --ranks 4 --count 1000 --timeline ring --json");
  ASSERT_EQ(drawn["timelines"].size(), 1U);
  EXPECT_EQ(drawn["timelines"][0]["transfers"].size(), 24U);
  EXPECT_EQ(drawn["timelines"][0]["exits"].size(), 4U);
}

TEST(Program, simulateDrawsSeveralTimelinesInTheOrderAskedForAndListsNoTransfers) {
  const std::string call = "simulate --ranks 4 --count 1000 --late 0:10ms --timeline ring,slt:segments=8,window=2 ";
  const CliResult result = runStarling(call + "--timeline late_join");
  EXPECT_EQ(result.exit_code, 0);
  const std::size_t ring = result.out.find("\nring: elapsed");
  const std::size_t slt = result.out.find("\nslt:segments=8,window=2: elapsed");
  const std::size_t late_join = result.out.find("\nlate_join: elapsed");
  EXPECT_LT(ring, slt);
  EXPECT_LT(slt, late_join);
  EXPECT_NE(late_join, std::string::npos);
  EXPECT_EQ(result.out.find(". not arrived"), result.out.rfind(". not arrived"));
  EXPECT_THAT(result.out, Not(HasSubstr("ELEMENTS")));
  const json drawn = parsed(call + "--json");
  ASSERT_EQ(drawn["timelines"].size(), 2U);
  EXPECT_EQ(drawn["timelines"][1]["algorithm"], "slt:segments=8,window=2");
  EXPECT_EQ(drawn["timelines"][1]["transfers"].size(), drawn["algorithms"][1]["transfers"]);
}

TEST(Program, doctorNamesTheVariableThatIsMeant) {
  EXPECT_THAT(runStarling("doctor", "STARLING_MOED=off").out, HasSubstr("did you mean `STARLING_MODE`?"));
}

TEST(Program, saysThatItReadsAnotherDatabaseThanTheOneThatIsMeant) {
  EXPECT_THAT(runStarling("sites", "STARLING_DB='~/tuning.db'").err,
              HasSubstr("STARLING_DB=~/tuning.db is not understood"));
}

TEST(Program, doctorFindsFaultsAndExitsAccordingly) {
  const CliResult wrong = runStarling("doctor", "STARLING_MODE=fast");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.out, AllOf(HasSubstr("fault    options"), HasSubstr("STARLING_MODE=fast"), HasSubstr("to mend: ")));
  EXPECT_THAT(wrong.err, HasSubstr("found"));
  const CliResult pinned = runStarling("doctor --json", "OMPI_MCA_coll_tuned_allreduce_algorithm=4");
  bool warned = false;
  for (const json& finding : json::parse(pinned.out)) {
    warned = warned || (finding["health"] == "warning" && finding["subject"] == "pinned algorithm");
  }
  EXPECT_TRUE(warned);
}

}  // namespace
}  // namespace starling::cli
