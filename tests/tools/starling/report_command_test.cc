// The built program writes reports: the figures in them are those of the other commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "example_commands.h"
#include "report_examples.h"
#include "store/sqlite.h"

namespace starling::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

json figuresOf(const std::string& page) {
  const std::string tag = "<script type=\"application/json\" id=\"figures\">";
  const std::size_t begin = page.find(tag);
  if (begin == std::string::npos) return nullptr;
  return json::parse(page.substr(begin + tag.size(), page.find("</script>", begin) - begin - tag.size()), nullptr,
                     false);
}

class ReportCommand : public ExampleCommands {
 protected:
  json report(const std::string& arguments) const { return figuresOf(run("report -o - " + arguments).out); }

  const std::string page_ = folder_.file("report.html");
};

TEST_F(ReportCommand, hasTheFiguresOfTheOtherCommands) {
  const json found = report("");
  const json summary = json::parse(run("summary --json").out, nullptr, false);
  const json sites = json::parse(run("sites --json").out, nullptr, false);
  ASSERT_EQ(found["figures"].size(), 5U);
  EXPECT_EQ(found["figures"][1]["cell"][1], summary["seconds"]);
  EXPECT_EQ(found["figures"][2]["cell"][1], summary["waiting"]);
  EXPECT_EQ(found["figures"][3]["cell"][1], summary["saved"]);
  EXPECT_EQ(found["figures"][4]["cell"][1], summary["exploring"]);
  ASSERT_EQ(found["sites"].size(), sites.size());
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const json& cells = found["sites"][i]["cells"];
    ASSERT_EQ(cells.size(), found["sites_table"]["columns"].size());
    EXPECT_EQ(cells[0][1], sites[i]["site"]);
    EXPECT_EQ(cells[1], sites[i]["where"]);
    EXPECT_EQ(cells[5][1], sites[i]["calls"]);
    EXPECT_EQ(cells[6][1], sites[i]["seconds"]);
    EXPECT_EQ(cells[7][1], summary["keys"][i]["waiting"]);
    EXPECT_EQ(cells[10][1], sites[i]["gain"]);
  }
  const std::string spoken = run("summary").out;
  for (const json& line : found["verdict"]) EXPECT_THAT(spoken, HasSubstr(line.get<std::string>() + "\n"));
  const std::string explained = run("explain 1").out;
  for (const json& line : found["sites"][0]["sentences"]) EXPECT_THAT(explained, HasSubstr(line.get<std::string>()));
}

TEST_F(ReportCommand, tellsOfASiteWhatArrivalsAndShowTell) {
  const json site = report("")["sites"][0];
  const json arrivals = json::parse(run("arrivals 1 --json").out, nullptr, false)[0]["ranks"];
  ASSERT_EQ(site["arrivals"]["rows"].size(), arrivals.size());
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    EXPECT_EQ(site["arrivals"]["rows"][i][0][1], arrivals[i]["rank"]);
    EXPECT_EQ(site["arrivals"]["rows"][i][2][1], arrivals[i]["lateness"]);
    EXPECT_EQ(site["arrivals"]["rows"][i][4][1], arrivals[i]["predicted"]);
  }
  const json candidates = json::parse(run("show 1 --json").out, nullptr, false)[0]["candidates"];
  ASSERT_EQ(site["candidates"]["rows"].size(), candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    EXPECT_EQ(site["candidates"]["rows"][i][0], candidates[i]["algorithm"]);
    EXPECT_EQ(site["candidates"]["rows"][i][1][1], candidates[i]["post_arrival"]);
  }
  EXPECT_EQ(site["decisions"]["rows"][0][6], "Least post-arrival time of three.");
}

TEST_F(ReportCommand, saysWhatIsIncomplete) {
  const json warnings = report("")["warnings"];
  EXPECT_THAT(warnings, Contains(HasSubstr("not converged")));
  EXPECT_THAT(warnings, Contains(HasSubstr("no call was timed")));
  EXPECT_THAT(warnings, Contains(HasSubstr("(native) was not measured")));
  EXPECT_THAT(warnings, Contains(HasSubstr("clocks agree within 3.00 us")));
  EXPECT_THAT(warnings, Contains(HasSubstr("How long the run took is not recorded")));
}

