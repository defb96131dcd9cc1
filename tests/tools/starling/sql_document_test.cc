// Asks a database with known records what docs/sql.md asks.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "cli_process.h"
#include "example_database.h"

namespace starling::cli {
namespace {

// Returns what stands between "```sql" and "```".
std::vector<std::string> queriesOf(const std::string& document) {
  std::vector<std::string> queries;
  bool is_within = false;
  std::istringstream lines(document);
  for (std::string line; std::getline(lines, line);) {
    if (line == "```sql") queries.emplace_back();
    if (line.starts_with("```")) {
      is_within = line == "```sql";
    } else if (is_within) {
      queries.back() += line + "\n";
    }
  }
  return queries;
}

// Adds a run in which calls were made by the choice in force, which are no trials.
void writeTunedRun(const std::string& path) {
  const KeyRecord pressure = settledKey();
  Batch batch;
  batch.communicators = {{"world", "MPI_COMM_WORLD", 4, kByPostArrival, 3e-6}};
  batch.sites = {labelledSite("pressure")};
  batch.keys = {pressure};
  batch.observations = {observation(pressure.id, 5, pressure.choice, 4, 0.005)};
  batch.observations.front().exploration = false;
  Result<Database> database = Database::open(path);
  ASSERT_TRUE(database.isOk()) << database.status().message();
  for (const Status& status : {database.value().beginRun(exampleRun("third")), database.value().write("third", batch),
                               database.value().finishRun("third")}) {
    ASSERT_TRUE(status.isOk()) << status.message();
  }
}

TEST(SqlDocument, hasQueriesThatAnswer) {
  const TemporaryFolder folder;
  writeExampleDatabase(folder.file("tuning.db"));
  writeTunedRun(folder.file("tuning.db"));
  const std::vector<std::string> queries = queriesOf(readFile(STARLING_SQL_DOCUMENT));
  // The titles, and the first row of known records.
  const std::vector<std::string> answers = {
      "site,ranks,runs,calls,total_seconds\npressure,4,3,243,15.25\n",
      "run,site,bytes,rank,times_last,mean_lateness_ms\n2,pressure,4000000,2,8,50.0\n",
      "program,runs,tuned_keys,seconds_saved\napp,1,1,0.03\n",
      "run,site,ranks,bytes,type,operation,calls,exploration_calls,state\n"
      "2,\"Solver::dot(double const*)\",4,8,float,sum,3,2,exploring\n",
      "run,epoch,choice,is_trial,calls,post_arrival_us\n2,0,native,1,4,12500.0\n"};
  ASSERT_EQ(queries.size(), answers.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    SCOPED_TRACE(queries[i]);
    writeFile(folder.file("query.sql"), queries[i]);
    const CliResult result = runProgram(
        "sqlite3", "-bail -header -csv '" + folder.file("tuning.db") + "' <'" + folder.file("query.sql") + "'");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::string out = result.out;
    std::erase(out, '\r');
    EXPECT_EQ(out.substr(0, answers[i].size()), answers[i]) << out;
  }
}

}  // namespace
}  // namespace starling::cli
