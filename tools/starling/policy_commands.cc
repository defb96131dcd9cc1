#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "algos/catalogue.h"
#include "base/signature_names.h"
#include "base/text_format.h"
#include "command_options.h"
#include "commands.h"
#include "json_text.h"
#include "place.h"
#include "recording.h"
#include "store/database.h"
#include "store/policy_document.h"
#include "store/reader.h"
#include "table.h"
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

// Returns the time in allreduce of the keys that a policy speaks of.
double secondsOf(const PolicyRecord& policy, const std::vector<RecordedKey>& keys) {
  double seconds = 0.0;
  for (const RecordedKey& recorded : keys) {
    const KeyId& id = recorded.row.key.id;
    if (id.site == policy.site && recorded.row.communicator.size == policy.communicator_size &&
        id.size_class == policy.size_class && id.type == policy.type && id.operation == policy.operation) {
      seconds += recorded.row.key.seconds.value_or(0.0);
    }
  }
  return seconds;
}

Export exportPolicies(const std::string& format, const RunRow& run, std::vector<PolicyRecord> policies,
                      const std::vector<RecordedKey>& keys) {
  if (format == "json") {
    return Export{formatPolicyJson({run.run.environment, run.run.program, std::move(policies)}), {}};
  }
  std::vector<WeightedPolicy> weighted;
  for (PolicyRecord& policy : policies) {
    const double seconds = secondsOf(policy, keys);
    weighted.push_back({std::move(policy), seconds});
  }
  std::vector<OpenMpiCounterpart> counterparts;
  for (const Algorithm& algorithm : catalogue()) {
    counterparts.push_back({algorithm.name, algorithm.openmpi_nearest, algorithm.openmpi_is_same});
  }
  return exportOpenMpiRules(weighted, counterparts);
}

Outcome exportRun(const ExportArguments& arguments, const std::string& database) {
  const Result<Recording> recording = Recording::open(database, arguments.run);
  if (!recording.isOk()) return Outcome::fault(recording.status());
  const RunRow& run = recording.value().runs().back();
  Result<std::vector<PolicyRecord>> policies = recording.value().reader().policies(run.number);
  if (!policies.isOk()) return Outcome::fault(policies.status());
  if (policies.value().empty()) {
    return Outcome::fault(
        fmt::format("nothing was learned yet for run {} of {}: run it longer, `starling sites` shows "
                    "how far each site is",
                    run.number, run.run.program));
  }
  const Export result = exportPolicies(arguments.format, run, std::move(policies).value(), recording.value().keys());
  for (const std::string& warning : result.warnings) show(stderr, "starling: {}\n", warning);
  return writeText(result.text, arguments.output);
}

Result<std::string> readText(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Status::error(fmt::format("{} is a folder: give a policy document, as `starling export` writes it", path));
  }
  std::ostringstream text;
  std::ifstream file;
  if (path != kStandardInput) file.open(path, std::ios::binary);
  std::istream& input = path == kStandardInput ? std::cin : file;
  text << input.rdbuf();
  if (!input) return Status::error(fmt::format("cannot read {}: check the path and its permissions", path));
  return text.str();
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
  }
  return Status::ok();
}

Outcome importFile(const std::string& path, const std::string& database_path) {
  const Result<std::string> text = readText(path);
  if (!text.isOk()) return Outcome::fault(text.status());
  const Result<PolicyDocument> document = parsePolicyJson(text.value());
  if (!document.isOk()) return Outcome::fault(path + ": " + document.status().message());
  if (const Status checked = checkNames(document.value()); !checked.isOk()) {
    return Outcome::fault(path + ": policy document, " + checked.message());
  }
  Result<Database> database = Database::open(database_path);
  if (!database.isOk()) return Outcome::fault(database.status());
  const Status imported = database.value().importPolicies(document.value());
  if (!imported.isOk()) return Outcome::fault(imported);
  const std::int64_t count = std::ssize(document.value().policies);
  show("{} of {} {} in {}; its next run in that environment starts there.\n", formatCount(count, "policy"),
       document.value().program, count == 1 ? "is" : "are", database_path);
  return Outcome::ok();
}

// Returns the number of the run that learned the policy; empty: it was imported, or that run was removed.
std::optional<std::int64_t> runOf(const StoredPolicy& stored, const std::vector<RunRow>& runs) {
  if (!stored.run_id) return std::nullopt;
  const auto found = std::ranges::find(runs, *stored.run_id, [](const RunRow& row) { return row.run.id; });
  return found == runs.end() ? std::nullopt : std::optional(found->number);
}

using SiteNames = std::map<std::string, std::string>;  // by identity