TEST_F(ReportCommand, showsAsManyKeysAsAreAskedFor) {
  const json all = report("");
  const json one = report("--limit 1");
  ASSERT_EQ(one["sites"].size(), 1U);
  EXPECT_EQ(one["sites"][0], all["sites"][0]) << "the one with most time";
  EXPECT_EQ(one["figures"], all["figures"]) << "the verdict is of all";
  EXPECT_THAT(one["warnings"], Contains(StartsWith("Not shown: ")));
  EXPECT_THAT(all["warnings"], Not(Contains(StartsWith("Not shown: "))));
  EXPECT_EQ(report("--limit 1000")["sites"], all["sites"]);
  EXPECT_THAT(run("report -o - --limit 0").err, HasSubstr("'0' is not a number of rows"));
  EXPECT_THAT(run("report -o - --compare 1 2 --limit 3").err, HasSubstr("excludes"));
}

TEST_F(ReportCommand, showsTwoRunsSideBySide) {
  const json found = report("--compare 1 2");
  EXPECT_EQ(found["kind"], "comparison");
  ASSERT_EQ(found["sites_table"]["rows"].size(), 3U);
  const json& pressure = found["sites_table"]["rows"][0];
  EXPECT_EQ(pressure[1], "pressure");
  EXPECT_EQ(pressure[5][1], 0.25);
  EXPECT_EQ(pressure[6][1], 7.5);
  EXPECT_EQ(pressure[12], "native");
  EXPECT_EQ(pressure[13], "slt:segments=64");
  EXPECT_EQ(found["sites_table"]["rows"][1][5][0], "-") << "run 1 has no such site";
  EXPECT_THAT(found["warnings"],
              Contains("2 keys (call site, size of vectors, communicator) in one of the runs alone."));
  EXPECT_THAT(found["verdict"][0], StartsWith("Run 2 was 8.00 s in allreduce, 7.75 s more than run 1 (250 ms)."));
}

TEST_F(ReportCommand, namesTheProgramsOfBothRuns) {
  EXPECT_EQ(report("--compare 1 2")["title"], "app, runs 1 and 2");
  starling::Run other = exampleRun("other");
  other.program = "other";
  writeRun(database_, other, Batch());
  EXPECT_EQ(report("--compare 2 3")["title"], "app and other, runs 2 and 3");
}

TEST_F(ReportCommand, pairsSitesOfEqualCommunicators) {
  writeManyCommunicators(database_);
  const json rows = report("--compare 2 3")["sites_table"]["rows"];
  ASSERT_EQ(rows.size(), 5U) << "three of run 3, and two that run 2 has alone";
  EXPECT_EQ(rows[0][5][1], 7.5) << "4 ranks before";
  EXPECT_EQ(rows[0][6][1], 7.5) << "and after";
  for (const int of_two_ranks : {1, 2}) {
    EXPECT_EQ(rows[of_two_ranks][4][1], 2);
    EXPECT_TRUE(rows[of_two_ranks][5][1].is_null()) << "run 2 has no communicator of that size";
  }
}

TEST_F(ReportCommand, saysSoWhereClocksDoNotCompare) {
  writeApartDatabase(database_);
  const json found = report("");
  EXPECT_THAT(found["warnings"], Contains(AllOf(StartsWith("Site 1: The clocks"), HasSubstr("cannot be compared"))));
  EXPECT_TRUE(found["sites"][0]["arrivals"].is_null());
  EXPECT_EQ(found["sites"][0]["compared"], "mean elapsed time");
  EXPECT_EQ(found["sites"][0]["candidates"]["rows"][0][1], json({"-", nullptr})) << "no post-arrival time is known";
  EXPECT_EQ(found["figures"][2]["cell"], json({"-", nullptr})) << "nor how long was waited";
}

TEST_F(ReportCommand, writesAFileAndSaysSo) {
  writeFile(page_, "older");
  const CliResult written = run("report -o '" + page_ + "'");
  EXPECT_EQ(written.exit_code, 0) << written.err;
  EXPECT_THAT(written.out, AllOf(HasSubstr("report.html: app, run 2, "), HasSubstr("open it in a browser")));
  EXPECT_THAT(readFile(page_), AllOf(StartsWith("<!doctype html>"), Not(HasSubstr("older"))));
  EXPECT_EQ(figuresOf(readFile(page_))["sites"], report("")["sites"]);
  EXPECT_EQ(run("report").out.substr(0, 15), "<!doctype html>") << "standard output is no terminal here";
}

