// What commands that list have in common: --json, --csv, --sort, --reverse, --limit and --run, and how tables look.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "example_commands.h"
#include "store/sqlite.h"

namespace starling::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ListOptionsOfCommands : public ExampleCommands {
 protected:
  json parsed(const std::string& arguments) const { return ExampleCommands::parsed(arguments + " --json"); }
};

const std::vector<std::string> kLists = {"runs",      "sites",    "show pressure", "arrivals pressure",
                                         "decisions", "policies", "algorithms",    "simulate --ranks 4 --count 1Ki",
                                         "options"};

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST_F(ListOptionsOfCommands, areTakenByEachList) {
  for (const std::string& list : kLists) {
    SCOPED_TRACE(list);
    const CliResult all = run(list + " --csv");
    ASSERT_EQ(all.exit_code, 0) << all.err;
    const std::size_t rows = linesOf(all.out).size() - 1;
    ASSERT_GE(rows, 1U);
    EXPECT_EQ(linesOf(run(list + " --csv --limit 1").out).size(), 2U);
    EXPECT_EQ(linesOf(run(list + " --csv --limit 1").out)[1], linesOf(all.out)[1]);
    EXPECT_EQ(linesOf(run(list + " --csv --reverse --limit 1").out)[1], linesOf(all.out)[rows]);
    const CliResult wrong = run(list + " --sort wombat");
    EXPECT_EQ(wrong.exit_code, 2);
    EXPECT_THAT(wrong.err, HasSubstr("--sort: there is no column 'wombat': use one of "));
    EXPECT_THAT(run(list + " --limit 0").err, HasSubstr("'0' is not a number of rows: give 1 or more"));
    EXPECT_THAT(run(list + " --json --csv").err, HasSubstr("excludes"));
  }
}

TEST_F(ListOptionsOfCommands, sortByEachColumnThatErrorsName) {
  for (const std::string& list : kLists) {
    const std::string told = run(list + " --sort wombat").err;
    const std::string begin = "use one of ";
    std::istringstream words(
        told.substr(told.find(begin) + begin.size(), told.find(" (see") - told.find(begin) - begin.size()));
    for (std::string word; std::getline(words >> std::ws, word, ',');) {
      EXPECT_EQ(run(list + " --sort " + word).exit_code, 0) << list << " by " << word;
    }
  }
}

TEST_F(ListOptionsOfCommands, sortGainsThatMayBeChanceAsThoseThatAreNotKnown) {
  const auto opened = sqlite::Connection::open(database_, sqlite::Access::kReadWrite, Seconds{5.0});
  ASSERT_TRUE(opened.isOk());
  ASSERT_TRUE(opened.value().execute("UPDATE keys SET gain = 1 WHERE choice = 'native'").isOk());
  for (const auto& [error, first] : {std::pair{"3.9", 9.0}, {"4.1", 1.0}}) {
    const std::string update =
        std::string("UPDATE keys SET gain = 9, gain_error = ") + error + " WHERE choice <> 'native'";
    ASSERT_TRUE(opened.value().execute(update.c_str()).isOk());
    EXPECT_EQ(parsed("sites --sort gain")[0]["gain"], first) << error;
  }
}

TEST_F(ListOptionsOfCommands, sortRowsOfTablesAndRecords) {
  EXPECT_EQ(parsed("sites --sort where")[0]["label"], "");
  EXPECT_EQ(parsed("sites --sort calls")[0]["calls"], 120);
  EXPECT_EQ(parsed("sites --sort gain")[0]["gain"], 2.5);
  EXPECT_TRUE(parsed("sites --sort gain --reverse")[2]["gain"].is_null());
  EXPECT_EQ(parsed("sites --sort state --limit 1")[0]["state"], "exploring");
  EXPECT_EQ(parsed("show pressure --sort candidate")[0]["candidates"][0]["algorithm"], "native");
  EXPECT_EQ(parsed("arrivals pressure --sort lateness --limit 1")[0]["ranks"][0]["rank"], 2);
  EXPECT_EQ(parsed("algorithms --sort name")[0]["name"], "binary_tree");
  EXPECT_THAT(linesOf(run("sites --sort STATE").out)[1], HasSubstr("exploring"));
}

TEST_F(ListOptionsOfCommands, errorsNameTheNearestColumn) {
  EXPECT_THAT(run("sites --sort imbalanse").err, HasSubstr("did you mean `imbalance`?"));
}

TEST_F(ListOptionsOfCommands, csvNamesTheKeyOfEachRow) {
  EXPECT_THAT(
      run("show pressure --csv").out,
      AllOf(StartsWith("run,site,where,communicator,communicator_size,bytes,type,operation,compared_by,algorithm,"),
            HasSubstr("\n2,1,pressure,world,4,4000000,float,sum,post_arrival,ring,")));
  const std::string arrivals = run("arrivals pressure --csv --sort rank").out;
  EXPECT_THAT(linesOf(arrivals)[3], StartsWith("2,1,pressure,world,4,4000000,float,sum,post_arrival,2,2,"));
}

TEST_F(ListOptionsOfCommands, policiesAreThoseOfARun) {
  EXPECT_EQ(parsed("policies").size(), 1U);
  EXPECT_EQ(parsed("policies --run 2").size(), 1U);
  EXPECT_EQ(parsed("policies --run latest").size(), 1U);
  EXPECT_TRUE(parsed("policies --run 1").empty());
  EXPECT_THAT(run("policies --run 1").out, HasSubstr("has no policy of that run"));
  EXPECT_THAT(run("policies --run 9").err, HasSubstr("there is no run 9"));
}

TEST_F(ListOptionsOfCommands, tablesFitTheLine) {
  for (const std::string& list : kLists) {
    for (const std::size_t width : {100U, 60U, 40U}) {
      const CliResult result = run(list, "COLUMNS=" + std::to_string(width));
      ASSERT_EQ(result.exit_code, 0) << result.err;
      for (const std::string& line : linesOf(result.out)) {
        const bool is_table = list != "show pressure" && list != "arrivals pressure" && !line.ends_with('.');
        EXPECT_LE(is_table ? line.size() : 0U, width) << list << ": " << line;
      }
    }
  }
  EXPECT_EQ(run("sites", "COLUMNS=wide").out, run("sites", "COLUMNS=120").out);
}

TEST_F(ListOptionsOfCommands, coloursAreForThoseWhoWantThem) {
  EXPECT_THAT(run("sites").out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(run("sites --color never").out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(run("sites --color=always").out,
              AllOf(HasSubstr("\x1b[1mSITE\x1b[0m"), HasSubstr("\x1b[32m2.50x +- 0.05\x1b[0m"),
                    HasSubstr("\x1b[33mexploring")));
  EXPECT_THAT(run("sites --color always --json").out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(run("doctor --color always").out, HasSubstr("\x1b[32mok      \x1b[0m"));
  EXPECT_THAT(run("--color sometimes sites").err, HasSubstr("use one of auto, always, never"));
}

TEST_F(ListOptionsOfCommands, doctorListsItsWorstFindingsFirst) {
  const json findings = json::parse(run("doctor --json --sort health", "STARLING_MODE=fast").out, nullptr, false);
  EXPECT_EQ(findings[0]["health"], "fault");
  EXPECT_THAT(run("doctor --csv").out, StartsWith("health,subject,text,remedy\n"));
}

}  // namespace
}  // namespace starling::cli