// Names the sites of all runs that are still recorded.
Result<SiteNames> siteNames(const Reader& reader, const std::vector<RunRow>& runs) {
  SiteNames names;
  for (const RunRow& run : runs) {
    const Result<std::vector<KeyRow>> keys = reader.keys(run.number);
    if (!keys.isOk()) return keys.status();
    for (const KeyRow& key : keys.value()) names[key.site.identity] = describeSite(key.site, {});
  }
  return names;
}

Table policiesTable(const std::vector<StoredPolicy>& policies, const std::vector<RunRow>& runs,
                    const SiteNames& names) {
  Table table({{"PROGRAM"},
               {"RANKS", Align::kRight},
               {"NODES", Align::kRight},
               {"SITE"},
               {"UP TO", Align::kRight},
               {"TYPE"},
               {"OPERATION"},
               {"ALGORITHM"},
               {"GAIN", Align::kRight},
               {"FROM"}});
  for (const StoredPolicy& stored : policies) {
    const PolicyRecord& policy = stored.policy;
    const std::optional<std::int64_t> run = runOf(stored, runs);
    const auto name = names.find(policy.site);
    table.addRow({stored.program, std::to_string(policy.communicator_size), std::to_string(stored.environment.nodes),
                  name == names.end() ? policy.site : name->second, formatBytes(Bytes{lastByteOf(policy.size_class)}),
                  policy.type, policy.operation, policy.choice, formatRatio(policy.gain),
                  run ? fmt::format("run {}", *run) : "import, or a run that was removed"});
  }
  return table;
}

Json policyJson(const StoredPolicy& stored, const std::optional<std::int64_t>& run) {
  const PolicyRecord& policy = stored.policy;
  Json json;
  json["program"] = stored.program;
  json["ranks"] = policy.communicator_size;
  json["nodes"] = stored.environment.nodes;
  json["site"] = policy.site;
  json["size_class"] = policy.size_class;
  json["type"] = policy.type;
  json["operation"] = policy.operation;
  json["choice"] = policy.choice;
  json["gain"] = policy.gain ? Json(*policy.gain) : Json();
  json["reason"] = policy.reason;
  json["run"] = run ? Json(*run) : Json();
  return json;
}

Outcome listPolicies(bool json, const std::string& database) {
  const Result<Reader> reader = Reader::open(database);
  if (!reader.isOk()) return Outcome::fault(reader.status());
  const Result<std::vector<RunRow>> runs = reader.value().runs();
  if (!runs.isOk()) return Outcome::fault(runs.status());
  const Result<std::vector<StoredPolicy>> policies = reader.value().allPolicies();
  if (!policies.isOk()) return Outcome::fault(policies.status());
  if (json) {
    Json rows = Json::array();
    for (const StoredPolicy& one : policies.value()) rows.push_back(policyJson(one, runOf(one, runs.value())));
    fmt::print("{}", formatJson(rows));
  } else if (policies.value().empty()) {
    show("{} has no policy: nothing was learned to its end, nor imported.\n", database);
  } else {
    const Result<SiteNames> names = siteNames(reader.value(), runs.value());
    if (!names.isOk()) return Outcome::fault(names.status());
    fmt::print("{}", policiesTable(policies.value(), runs.value(), names.value()).text());
  }
  return Outcome::ok();
}

}  // namespace

Action setUpExport(CLI::App& command, const Globals& globals) {
  const auto arguments = std::make_shared<ExportArguments>();
  command.add_option("--format", arguments->format, "json (a policy document) or ompi-rules (default: json)")
      ->option_text("FORMAT")
      ->check(CLI::IsMember({"json", "ompi-rules"}));
  addSingleRunOption(command, arguments->run, "exported");
  command.add_option("--output", arguments->output, "Write to this file (default: standard output)")
      ->option_text("FILE");
  return [arguments, &globals] { return exportRun(*arguments, globals.databaseInForce()); };
}

Action setUpImport(CLI::App& command, const Globals& globals) {
  const auto path = std::make_shared<std::string>();
  command.add_option("FILE", *path, "A policy document, as `starling export` writes it; - is standard input")
      ->required();
  return [path, &globals] { return importFile(*path, globals.databaseInForce()); };
}

Action setUpPolicies(CLI::App& command, const Globals& globals) {
  const auto json = std::make_shared<bool>(false);
  addJsonFlag(command, *json);
  command.footer(
      "What later runs of a program start from, where ranks, nodes, processors, MPI library and transport are the "
      "same.\nGAIN is native's time over that of the algorithm; a SITE that is \"any\" stands for all.");
  return [json, &globals] { return listPolicies(*json, globals.databaseInForce()); };
}

}  // namespace starling::cli