TEST_F(ReportCommand, failsInOneSentenceWhereItCannotWrite) {
  for (const std::string& path : {folder_.file("missing/report.html"), std::string("/dev/full"), folder_.file("")}) {
    SCOPED_TRACE(path);
    const CliResult refused = run("report -o '" + path + "'");
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_EQ(refused.out, "");
    EXPECT_THAT(refused.err, HasSubstr("cannot write " + path));
  }
}

TEST_F(ReportCommand, refusesRunsThatAreNotThere) {
  EXPECT_THAT(run("report --run 9").err, HasSubstr("there is no run 9: the database holds runs 1 to 2"));
  EXPECT_EQ(run("report --compare 1 9").exit_code, 1);
  EXPECT_EQ(run("report --compare 1").exit_code, 2);
  EXPECT_EQ(run("report --run 1 --compare 1 2").exit_code, 2);
  EXPECT_THAT(run("report --compare 1 all").err, HasSubstr("one run is compared with one other"));
  EXPECT_THAT(run("report --run all").err, HasSubstr("one run is reported at a time"));
  EXPECT_THAT(run("report --compare 2 latest").err, HasSubstr("run 2 is compared with itself"));
  EXPECT_EQ(run("report -o ''").exit_code, 2);
  const CliResult missing = runStarling("report --db '" + folder_.file("nothing.db") + "'");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_EQ(missing.out, "");
}

TEST_F(ReportCommand, drawsNoTableWithRanksThatAreNotThere) {
  for (const char* table : {"[0,1,2,1000000000]", "[0,1,2,-1]", "[0,1,1,2]"}) {
    {
      const auto opened = sqlite::Connection::open(database_, sqlite::Access::kReadWrite, Seconds{5.0});
      const std::string change = std::string("UPDATE keys SET virtual_ranks = '") + table + "'";
      ASSERT_TRUE(opened.value().execute(change.c_str()).isOk());
    }
    EXPECT_EQ(run("report -o -").exit_code, 0) << table;
  }
}

TEST_F(ReportCommand, drawsNoCallsThatNoMachineHasMemoryFor) {
  Batch batch = latestBatch();
  for (KeyRecord& key : batch.keys) key.bytes = std::int64_t{1} << 61;
  writeRun(database_, exampleRun("huge"), batch);
  const CliResult result = run("report --run 3");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Calls are drawn of up to 1 TiB."));
}

TEST_F(ReportCommand, answersWhereNothingIsRecorded) {
  const std::string empty = folder_.file("empty.db");
  ASSERT_TRUE(Database::open(empty).isOk());
  EXPECT_THAT(runStarling("report --db '" + empty + "'").err, HasSubstr("holds no run yet"));
  writeRun(empty, exampleRun("silent"), Batch());
  const json found = figuresOf(runStarling("report --db '" + empty + "'").out);
  EXPECT_EQ(found["sites"].size(), 0U);
  EXPECT_THAT(found["verdict"][0], HasSubstr("no call of allreduce was timed"));
  EXPECT_THAT(found["warnings"], Contains(HasSubstr("No allreduce was recorded")));
}

TEST_F(ReportCommand, ofManyRanksAndSitesStaysSmall) {
  const std::string large = folder_.file("large.db");
  writeLargeDatabase(large);
  const CliResult written = runStarling("report --db '" + large + "'");
  ASSERT_EQ(written.exit_code, 0) << written.err;
  EXPECT_LT(written.out.size(), 5'000'000U);
  const json found = figuresOf(written.out);
  ASSERT_EQ(found["sites"].size(), 200U);
  const json& site = found["sites"][0];
  EXPECT_LE(site["plots"]["lateness"]["epochs"].size(), 48U);
  EXPECT_EQ(site["plots"]["lateness"]["ranks"].size(), 16U);
  EXPECT_EQ(site["decisions"]["rows"].size(), 12U);
  EXPECT_THAT(site["notes"], Contains(HasSubstr("Of 20 decisions the latest 12 are shown")));
  EXPECT_THAT(site["notes"], Contains(HasSubstr("the 16 that were late the longest are shown")));
}

}  // namespace
}  // namespace starling::cli
