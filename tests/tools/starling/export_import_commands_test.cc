// The built program exports, imports and lists what runs have learned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "example_commands.h"
#include "store/sqlite.h"

namespace starling::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class PolicyCommands : public ExampleCommands {};

TEST_F(PolicyCommands, exportWantsANameForItsFile) {
  const CliResult refused = run("export --output ''");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("FILE is empty"));
  const CliResult folder = run("export -o '" + folder_.file("") + "'");
  EXPECT_EQ(folder.exit_code, 1);
  EXPECT_THAT(folder.err, HasSubstr("it is a folder; name a file in it"));
}

TEST_F(PolicyCommands, exportLeavesTheDatabaseAlone) {
  const std::string before = readFile(database_);
  for (const std::string command : {"export -o '", "report -o '"}) {
    const CliResult refused = run(command + database_ + "'");
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, HasSubstr("it is a database, which would be lost; name another file"));
  }
  EXPECT_EQ(readFile(database_), before);
}

// Containers mount single files of the host so.
TEST_F(PolicyCommands, exportWritesToAFileThatIsMountedByItself) {
  const std::string outside = folder_.file("outside");
  const std::string inside = folder_.file("inside");
  for (const std::string& path : {outside, inside}) writeFile(path, "former");
  const std::string mounted =
      "-rm sh -c 'mount --bind \"$0\" \"$1\" && shift && exec \"$@\"' '" + outside + "' '" + inside + "' ";
  if (runProgram("unshare", mounted + "true").exit_code != 0) GTEST_SKIP() << "nothing can be mounted here";
  const CliResult exported =
      runProgram("unshare", mounted + "'" STARLING_CLI "' export --db '" + database_ + "' -o '" + inside + "'");
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_EQ(readFile(outside), run("export").out);
  EXPECT_EQ(readFile(inside), "former");
}

TEST_F(PolicyCommands, dashIsStandardOutput) {
  const std::string printed = run("export").out;
  EXPECT_EQ(run("export -o -").out, printed);
  EXPECT_EQ(run("export --output /dev/stdout").out, printed);
  EXPECT_EQ(runStarling("completions bash -o -").out, runStarling("completions bash").out);
  EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST_F(PolicyCommands, exportAndImportCarryPoliciesToAnotherDatabase) {
  const CliResult exported = run("export --output '" + folder_.file("policy.json") + "'");
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_EQ(exported.out, "");
  const CliResult imported =
      runStarling("import '" + folder_.file("policy.json") + "' --db '" + folder_.file("other.db") + "'");
  ASSERT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_THAT(imported.out, HasSubstr("1 policy of app is in"));
  const auto policies = Database::open(folder_.file("other.db")).value().policies(exampleRun("x").environment, "app");
  ASSERT_TRUE(policies.isOk()) << policies.status().message();
  ASSERT_EQ(policies.value().size(), 1U);
  EXPECT_EQ(policies.value()[0].choice, "slt:segments=64");
  EXPECT_EQ(policies.value()[0].table, (std::vector<std::int32_t>{0, 1, 3, 2}));
}

TEST_F(PolicyCommands, policiesTellWhatIsLearnedFromWhatIsImported) {
  ASSERT_EQ(run("export --output '" + folder_.file("policy.json") + "'").exit_code, 0);
  const CliResult learned = run("policies");
  EXPECT_EQ(learned.exit_code, 0) << learned.err;
  EXPECT_THAT(learned.out,
              AllOf(HasSubstr("PROGRAM"), HasSubstr("app"), HasSubstr("  pressure  "), HasSubstr("run 2")));
  const std::string other = " --db '" + folder_.file("imported.db") + "'";
  ASSERT_EQ(runStarling("import '" + folder_.file("policy.json") + "'" + other).exit_code, 0);
  const CliResult imported = runStarling("policies" + other);
  EXPECT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_THAT(imported.out, HasSubstr("import, or a run that was removed"));
  const CliResult as_json = runStarling("policies --json" + other);
  EXPECT_THAT(as_json.out, AllOf(HasSubstr("\"program\": \"app\""), HasSubstr("\"run\": null")));
  EXPECT_THAT(as_json.out, AllOf(HasSubstr("\"world_ranks\": 4"), HasSubstr("\"transport\": \"shared_memory\"")));
  const CliResult again = runStarling("export" + other);
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.out, run("export").out) << "where there is no run";
  EXPECT_THAT(runStarling("doctor" + other).out, HasSubstr("(0 runs, 1 policy)"));
}

TEST_F(PolicyCommands, exportWritesATableForSpreadsheets) {
  const CliResult result = run("export --format csv");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              testing::StartsWith("program,ranks,nodes,ranks_per_node,processor,mpi_version,transport,site,"));
  EXPECT_THAT(result.out, HasSubstr("\napp,4,1,4,Example CPU,Open MPI 4.1.4,shared_memory,label:pressure,"));
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 2);
}

