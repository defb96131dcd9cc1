#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command_options.h"
#include "commands.h"
#include "json_text.h"
#include "store/reader.h"
#include "table.h"
#include "terminal.h"
#include "text_format.h"

namespace starling::cli {
namespace {

// Returns the number of the run that learned the policy; empty: it was imported, or that run was removed.
std::optional<std::int64_t> runOf(const StoredPolicy& stored, const std::vector<RunRow>& runs) {
  if (!stored.run_id) return std::nullopt;
  const auto found = std::ranges::find(runs, *stored.run_id, [](const RunRow& row) { return row.run.id; });
  return found == runs.end() ? std::nullopt : std::optional(found->number);
}

// Returns the largest vector of a size class.
Bytes largestOf(std::int32_t size_class) { return {std::int64_t{1} << size_class}; }

Table policiesTable(const std::vector<StoredPolicy>& policies, const std::vector<RunRow>& runs) {
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
    table.addRow({stored.program, std::to_string(policy.communicator_size), std::to_string(stored.environment.nodes),
                  policy.site, formatBytes(largestOf(policy.size_class)), policy.type, policy.operation, policy.choice,
                  formatRatio(policy.gain), run ? fmt::format("run {}", *run) : "import, or a run that was removed"});
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
    fmt::print("{}", policiesTable(policies.value(), runs.value()).text());
  }
  return Outcome::ok();
}

}  // namespace

Action setUpPolicies(CLI::App& command, const Globals& globals) {
  const auto json = std::make_shared<bool>(false);
  addJsonFlag(command, *json);
  command.footer(
      "What later runs of a program start from, where ranks, nodes, processors, MPI library and transport are the "
      "same.\nGAIN is native's time over that of the algorithm; a SITE that is \"any\" stands for all.");
  return [json, &globals] { return listPolicies(*json, globals.databaseInForce()); };
}

}  // namespace starling::cli
