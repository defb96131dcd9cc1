#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "algos/catalogue.h"
#include "base/nearest_word.h"
#include "base/text_file.h"
#include "base/text_format.h"
#include "choices.h"
#include "command_options.h"
#include "commands.h"
#include "element_type.h"
#include "json_text.h"
#include "listing.h"
#include "simulation.h"
#include "terminal.h"
#include "timeline.h"
#include "units_parse.h"

namespace starling::cli {
namespace {

constexpr std::int32_t kEventRanks = 8;     // the transfers of a single algorithm are listed up to here
constexpr std::size_t kTimelineWidth = 96;  // characters
constexpr std::int32_t kMaximumRanks = 1024;

struct SimulateArguments {
  std::int32_t ranks = 8;
  std::string count = "1Mi";
  std::string type = "float";
  std::vector<std::string> late;
  std::string alpha = "25us";
  std::string overhead = "0";
  std::string release = "0";
  std::string beta = "8ns";
  std::string gamma = "0";
  std::int32_t ports = 1;
  bool shared = false;
  std::vector<std::string> algorithms;
  std::int32_t ranks_per_node = 1;
  std::string inner_alpha = "500ns";
  std::string inner_beta = "0.2ns";
  std::string links;
  bool is_unsorted = false;
  bool predicted = false;
  std::vector<std::string> timeline;
  ListOptions list;
};

// Makes a scenario of the arguments. REQUIRES: every text has passed its check.
Scenario scenarioOf(const SimulateArguments& arguments) {
  Scenario scenario;
  scenario.ranks = arguments.ranks;
  scenario.count = parseCount(arguments.count).value();
  scenario.element_size = parseElementType(arguments.type).value();
  for (const std::string& late : arguments.late) scenario.late.push_back(parseLateRank(late).value());
  scenario.model.alpha = parseDuration(arguments.alpha).value();
  scenario.model.overhead = parseDuration(arguments.overhead).value();
  scenario.model.release = parseDuration(arguments.release).value();
  scenario.model.beta = parseDuration(arguments.beta).value().value;
  scenario.model.gamma = parseDuration(arguments.gamma).value().value;
  scenario.model.ports = arguments.ports;
  scenario.model.shared = arguments.shared;
  scenario.sorted = !arguments.is_unsorted;
  scenario.predicted = arguments.predicted;
  if (arguments.ranks_per_node == 1) return scenario;
  scenario.model.inner_alpha = parseDuration(arguments.inner_alpha).value();
  scenario.model.inner_beta = parseDuration(arguments.inner_beta).value().value;
  scenario.ranks_per_node = arguments.ranks_per_node;
  return scenario;
}

// Refuses 0, which would say that nodes make no difference.
Result<Seconds> parseInnerAlpha(std::string_view text) {
  Result<Seconds> alpha = parseDuration(text);
  if (alpha.isOk() && alpha.value() <= Seconds{}) return Status::error("it must be above zero, as in 500ns");
  return alpha;
}

// Returns no links where no file is given.
Result<std::vector<std::int32_t>> readLinks(const std::string& path) {
  if (path.empty()) return std::vector<std::int32_t>{};
  const Result<std::string> text = readTextFile(path);
  if (!text.isOk()) return Status::error(fmt::format("--links: {} {}", path, text.status().message()));
  Result<std::vector<std::int32_t>> links = parseLinks(text.value());
  if (!links.isOk()) return Status::error(fmt::format("--links: {}: {}", path, links.status().message()));
  return links;
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.0f} %", 100.0 * *share) : "-";
}

Json predictionJson(const Prediction& prediction) {
  Json row;
  row["algorithm"] = prediction.choice;
  row["elapsed"] = prediction.elapsed.value;
  row["post_arrival"] = prediction.post_arrival.value;
  row["ratio_to_ring"] = optionalJson(prediction.ratio_to_ring);
  row["elapsed_ratio_to_ring"] = optionalJson(prediction.elapsed_ratio_to_ring);
  row["share_of_saving"] = optionalJson(prediction.share_of_saving);
  row["transfers"] = optionalJson(prediction.transfer_count);
  return row;
}

const ListShape<Prediction>& predictionsShape() {
  static const ListShape<Prediction> kShape = {
      {{"ALGORITHM", ColumnKind::kText, "algorithm", [](const Prediction& one) { return one.choice; }},
       {"ELAPSED", ColumnKind::kFigure, "elapsed", [](const Prediction& one) { return formatDuration(one.elapsed); }},
       {"POST-ARRIVAL", ColumnKind::kFigure, "post_arrival",
        [](const Prediction& one) { return formatDuration(one.post_arrival); }},
       {"OVER RING", ColumnKind::kFigure, "ratio_to_ring",
        [](const Prediction& one) { return formatRatio(one.ratio_to_ring); }},
       {"SHARE OF SAVING", ColumnKind::kFigure, "share_of_saving",
        [](const Prediction& one) { return percent(one.share_of_saving); }}},
      predictionJson};
  return kShape;
}

Json comparisonJson(const Scenario& scenario, const Comparison& comparison,
                    const std::vector<Prediction>& predictions) {
  Json json;
  json["ranks"] = scenario.ranks;
  json["count"] = scenario.count;
  json["bytes"] = scenario.count * scenario.element_size.value;
  json["alpha"] = scenario.model.alpha.value;
  json["overhead"] = scenario.model.overhead.value;
  json["release"] = scenario.model.release.value;
  json["beta"] = scenario.model.beta;
  json["gamma"] = scenario.model.gamma;
  json["ports"] = scenario.model.ports;
  json["shared_ports"] = scenario.model.shared;
  json["ranks_per_node"] = scenario.ranks_per_node;
  json["inner_alpha"] = scenario.model.inner_alpha.value;
  json["inner_beta"] = scenario.model.inner_beta;
  json["table"] = comparison.table;
  json["arrivals"] = Json::array();
  for (const Seconds arrival : comparison.arrivals) json["arrivals"].push_back(arrival.value);
  json["algorithms"] = recordsOf(predictionsShape(), predictions);
  json["skipped"] = comparison.skipped;
  return json;
}

void printTimeline(const Comparison& comparison) {
  std::vector<Drawing> drawings;
  for (const Prediction& prediction : comparison.predictions) {
    drawings.push_back({fmt::format("{}: elapsed {}, post-arrival {}", prediction.choice,
                                    formatDuration(prediction.elapsed), formatDuration(prediction.post_arrival)),
                        &prediction.call});
  }
  fmt::print("{}", formatTimeline(drawings, comparison.arrivals, comparison.table, kTimelineWidth));
  if (drawings.size() == 1 && comparison.table.size() <= kEventRanks) {
    fmt::print("{}", formatTransfers(*drawings.front().call, comparison.table));
  }
}

Json callJson(const Prediction& prediction) {
  Json json;
  json["algorithm"] = prediction.choice;
  json["exits"] = Json::array();
  for (const Seconds exit : prediction.call.exits) json["exits"].push_back(exit.value);
  json["transfers"] = Json::array();
  for (const Transfer& transfer : prediction.call.transfers) {
    json["transfers"].push_back({{"source", transfer.source},
                                 {"target", transfer.target},
                                 {"offset", transfer.block.offset},
                                 {"count", transfer.block.count},
                                 {"reduces", transfer.kind == StepKind::kReduce},
                                 {"start", transfer.start.value},
                                 {"end", transfer.end.value}});
  }
  return json;
}

Json timelineJson(const Scenario& scenario, const Comparison& comparison) {
  Json json = comparisonJson(scenario, comparison, comparison.predictions);
  json["timelines"] = Json::array();
  for (const Prediction& prediction : comparison.predictions) json["timelines"].push_back(callJson(prediction));
  return json;
}

void printComparison(const Scenario& scenario, const Comparison& comparison, const ListOptions& options,
                     const Look& look) {
  const std::vector<Prediction> predictions = arranged(predictionsShape(), comparison.predictions, options);
  if (options.json) {
    fmt::print("{}", formatJson(comparisonJson(scenario, comparison, predictions)));
    return;
  }
  fmt::print("{}", formatList(predictionsShape(), predictions, options, look));
  if (options.csv) return;
  for (const std::string& sentence : comparison.skipped) show("Left out: {}.\n", sentence);
  const auto is_in_memory = [](const Prediction& one) {
    return runsInMemory(parseChoice(one.choice).value().algorithm);
  };
  if (std::ranges::any_of(predictions, is_in_memory)) {
    show("node and node_read are shown as messages: a program runs them where all ranks share a node's memory.\n");
  }
}

// Returns what is wrong with the names that an option takes.
Status checkNames(const std::vector<std::string>& choices, const char* option) {
  for (const std::string& choice : choices) {
    const Status parsed = parseChoice(choice).status();
    if (!parsed.isOk()) return Status::error(fmt::format("{}: {}", option, parsed.message()));
  }
  return Status::ok();
}

Outcome simulateCall(const SimulateArguments& arguments, const Look& look) {
  const bool draws = !arguments.timeline.empty();
  const std::vector<std::string> choices = splitChoices(draws ? arguments.timeline : arguments.algorithms);
  const Status named = checkNames(choices, draws ? "--timeline" : "--algorithm");
  if (!named.isOk()) return Outcome::usage(named.message());
  Scenario scenario = scenarioOf(arguments);
  Result<std::vector<std::int32_t>> links = readLinks(arguments.links);
  if (!links.isOk()) return Outcome::usage(links.status().message());
  scenario.links = std::move(links).value();
  const Result<Comparison> comparison = draws ? trace(scenario, choices) : compare(scenario, choices);
  if (!comparison.isOk()) return Outcome::usage(comparison.status().message());
  if (!draws) {
    printComparison(scenario, comparison.value(), arguments.list, look);
  } else if (arguments.list.json) {
    fmt::print("{}", formatJson(timelineJson(scenario, comparison.value())));
  } else {
    printTimeline(comparison.value());
  }
  return Outcome::ok();
}

void addScenarioOptions(CLI::App& command, SimulateArguments& arguments) {
  command.add_option("--ranks", arguments.ranks, "Ranks (default: 8)")
      ->option_text("P")
      ->check(CLI::Range(1, kMaximumRanks));
  command.add_option("--count", arguments.count, "Elements, as in 1000, 64Ki, 1M (default: 1Mi)")
      ->option_text("N")
      ->check(checkedBy(parseCount));
  command.add_option("--type", arguments.type, "Type of an element (default: float)")
      ->option_text("TYPE")
      ->check(checkedBy(parseElementType));
  command.add_option("--late", arguments.late, "A rank that comes late, as in 3:50ms; may be given for several ranks")
      ->option_text("RANK:DURATION")
      ->allow_extra_args(false)
      ->check(checkedBy(parseLateRank));
  command.add_flag("--no-sort", arguments.is_unsorted,
                   "Leave the virtual-rank table as the ranks are, not sorted by lateness");
}

void addModelOptions(CLI::App& command, SimulateArguments& arguments) {
  command.add_option("--alpha", arguments.alpha, "Time before the first byte of a message arrives (default: 25us)")
      ->option_text("DURATION")
      ->check(checkedBy(parseDuration));
  command
      .add_option("--overhead", arguments.overhead, "Of that, what a port is busy with for each message (default: 0)")
      ->option_text("DURATION")
      ->check(checkedBy(parseDuration));
  command
      .add_option("--release", arguments.release,
                  "Of the rest, what a sender waits for before its next message (default: 0)")
      ->option_text("DURATION")
      ->check(checkedBy(parseDuration));
  command.add_option("--beta", arguments.beta, "Time of one byte on the wire (default: 8ns, 1 Gbit/s)")
      ->option_text("DURATION")
      ->check(checkedBy(parseDuration));
  command.add_option("--gamma", arguments.gamma, "Time to reduce one byte (default: 0)")
      ->option_text("DURATION")
      ->check(checkedBy(parseDuration));
  CLI::Option* per_node =
      command
          .add_option("--ranks-per-node", arguments.ranks_per_node,
                      "Ranks on each node, in order; they share its ports to other nodes (default: 1)")
          ->option_text("N")
          ->check(CLI::Range(1, kMaximumRanks));
  command.add_option("--inner-alpha", arguments.inner_alpha, "As --alpha between ranks of one node (default: 500ns)")
      ->option_text("DURATION")
      ->needs(per_node)
      ->check(checkedBy(parseInnerAlpha));
  command.add_option("--inner-beta", arguments.inner_beta, "As --beta between ranks of one node (default: 0.2ns)")
      ->option_text("DURATION")
      ->needs(per_node)
      ->check(checkedBy(parseDuration));
  command
      .add_option(
          "--links", arguments.links,
          "File with a row and a column for each rank: how much its links carry. topology_tree follows them; the "
          "times are those of equal links")
      ->option_text("FILE");
  CLI::Option* ports =
      command.add_option("--ports", arguments.ports, "Transfers that a rank may have in flight each way (default: 1)")
          ->option_text("N")
          ->check(CLI::Range(1, 1024));
  command.add_flag("--shared-ports", arguments.shared, "Transfers share the ports instead of taking turns at them")
      ->excludes(ports);
}

}  // namespace