TEST_F(PolicyCommands, exportTellsOfLabelsThatJsonCannotHold) {
  EXPECT_EQ(run("export").err, "");
  {
    const auto opened = sqlite::Connection::open(database_, sqlite::Access::kReadWrite, Seconds{5.0});
    ASSERT_TRUE(opened.isOk()) << opened.status().message();
    const Status renamed = opened.value().execute("UPDATE policies SET site = 'label:' || CAST(x'70E9' AS TEXT)");
    ASSERT_TRUE(renamed.isOk()) << renamed.message();
  }
  const CliResult exported = run("export");
  EXPECT_EQ(exported.exit_code, 0);
  EXPECT_THAT(exported.err, AllOf(HasSubstr("not UTF-8"), HasSubstr("(1 of 1 policies)")));
  EXPECT_TRUE(json::accept(exported.out));
}

TEST_F(PolicyCommands, importReplacesWhatWasLearned) {
  json document = parsed("export --format json");
  document["policies"][0]["choice"] = "ring";
  writeFile(folder_.file("policy.json"), document.dump());
  ASSERT_EQ(run("import '" + folder_.file("policy.json") + "'").exit_code, 0);
  EXPECT_EQ(parsed("export")["policies"][0]["choice"], "ring");
  EXPECT_EQ(parsed("export")["policies"].size(), 1U);
}

TEST_F(PolicyCommands, importTellsWhatTookThePlaceOfWhatWasThere) {
  json document = parsed("export");
  document["policies"].push_back(document["policies"][0]);
  document["policies"][1]["size_class"] = 5;
  document["policies"].push_back(document["policies"][0]);
  document["policies"][2]["site"] = "any";
  writeFile(folder_.file("policy.json"), document.dump());
  const std::string call = "import '" + folder_.file("policy.json") + "'";
  EXPECT_THAT(run(call).out, HasSubstr(", 2 new and 1 in place of what was there; "));
  EXPECT_THAT(run(call).out, HasSubstr(", 0 new and 3 in place of what was there; "));
}

TEST_F(PolicyCommands, importCountsPoliciesForTheSameCallsOnce) {
  json document = parsed("export");
  document["policies"][0]["size_class"] = 5;
  document["policies"].push_back(document["policies"][0]);
  document["policies"][1]["choice"] = "ring";
  writeFile(folder_.file("policy.json"), document.dump());
  const CliResult imported = run("import '" + folder_.file("policy.json") + "'");
  EXPECT_THAT(imported.out, AllOf(HasSubstr("1 policy of app is in"), HasSubstr(", 1 new and 0 in place of")));
  EXPECT_EQ(parsed("export")["policies"][0]["choice"], "ring");
}

TEST_F(PolicyCommands, documentOfTheDocumentationIsImported) {
  const std::string page = readFile(STARLING_POLICY_DOCUMENT);
  const std::size_t start = page.find("```json\n") + 8;
  writeFile(folder_.file("policy.json"), page.substr(start, page.find("```", start) - start));
  const CliResult imported = run("import '" + folder_.file("policy.json") + "'");
  EXPECT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_THAT(imported.out, HasSubstr(" new and 0 in place"));
  EXPECT_THAT(runStarling("import --help").out, HasSubstr("takes the place of one that is there"));
}

TEST_F(PolicyCommands, importReadsStandardInput) {
  ASSERT_EQ(run("export --output '" + folder_.file("policy.json") + "'").exit_code, 0);
  const CliResult imported = run("import - <'" + folder_.file("policy.json") + "'");
  EXPECT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_THAT(imported.out, HasSubstr("1 policy of app is in"));
}

