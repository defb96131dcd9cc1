// The built program against a database whose every text wants to act on the terminal and to forge rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "base/printable.h"
#include "cli_process.h"
#include "example_database.h"

namespace starling::cli {
namespace {

const std::string kHostile =
    "\x1b]0;title\x07\x1b[2J\rover\nFORGED row\x7f \xc2\x9b\x33m\u202eleft\u2066\u200b\u2028 \xff\x9b end\t|";

std::string hostile(const std::string& name) { return name + kHostile; }

SiteRecord hostileSite(const std::string& name) {
  SiteRecord site;
  site.identity = hostile(name + " identity");
  site.module = hostile("/missing/" + name);
  site.build_id = hostile("0a0b");
  site.symbol = hostile(name + " symbol");
  site.offset = 31;
  return site;
}

Batch hostileBatch() {
  SiteRecord labelled = hostileSite("a");
  labelled.label = hostile("label");
  Batch batch;
  batch.communicators = {{hostile("c"), hostile("rows"), 4, "elapsed", std::nullopt}};
  batch.sites = {labelled, hostileSite("b")};
  for (const SiteRecord& site : batch.sites) {
    KeyRecord key = settledKey();
    key.id = {hostile("c"), site.identity, 22, hostile("float"), hostile("sum")};
    key.state = hostile("settled");
    key.choice = hostile("ring");
    batch.keys.push_back(key);
    batch.observations.push_back(observation(key.id, 0, hostile("ring"), 4, 0.01));
    ArrivalRecord late = arrival(key.id, 0, 1, 0.05, 0.001, 0.05);
    late.method = hostile("mean");
    batch.arrivals.push_back(late);
    batch.decisions.push_back({key.id, 0, 4, key.choice, {}, hostile("Reason."), 0.1, 0.1, 0.2});
    batch.policies.push_back(
        {site.identity, 4, 22, key.id.type, key.id.operation, key.choice, {}, {}, 2.0, "elapsed", hostile("Reason.")});
  }
  return batch;
}

Run hostileRun() {
  return {hostile("id"),
          {4, 1, 4, hostile("CPU"), hostile("Open MPI"), hostile("memory")},
          hostile("program"),
          1'700'000'000};
}

class HostileText : public testing::Test {
 protected:
  void SetUp() override {
    Result<Database> database = Database::open(path_);
    ASSERT_TRUE(database.isOk()) << database.status().message();
    for (const Status& status :
         {database.value().beginRun(hostileRun()), database.value().write(hostile("id"), hostileBatch())}) {
      ASSERT_TRUE(status.isOk()) << status.message();
    }
  }

  // Lines are long enough for all texts.
  CliResult run(const std::string& arguments) const {
    return runStarling(arguments + " --db '" + path_ + "'", "COLUMNS=1000");
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.file("tuning.db");
};

// Nothing that is printed acts on the terminal, hides or begins a line of the database's own.
void expectHarmless(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_EQ(line, printable(line));
    EXPECT_FALSE(line.starts_with("FORGED")) << line;
  }
}

TEST_F(HostileText, isShownAsEscapesByEveryCommand) {
  const std::map<std::string, std::string> told{{"summary --full", "program"},
                                                {"sites", "label"},
                                                {"sites --csv", "label"},
                                                {"sites --run all", "label"},
                                                {"show 1", "rows"},
                                                {"show 2", "identity"},
                                                {"explain 1", "Reason."},
                                                {"explain 2", "symbol"},
                                                {"arrivals 1", "mean"},
                                                {"decisions", "Reason."},
                                                {"export --format ompi-rules", "ring"},
                                                {"policies", "label"},
                                                {"prune --keep-runs 0 --unfinished --dry-run", "program"}};
  for (const auto& [command, word] : told) {
    SCOPED_TRACE(command);
    const CliResult result = run(command);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, testing::HasSubstr(word + "\\x1b]0;title\\x07\\x1b[2J\\x0dover\\x0aFORGED row"));
    expectHarmless(result.out);
    expectHarmless(result.err);
  }
}

TEST_F(HostileText, isEscapedInJsonAndComesBackWhole) {
  for (const char* command :
       {"summary --json", "sites --json", "show 1 --json", "explain 1 --json", "arrivals 1 --json", "decisions --json",
        "policies --json", "export --format json", "doctor --json"}) {
    SCOPED_TRACE(command);
    const CliResult result = run(command);
    expectHarmless(result.out);
    expectHarmless(result.err);
    EXPECT_FALSE(nlohmann::json::parse(result.out, nullptr, false).is_discarded());
  }
  const auto sites = nlohmann::json::parse(run("sites --json").out, nullptr, false);
  EXPECT_THAT(sites[0]["label"].get<std::string>(), testing::StartsWith("label\x1b]0;title\x07\x1b[2J\rover\nFORGED"));
}

TEST_F(HostileText, isShownAsEscapesInErrors) {
  for (const char* command :
       {"show symbol", "show nothing", "sites --run 7", "doctor", "show \"$(printf '\\033[2J')\""}) {
    SCOPED_TRACE(command);
    const CliResult result = run(command);
    expectHarmless(result.out);
    expectHarmless(result.err);
  }
  EXPECT_THAT(run("show symbol").err, testing::HasSubstr("b symbol\\x1b]0;"));
}

TEST_F(HostileText, ofAPolicyDocumentIsShownAsEscapes) {
  const std::string exported = folder_.file("policies.json");
  ASSERT_EQ(run("export --output '" + exported + "'").exit_code, 0);
  const auto expectRefusal = [&](const std::string& word) {
    const CliResult refused = run("import '" + exported + "'");
    EXPECT_THAT(refused.err, testing::HasSubstr(word + "\\x1b]0;"));
    expectHarmless(refused.err);
  };
  expectRefusal("Open MPI");
  auto document = nlohmann::json::parse(readFile(exported));
  document["environment"]["mpi_version"] = "Open MPI";
  writeFile(exported, document.dump());
  expectRefusal("memory");
  document["environment"]["transport"] = "network";
  writeFile(exported, document.dump());
  expectRefusal("a identity");
  for (auto& policy : document["policies"]) policy["site"] = "label:" + policy["site"].get<std::string>();
  writeFile(exported, document.dump());
  expectRefusal("ring");
  for (auto& policy : document["policies"]) {
    policy["choice"] = "ring";
    policy["type"] = "float";
    policy["operation"] = "sum";
  }
  writeFile(exported, document.dump());
  const CliResult imported = run("import '" + exported + "'");
  EXPECT_THAT(imported.out, testing::HasSubstr("program\\x1b]0;"));
  expectHarmless(imported.out);
  writeFile(exported, "{\"format\": \"\x1b[2J\", \"\x1b[2J\": 1}");
  const CliResult refused = run("import '" + exported + "'");
  EXPECT_NE(refused.exit_code, 0);
  expectHarmless(refused.err);
}

}  // namespace
}  // namespace starling::cli