Action setUpSimulate(CLI::App& command, const Globals& globals) {
  const auto arguments = std::make_shared<SimulateArguments>();
  addScenarioOptions(command, *arguments);
  addModelOptions(command, *arguments);
  CLI::Option* algorithms =
      command
          .add_option("--algorithm", arguments->algorithms,
                      "Algorithms with their parameters, as in ring,slt:segments=64 (default: all that are valid)")
          ->option_text("NAME,...")
          ->check(offering(algorithmNames()))
          ->allow_extra_args(false);
  CLI::Option* predicted =
      command.add_flag("--predicted", arguments->predicted,
                       "Predict as the tuner does: of 16 ranks and more, from calls of fewer ranks");
  CLI::Option* timeline =
      command
          .add_option("--timeline", arguments->timeline,
                      "Draw what each rank does under these algorithms, one below the other on one time scale")
          ->option_text("NAME,...")
          ->check(offering(algorithmNames()))
          ->allow_extra_args(false)
          ->excludes(algorithms)
          ->excludes(predicted);
  addListOptions(command, arguments->list, predictionsShape().names());
  for (const char* option : {"--csv", "--sort", "--limit", "--reverse"}) timeline->excludes(command.get_option(option));
  command.footer(
      "POST-ARRIVAL is the mean exit minus the last arrival. OVER RING divides ring's by it. SHARE OF SAVING is the "
      "part\n"
      "of ring's post-arrival time above bytes x beta (the bound when one rank is late) that is saved.");
  return [arguments, &globals] { return simulateCall(*arguments, globals.look()); };
}

}  // namespace starling::cli