TEST_F(PolicyCommands, importRefusesWhatNoRunCouldUse) {
  const json good = parsed("export");
  const std::string file = "'" + folder_.file("policy.json") + "'";
  struct Refusal {
    const char* field;
    const char* value;
    const char* said;
  };
  for (const auto& [field, value, said] :
       {Refusal{"choice", "wombat", "no algorithm \"wombat\""}, Refusal{"choice", "slt:segments=999999999", "segments"},
        Refusal{"type", "quark", "is \"quark\"; expected a type"},
        Refusal{"type", "derived", "left to the MPI library"},
        Refusal{"type", "float_on_device", "left to the MPI library"},
        Refusal{"site", "pressure", "is \"pressure\"; expected \"label:NAME\""},
        Refusal{"operation", "summ", "is \"summ\"; expected an operation"}}) {
    json document = good;
    document["policies"][0][field] = value;
    writeFile(folder_.file("policy.json"), document.dump());
    const CliResult refused = run("import " + file);
    EXPECT_EQ(refused.exit_code, 1) << value;
    EXPECT_THAT(refused.err, AllOf(HasSubstr("policy.json: "), HasSubstr(std::string("policies[0].") + field + ": "),
                                   HasSubstr(said)));
  }
  for (const auto& [field, value] : {std::pair("gain", json(0.0)), std::pair("communicator_size", json(2147483647))}) {
    json document = good;
    document["policies"][0][field] = value;
    writeFile(folder_.file("policy.json"), document.dump());
    EXPECT_THAT(run("import " + file).err, HasSubstr(std::string("policies[0].") + field + ": is "));
  }
  json document = good;
  document["policies"][0]["choice"] = "ring";
  document["policies"][0]["operation"] = "user_noncommutative";
  writeFile(folder_.file("policy.json"), document.dump());
  EXPECT_THAT(run("import " + file).err, HasSubstr("policies[0].choice: is \"ring\", which does not suit user_non"));
  document = good;
  document["policies"][0].update({{"communicator_size", 1}, {"table", json::array()}, {"lateness_ns", json::array()}});
  writeFile(folder_.file("policy.json"), document.dump());
  EXPECT_THAT(run("import " + file).err, HasSubstr("policies[0].communicator_size: is 1; expected 2 or more"));
  document = good;
  document["policies"] = json::array();
  writeFile(folder_.file("policy.json"), document.dump());
  EXPECT_THAT(run("import " + file).err, HasSubstr("nothing to import"));
  document = good;
  document["environment"]["transport"] = "pigeon";
  writeFile(folder_.file("policy.json"), document.dump());
  EXPECT_THAT(run("import " + file).err, HasSubstr("environment.transport: is \"pigeon\""));
  EXPECT_EQ(parsed("export"), good);
}

TEST_F(PolicyCommands, exportWritesOpenMpiRulesAndWarnsOnStderr) {
  const CliResult result = run("export --format ompi-rules");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("allreduce"));
  EXPECT_THAT(result.err, HasSubstr("slt"));
}

// Open MPI's rings give wrong results for these, and its rules are for all calls alike.
TEST_F(PolicyCommands, openMpiRulesHaveNoRingWhereAnOperationWithoutAPolicyDoesNotCommute) {
  EXPECT_THAT(run("export --format ompi-rules").err, HasSubstr("slt is exported as ring (4)"));
  {
    const auto connection = sqlite::Connection::open(database_, sqlite::Access::kReadWrite, Seconds{1.0});
    ASSERT_TRUE(connection.isOk()) << connection.status().message();
    const Status changed =
        connection.value().execute("UPDATE keys SET operation = 'user_noncommutative' WHERE state = 'exploring'");
    ASSERT_TRUE(changed.isOk()) << changed.message();
  }
  const CliResult result = run("export --format ompi-rules");
  EXPECT_THAT(result.err, HasSubstr("slt is exported as Rabenseifner (6)"));
  EXPECT_THAT(result.out, HasSubstr(" 6 0 0  # "));
}

// Policies are those of all runs of the program, and so is the time by which one site wins.
TEST_F(PolicyCommands, openMpiRulesWeighSitesByAllRuns) {
  Batch batch;
  batch.policies = latestBatch().policies;
  batch.policies.front().site = "any";
  batch.policies.front().choice = "recursive_doubling";
  {
    Result<Database> database = Database::open(database_);
    ASSERT_TRUE(database.isOk()) << database.status().message();
    for (const Status& status :
         {database.value().beginRun(exampleRun("short")), database.value().write("short", batch)}) {
      ASSERT_TRUE(status.isOk()) << status.message();
    }
  }
  const std::string rules = run("export --format ompi-rules").out;
  EXPECT_THAT(rules, HasSubstr(": slt:segments=64, learned at label:pressure"));
  EXPECT_EQ(rules, run("export --format ompi-rules --run 2").out);
}

TEST_F(PolicyCommands, wrongFilesAreToldPlainly) {
  const CliResult missing = run("import '" + folder_.file("missing.json") + "'");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, AllOf(HasSubstr("missing.json"), HasSubstr("check the path")));
  const CliResult directory = run("import '" + folder_.file("") + "'");
  EXPECT_EQ(directory.exit_code, 1);
  EXPECT_THAT(directory.err, HasSubstr("is a folder"));
  writeFile(folder_.file("bad.json"), "{\"format\": \"other\"}");
  const CliResult bad = run("import '" + folder_.file("bad.json") + "'");
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.err, AllOf(HasSubstr("bad.json: "), HasSubstr("format")));
  EXPECT_EQ(run("export --output /missing/folder/file").exit_code, 1);
  const CliResult nothing = run("export --run 1 --output '" + folder_.file("p.json") + "'");
  EXPECT_EQ(nothing.exit_code, 0) << "policies belong to environment and program, not to one run: " << nothing.err;
}

}  // namespace
}  // namespace starling::cli
