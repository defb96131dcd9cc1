#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text_format.h"
#include "command_options.h"
#include "commands.h"
#include "key_tone.h"
#include "listing.h"
#include "place.h"
#include "recording.h"
#include "store/reader.h"
#include "symbolizer.h"
#include "terminal.h"

namespace starling::cli {
namespace {

// A policy as it is listed.
struct ListedPolicy {
  StoredPolicy stored;
  std::optional<std::int64_t> run{};  // that learned it; empty: it was imported, or that run was removed
  std::string where;                  // the site's name
};

std::optional<std::int64_t> runOf(const StoredPolicy& stored, const std::vector<RunRow>& runs) {
  if (!stored.run_id) return std::nullopt;
  const auto found = std::ranges::find(runs, *stored.run_id, [](const RunRow& row) { return row.run.id; });
  return found == runs.end() ? std::nullopt : std::optional(found->number);
}

using SiteNames = std::map<std::string, std::string>;  // by identity

// Names the sites of all runs, also of those that were removed.
Result<SiteNames> siteNames(const Reader& reader) {
  const auto sites = reader.sites();
  if (!sites.isOk()) return sites.status();
  SiteNames names;
  Symbolizer symbolizer;
  for (const SiteRow& row : sites.value()) {
    const SiteRecord& site = row.site;
    names[site.identity] = describeSite(site, symbolizer.locate(site.module, site.build_id, site.offset));
  }
  return names;
}

Json policyJson(const ListedPolicy& listed) {
  const PolicyRecord& policy = listed.stored.policy;
  Json json;
  json["program"] = listed.stored.program;
  json["ranks"] = policy.communicator_size;
  const Environment& environment = listed.stored.environment;
  json["world_ranks"] = environment.ranks;
  json["nodes"] = environment.nodes;
  json["ranks_per_node"] = environment.ranks_per_node;
  json["processor"] = environment.processor;
  json["mpi_version"] = environment.mpi_version;
  json["transport"] = environment.transport;
  json["site"] = policy.site;
  json["size_class"] = policy.size_class;
  json["type"] = policy.type;
  json["operation"] = policy.operation;
  json["choice"] = policy.choice;
  json["gain"] = optionalJson(policy.gain);
  json["reason"] = policy.reason;
  json["run"] = optionalJson(listed.run);
  return json;
}

const ListShape<ListedPolicy>& policiesShape() {
  using Policy = ListedPolicy;
  static const ListShape<Policy> kShape = {
      {{"PROGRAM", ColumnKind::kText, "program", [](const Policy& one) { return one.stored.program; }},
       {"RANKS", ColumnKind::kFigure, "ranks",
        [](const Policy& one) { return std::to_string(one.stored.policy.communicator_size); }},
       {"NODES", ColumnKind::kFigure, "nodes",
        [](const Policy& one) { return std::to_string(one.stored.environment.nodes); }},
       {"TRANSPORT", ColumnKind::kText, "transport",
        [](const Policy& one) {
          return std::string(one.stored.environment.transport == "shared_memory" ? "memory" : "network");
        }},
       {"SITE",
        ColumnKind::kText,
        "site",
        [](const Policy& one) { return one.where; },
        {},
        [](const Policy& one) { return Json(one.where); }},
       {"UP TO", ColumnKind::kFigure, "size_class",
        [](const Policy& one) { return formatBytes(Bytes{lastByteOf(one.stored.policy.size_class)}); }},
       {"TYPE", ColumnKind::kText, "type", [](const Policy& one) { return one.stored.policy.type; }},
       {"OPERATION", ColumnKind::kText, "operation", [](const Policy& one) { return one.stored.policy.operation; }},
       {"ALGORITHM", ColumnKind::kText, "choice", [](const Policy& one) { return one.stored.policy.choice; }},
       {"GAIN", ColumnKind::kFigure, "gain", [](const Policy& one) { return formatRatio(one.stored.policy.gain); },
        [](const Policy& one) { return toneOfGain(one.stored.policy.gain); }},
       {"FROM", ColumnKind::kText, "run",
        [](const Policy& one) {
          return one.run ? fmt::format("run {}", *one.run) : "import, or a run that was removed";
        }}},
      policyJson};
  return kShape;
}

struct PoliciesArguments {
  std::string run = "all";
  ListOptions list;
};

// Returns the policies of all runs, or those that the run learned that is asked for.
Result<std::vector<ListedPolicy>> policiesOf(const std::string& run_choice, const Reader& reader) {
  const Result<std::vector<RunRow>> runs = reader.runs();
  if (!runs.isOk()) return runs.status();
  std::optional<std::int64_t> wanted;
  if (run_choice != "all") {
    const Result<std::vector<RunRow>> chosen = chooseRuns(runs.value(), run_choice);
    if (!chosen.isOk()) return chosen.status();
    wanted = chosen.value().front().number;
  }
  const Result<SiteNames> names = siteNames(reader);
  if (!names.isOk()) return names.status();
  const Result<std::vector<StoredPolicy>> policies = reader.allPolicies();
  if (!policies.isOk()) return policies.status();
  std::vector<ListedPolicy> listed;
  for (const StoredPolicy& stored : policies.value()) {
    const std::optional<std::int64_t> run = runOf(stored, runs.value());
    if (wanted && run != wanted) continue;
    const auto name = names.value().find(stored.policy.site);
    listed.push_back({stored, run, name == names.value().end() ? stored.policy.site : name->second});
  }
  return listed;
}

Outcome listPolicies(const PoliciesArguments& arguments, const std::string& database, const Look& look) {
  const Result<Reader> reader = Reader::open(database);
  if (!reader.isOk()) return Outcome::fault(reader.status());
  Result<std::vector<ListedPolicy>> policies = policiesOf(arguments.run, reader.value());
  if (!policies.isOk()) return Outcome::fault(policies.status());
  if (policies.value().empty() && !arguments.list.isForPrograms()) {
    show("{} has no policy{}: nothing was learned to its end, nor imported.\n", database,
         arguments.run == "all" ? "" : " of that run");
    return Outcome::ok();
  }
  const auto rows = arranged(policiesShape(), std::move(policies).value(), arguments.list);
  fmt::print("{}", formatList(policiesShape(), rows, arguments.list, look));
  return Outcome::ok();
}

}  // namespace

Action setUpPolicies(CLI::App& command, const Globals& globals) {
  const auto arguments = std::make_shared<PoliciesArguments>();
  addRunOption(command, arguments->run, "Those that a run learned");
  addListOptions(command, arguments->list, policiesShape().names());
  command.footer(
      "What later runs of a program start from, where ranks, nodes, processors, MPI library and transport are the "
      "same.\nGAIN is native's time over that of the algorithm; a SITE that is \"any\" stands for all.");
  return [arguments, &globals] { return listPolicies(*arguments, globals.databaseInForce(), globals.look()); };
}

}  // namespace starling::cli
