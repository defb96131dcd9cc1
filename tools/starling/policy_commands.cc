#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "algos/catalogue.h"
#include "base/signature_names.h"
#include "base/text_format.h"
#include "command_options.h"
#include "commands.h"
#include "json_text.h"
#include "recording.h"
#include "store/database.h"
#include "store/policy_document.h"
#include "store/reader.h"
#include "terminal.h"
#include "text_file.h"

namespace starling::cli {
namespace {

constexpr const char* kStandardInput = "-";

struct ExportArguments {
  std::string format = "json";
  std::string run = "latest";
  std::string output;
};

// Policies that are equal in all of this are for the same calls.
using PolicyKey = std::tuple<std::string, std::int32_t, std::int32_t, std::string, std::string>;

PolicyKey keyOf(const PolicyRecord& policy) {
  return {policy.site, policy.communicator_size, policy.size_class, policy.type, policy.operation};
}

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

// No document is so long, which is read as a whole.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

Result<std::string> readText(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Status::error(fmt::format("{} is a folder: give a policy document, as `starling export` writes it", path));
  }
  std::string text;
  std::ifstream file;
  if (path != kStandardInput) file.open(path, std::ios::binary);
  std::istream& input = path == kStandardInput ? std::cin : file;
  std::array<char, 65536> part{};
  while (input && text.size() <= kMostBytes) {
    input.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(input.gcount()));
  }
  if (text.size() > kMostBytes) {
    return Status::error(fmt::format("{} is longer than {}: give a policy document, as `starling export` writes it",
                                     path, formatBytes(Bytes{kMostBytes})));
  }
  if (!input.eof()) return Status::error(fmt::format("cannot read {}: check the path and its permissions", path));
  return text;
}

// Checks that a run would use the choice for such calls, whose names are known.
Status checkUse(const PolicyRecord& policy, const Choice& choice, const std::string& where) {
  if (policy.type == kDerivedType || policy.type.ends_with(kOnDevice)) {
    return Status::error(fmt::format(
        "{}.type: is \"{}\"; calls of such types are left to the MPI library, so that no run would use this", where,
        policy.type));
  }
  if (policy.communicator_size < 2) {
    return Status::error(
        fmt::format("{}.communicator_size: is {}; expected 2 or more, as calls of one rank are left to the MPI library",
                    where, policy.communicator_size));
  }
  const Shape shape{.ranks = policy.communicator_size,
                    .count = lastByteOf(policy.size_class),
                    .commutative = policy.operation != kUserNonCommutativeOperation};
  if (choice.algorithm == kNativeAlgorithm || isValid(*findAlgorithm(choice.algorithm), shape)) return Status::ok();
  return Status::error(
      fmt::format("{}.choice: is \"{}\", which does not suit {} on {}; `starling algorithms` says which "
                  "do",
                  where, policy.choice, policy.operation, formatCount(policy.communicator_size, "rank")));
}

// Checks what the store knows nothing of.
Status checkNames(const PolicyDocument& document) {
  if (document.policies.empty()) return Status::error("policies: is empty; there is nothing to import");
  for (std::size_t i = 0; i < document.policies.size(); ++i) {
    const PolicyRecord& policy = document.policies[i];
    const Result<Choice> choice = parseChoice(policy.choice);
    if (!choice.isOk()) return Status::error(fmt::format("policies[{}].choice: {}", i, choice.status().message()));
    if (!isTypeName(policy.type)) {
      return Status::error(
          fmt::format("policies[{}].type: is \"{}\"; expected a type as `starling sites` shows them, "
                      "as in \"float\" or \"int64\"",
                      i, policy.type));
    }
    if (!isOperationName(policy.operation)) {
      return Status::error(
          fmt::format("policies[{}].operation: is \"{}\"; expected an operation as `starling sites` "
                      "shows them, as in \"sum\" or \"max\"",
                      i, policy.operation));
    }
    if (Status use = checkUse(policy, choice.value(), fmt::format("policies[{}]", i)); !use.isOk()) return use;
  }
  return Status::ok();
}

std::set<PolicyKey> keysOf(const std::vector<PolicyRecord>& policies) {
  std::set<PolicyKey> keys;
  for (const PolicyRecord& policy : policies) keys.insert(keyOf(policy));
  return keys;
}

struct ImportCounts {
  std::int64_t added = 0;
  std::int64_t replaced = 0;
};

// Of several policies of the document for the same calls the last one is what is there afterwards: they count as one.
Result<ImportCounts> countImported(Database& database, const PolicyDocument& document) {
  const auto present = database.policies(document.environment, document.program);
  if (!present.isOk()) return present.status();
  const std::set<PolicyKey> former = keysOf(present.value());
  ImportCounts counts;
  for (const PolicyKey& key : keysOf(document.policies)) ++(former.contains(key) ? counts.replaced : counts.added);
  return counts;
}

Outcome importFile(const std::string& path, const std::string& database_path) {
  const Result<std::string> text = readText(path);
  if (!text.isOk()) return Outcome::fault(text.status());
  const Result<PolicyDocument> document = parsePolicyJson(text.value());
  if (!document.isOk()) {
    const bool is_other = text.value().find_first_not_of(" \t\r\n") != text.value().find('{');
    return Outcome::fault(path + ": " + document.status().message() +
                          (is_other ? "; tables and rules that it writes for other programs cannot be imported" : ""));
  }
  if (const Status checked = checkNames(document.value()); !checked.isOk()) {
    return Outcome::fault(path + ": policy document, " + checked.message());
  }
  Result<Database> database = Database::open(database_path);
  if (!database.isOk()) return Outcome::fault(database.status());
  const Result<ImportCounts> counts = countImported(database.value(), document.value());
  if (!counts.isOk()) return Outcome::fault(counts.status());
  const Status imported = database.value().importPolicies(document.value());
  if (!imported.isOk()) return Outcome::fault(imported);
  const auto [added, replaced] = counts.value();
  const std::int64_t count = added + replaced;
  show("{} of {} {} in {}, {} new and {} in place of what was there; its next run in that environment starts there.\n",
       formatCount(count, "policy"), document.value().program, count == 1 ? "is" : "are", database_path, added,
       replaced);
  return Outcome::ok();
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

Action setUpImport(CLI::App& command, const Globals& globals) {
  const auto path = std::make_shared<std::string>();
  command.add_option("FILE", *path, "A policy document, as `starling export` writes it; - is standard input")
      ->required();
  command.footer(
      "A policy takes the place of one that is there for the same program, environment, site, ranks, size class, type\n"
      "and operation, whoever learned it: a copy of the database keeps what is there, and so does `starling export\n"
      "--run N -o before.json`, where N is a run of that program and environment. A document with a policy that no "
      "run\n"
      "could find or use is refused as a whole. docs/policy-documents.md of Starling's sources describes the format.");
  return [path, &globals] { return importFile(*path, globals.databaseInForce()); };
}

}  // namespace starling::cli
