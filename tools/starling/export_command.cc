#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algos/catalogue.h"
#include "command_options.h"
#include "commands.h"
#include "json_text.h"
#include "policy_key.h"
#include "recording.h"
#include "store/policy_document.h"
#include "store/reader.h"
#include "terminal.h"
#include "text_file.h"

namespace starling::cli {
namespace {

struct ExportArguments {
  std::string format = "json";
  std::string run = "latest";
  std::string output;
};

// What rules for all calls alike have to know of these.
struct RecordedCalls {
  std::map<PolicyKey, double> seconds{};  // in allreduce, of the keys that policies speak of
  bool all_commute = true;                // the operations of all of them, also where there is no policy
};

// Returns it over all runs like this one, since policies are of all of these.
Result<RecordedCalls> callsOfRunsLike(const RunRow& run, const Reader& reader) {
  const Result<std::vector<RunRow>> runs = reader.runs();
  if (!runs.isOk()) return runs.status();
  RecordedCalls calls;
  for (const RunRow& other : runs.value()) {
    if (other.run.program != run.run.program || !(other.run.environment == run.run.environment)) continue;
    const Result<std::vector<KeyRow>> keys = reader.keys(other.number);
    if (!keys.isOk()) return keys.status();
    for (const KeyRow& row : keys.value()) {
      const KeyId& id = row.key.id;
      calls.seconds[{id.site, row.communicator.size, id.size_class, id.type, id.operation}] +=
          row.key.seconds.value_or(0.0);
      if (!isKnownToCommute(id.type, id.operation)) calls.all_commute = false;
    }
  }
  return calls;
}

// Returns a row for each policy of the document, which says in front where it was learned.
std::string policiesCsv(const std::string& document) {
  const Json json = Json::parse(document);
  Json rows = Json::array();
  for (const Json& policy : json["policies"]) {
    Json row;
    row["program"] = json["program"];
    row.update(json["environment"]);
    row.update(policy);
    rows.push_back(std::move(row));
  }
  return formatCsv(rows);
}

// Returns a warning where the text of a document does not hold the names that are in it, since JSON is UTF-8.
std::vector<std::string> warnOfLostNames(const PolicyDocument& document, const std::string& text) {
  const Result<PolicyDocument> read = parsePolicyJson(text);
  if (!read.isOk()) return {"`starling import` will refuse this: " + read.status().message()};
  const bool is_program_lost = read.value().program != document.program;
  std::size_t lost = 0;
  for (std::size_t i = 0; i < document.policies.size(); ++i) {
    lost += is_program_lost || read.value().policies[i].site != document.policies[i].site ? 1 : 0;
  }
  if (lost == 0) return {};
  return {
      fmt::format("names of programs or labels that are not UTF-8 are changed ({} of {} policies): no run finds these "
                  "policies by them after an import; name labels in UTF-8",
                  lost, document.policies.size())};
}

// What is to be exported: all policies of one program and environment.
Export exportDocument(const std::string& format, const PolicyDocument& document) {
  const std::string text = formatPolicyJson(document);
  return Export{format == "json" ? text : policiesCsv(text), warnOfLostNames(document, text)};
}

Export exportRules(std::vector<PolicyRecord> policies, const RecordedCalls& calls) {
  std::vector<WeightedPolicy> weighted;
  for (PolicyRecord& policy : policies) {
    const auto known = calls.seconds.find(keyOf(policy));
    weighted.push_back({std::move(policy), known == calls.seconds.end() ? 0.0 : known->second});
  }
  std::vector<OpenMpiCounterpart> counterparts;
  for (const Algorithm& algorithm : catalogue()) {
    const std::optional<std::size_t> segments = findParameter(algorithm, kSegmentsParameter);
    const std::int64_t usual_segments = segments ? defaultParameters(algorithm)[*segments] : 0;
    counterparts.push_back({algorithm.name, algorithm.openmpi_nearest, algorithm.openmpi_is_same, usual_segments});
  }
  return exportOpenMpiRules(weighted, counterparts, calls.all_commute);
}

constexpr const char* kOpenMpiRules = "ompi-rules";

Outcome writeExport(const Export& result, const std::string& output) {
  for (const std::string& warning : result.warnings) show(stderr, "starling: {}\n", warning);
  return writeText(result.text, output);
}

// Where there is no run policies may have been imported.
Outcome exportImported(const ExportArguments& arguments, const Reader& reader, const Status& no_run) {
  const Result<std::vector<StoredPolicy>> stored = reader.allPolicies();
  if (!stored.isOk()) return Outcome::fault(stored.status());
  if (stored.value().empty()) return Outcome::fault(no_run);
  const StoredPolicy& first = stored.value().front();
  PolicyDocument document{first.environment, first.program, {}};
  for (const StoredPolicy& one : stored.value()) {
    if (one.program != first.program || !(one.environment == first.environment)) {
      return Outcome::fault(
          "the database holds no run, and policies of several programs or environments, which do not go into one "
          "document: `starling policies` lists them");
    }
    document.policies.push_back(one.policy);
  }
  if (arguments.format != kOpenMpiRules)
    return writeExport(exportDocument(arguments.format, document), arguments.output);
  return writeExport(exportRules(std::move(document.policies), {}), arguments.output);
}

Outcome exportRun(const ExportArguments& arguments, const std::string& database) {
  const Result<Reader> reader = Reader::open(database);
  if (!reader.isOk()) return Outcome::fault(reader.status());
  Result<std::vector<RunRow>> runs = reader.value().runs();
  if (!runs.isOk()) return Outcome::fault(runs.status());
  const bool is_any_run = !runs.value().empty();
  const Result<std::vector<RunRow>> chosen = chooseRuns(std::move(runs).value(), arguments.run);
  if (!chosen.isOk()) {
    const bool may_be_imported = !is_any_run && arguments.run == "latest";
    return may_be_imported ? exportImported(arguments, reader.value(), chosen.status())
                           : Outcome::fault(chosen.status());
  }
  const RunRow& run = chosen.value().back();
  Result<std::vector<PolicyRecord>> policies = reader.value().policies(run.number);
  if (!policies.isOk()) return Outcome::fault(policies.status());
  if (policies.value().empty()) {
    return Outcome::fault(
        fmt::format("nothing was learned yet for run {} of {}: run it longer, `starling sites` shows "
                    "how far each site is; with STARLING_MODE=observe, STARLING_ALGORITHM or STARLING_REPRODUCIBLE "
                    "nothing is learned",
                    run.number, run.run.program));
  }
  if (arguments.format != kOpenMpiRules) {
    const PolicyDocument document{run.run.environment, run.run.program, std::move(policies).value()};
    return writeExport(exportDocument(arguments.format, document), arguments.output);
  }
  const Result<RecordedCalls> calls = callsOfRunsLike(run, reader.value());
  if (!calls.isOk()) return Outcome::fault(calls.status());
  return writeExport(exportRules(std::move(policies).value(), calls.value()), arguments.output);
}

}  // namespace

Action setUpExport(CLI::App& command, const Globals& globals) {
  const auto arguments = std::make_shared<ExportArguments>();
  command
      .add_option("--format", arguments->format,
                  "A policy document, which `starling import` reads; a table for spreadsheets; or rules for Open MPI "
                  "(default: json)")
      ->option_text("json|csv|ompi-rules")
      ->check(oneOf("format", {"json", "csv", "ompi-rules"}));
  addSingleRunOption(command, arguments->run, "exported");
  addOutputOption(command, arguments->output);
  command.footer(
      "What later runs like that one start from: the policies of its program and environment, also those that other\n"
      "runs of it have learned. `starling policies --run N` lists those that one run has learned. Of a database that\n"
      "has no run, as after `starling import`, all policies are exported, if they are of one program and environment.");
  return [arguments, &globals] { return exportRun(*arguments, globals.databaseInForce()); };
}

}  // namespace starling::cli
