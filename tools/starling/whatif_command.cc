#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algos/catalogue.h"
#include "base/text_format.h"
#include "choices.h"
#include "command_options.h"
#include "commands.h"
#include "key_json.h"
#include "recording.h"
#include "table.h"
#include "terminal.h"
#include "whatif.h"

namespace starling::cli {
namespace {

constexpr std::int32_t kMostWhatIfRanks = 10'240;
// Above this share of its lateness the latest rank's mean says little of a single call.
constexpr double kMuchVariation = 0.25;
// So far measured calls may be from predictions, as a factor, before that is told.
constexpr double kFarOff = 1.25;
// Where algorithms are further apart in that than this, their order is not as predicted.
constexpr double kTooFarApart = 2.0;

struct WhatIfArguments {
  std::string site;
  std::string run = "latest";
  std::vector<std::string> algorithms;
  std::optional<std::int32_t> ranks;
  std::optional<std::int32_t> on_time;
  bool json = false;
};

std::string knownDuration(const std::optional<Seconds>& time) { return time ? formatDuration(*time) : "-"; }

std::optional<double> measuredTime(const WhatIfRow& row) {
  return row.measured ? row.measured->post_arrival.mean : std::nullopt;
}

void printWhatIfRows(const WhatIf& result, const WhatIfQuery& query) {
  std::vector<Column> columns{
      {"ALGORITHM"}, {"PREDICTED", Align::kRight}, {"MEASURED", Align::kRight}, {"CALLS", Align::kRight}};
  if (query.more_ranks) columns.push_back({fmt::format("ON {} RANKS", *query.more_ranks), Align::kRight});
  columns.push_back({""});
  Table table(columns);
  for (const WhatIfRow& row : result.rows) {
    const std::string calls = row.measured ? std::to_string(row.measured->samples) : "-";
    std::vector<std::string> cells{row.choice, knownDuration(row.predicted), formatDuration(measuredTime(row)), calls};
    if (query.more_ranks) cells.push_back(knownDuration(row.on_more_ranks));
    cells.emplace_back(row.is_in_force ? "in force" : "");
    table.addRow(cells);
  }
  fmt::print("{}", table.text());
}

std::string playedSentence(const WhatIf& result) {
  std::string text = fmt::format(
      "Simulated under the mean arrivals in {} of the run, in which {} timed, with what messages cost in this run "
      "(latency {}, "
      "{} for each KiB)",
      formatCount(result.epochs, "part"),
      formatCount(result.samples, "call") + (result.samples == 1 ? " was" : " were"),
      formatDuration(result.model.alpha), formatDuration(Seconds{1024 * result.model.beta}));
  if (static_cast<std::int64_t>(result.played.size()) < result.epochs) {
    text += fmt::format("; neighbouring ones are joined, so that there are {}",
                        formatCount(static_cast<std::int64_t>(result.played.size()), "pattern"));
  }
  return text + ". Each rank comes at its mean lateness, which the plan knows beforehand.";
}

std::string extensionSentence(std::int32_t recorded, std::int32_t ranks) {
  return fmt::format(
      "ON {0} RANKS is a prediction of what nobody has measured: ranks 0 to {1} come as they were recorded, the {2} "
      "new ones when half of these have come. The vector is as long, a message costs the same, nodes are as full, and "
      "algorithms that were not tried have the parameters that suit {0} ranks.",
      ranks, recorded - 1, ranks - recorded);
}

// Says what a gain of each call comes to in the whole run.
std::string overTheRun(const RecordedKey& key, Seconds earlier) {
  const Seconds all = static_cast<double>(key.row.key.calls) * earlier;
  const std::string run =
      key.run.run.seconds ? fmt::format(", which took {}", formatDuration(key.run.run.seconds)) : "";
  return fmt::format("{} over the {} of this run{}", formatDuration(all), formatCount(key.row.key.calls, "call"), run);
}

// Begins with "Were rank 3 on time", as a sentence.
std::string gainSentence(const RecordedKey& key, const std::string& condition, const ArrivalGain& gain) {
  if (gain.earlier <= Seconds{}) return condition + ", calls would end no earlier.";
  const bool is_less = gain.less_waiting >= Seconds{};
  return fmt::format("{}, each call would end {} earlier, {}. Ranks would wait {} {} for the last one on average.",
                     condition, formatDuration(gain.earlier), overTheRun(key, gain.earlier),
                     formatDuration(is_less ? gain.less_waiting : -1.0 * gain.less_waiting), is_less ? "less" : "more");
}

std::string timesText(double ratio) {
  return ratio < 10.0 ? fmt::format("{:.2g}", ratio) : fmt::format("{:.0f}", ratio);
}

// Returns "" where what was measured is as predicted, or nothing was.
std::string trustSentence(const WhatIf& result) {
  const std::optional<MeasuredOverPredicted> ratio = measuredOverPredicted(result);
  if (!ratio) return "";
  if (ratio->most > kTooFarApart * ratio->least) {
    return fmt::format(
        "Measured calls took from {} to {} times as long as predicted, by algorithm: what was probed does not hold for "
        "all of them, so go by what was measured; neither the order nor the size of predictions is to be relied on.",
        timesText(ratio->least), timesText(ratio->most));
  }
  if (std::max(ratio->median, 1.0 / ratio->median) < kFarOff) return "";
  return fmt::format(
      "Measured calls took {} times as long as predicted, in the median over calls of the algorithms that were tried: "
      "what was probed does not hold for this run as a whole, so go by the order of predictions rather than by their "
      "size.",
      timesText(ratio->median));
}

std::vector<std::string> otherArrivals(const RecordedKey& key, const WhatIf& result) {
  std::vector<std::string> sentences;
  if (result.variation && *result.variation > kMuchVariation) {
    sentences.push_back(fmt::format(
        "The latest rank's lateness differs much from call to call (deviation {:.0f}% of its mean): what follows holds "
        "for the mean alone, and of lateness that does not come from a rank's work nothing would be gained.",
        100.0 * *result.variation));
  }
  if (result.on_time_rank) {
    sentences.push_back(gainSentence(
        key, fmt::format("Were rank {} on time, its extra work gone and not moved to others", *result.on_time_rank),
        result.on_time));
  }
  sentences.push_back(
      gainSentence(key, "Did all ranks come at once, the same work being shared evenly", result.together));
  if (!result.on_time.before) {
    sentences.push_back(fmt::format("What {} takes after the last arrival cannot be simulated, and is taken to stay.",
                                    key.row.key.choice));
  }
  return sentences;
}

void printWhatIf(const RecordedKey& key, const WhatIf& result, const WhatIfQuery& query) {
  show("{}\n", playedSentence(result));
  printWhatIfRows(result, query);
  if (const std::string trust = trustSentence(result); !trust.empty()) show("{}\n", trust);
  for (const std::string& sentence : result.skipped) show("Left out: {}.\n", sentence);
  if (query.more_ranks) show("{}\n", extensionSentence(key.row.communicator.size, *query.more_ranks));
  for (const std::string& sentence : otherArrivals(key, result)) show("{}\n", sentence);
}

Json knownSeconds(const std::optional<Seconds>& time) { return time ? Json(time->value) : Json(nullptr); }

Json patternsJson(const std::vector<RecordedPattern>& patterns) {
  Json json = Json::array();
  for (const RecordedPattern& pattern : patterns) {
    Json row;
    row["samples"] = pattern.samples;
    row["lateness"] = Json::array();
    for (const Seconds lateness : pattern.lateness) row["lateness"].push_back(lateness.value);
    json.push_back(std::move(row));
  }
  return json;
}

Json gainJson(const RecordedKey& key, const ArrivalGain& gain) {
  Json json;
  json["earlier"] = gain.earlier.value;
  json["earlier_in_all_calls"] = static_cast<double>(key.row.key.calls) * gain.earlier.value;
  json["less_waiting"] = gain.less_waiting.value;
  json["post_arrival_before"] = knownSeconds(gain.before);
  json["post_arrival_after"] = knownSeconds(gain.after);
  return json;
}

Json resultJson(const RecordedKey& key, const WhatIf& result, const WhatIfQuery& query) {
  Json json;
  json["epochs"] = result.epochs;
  json["samples"] = result.samples;
  json["alpha"] = result.model.alpha.value;
  json["beta"] = result.model.beta;
  json["patterns"] = patternsJson(result.played);
  json["algorithms"] = Json::array();
  for (const WhatIfRow& row : result.rows) {
    Json one;
    one["algorithm"] = row.choice;
    one["in_force"] = row.is_in_force;
    one["predicted"] = knownSeconds(row.predicted);
    one["measured"] = optionalJson(measuredTime(row));
    one["samples"] = row.measured ? Json(row.measured->samples) : Json(nullptr);
    if (query.more_ranks) one["on_more_ranks"] = knownSeconds(row.on_more_ranks);
    json["algorithms"].push_back(std::move(one));
  }
  const std::optional<MeasuredOverPredicted> ratio = measuredOverPredicted(result);
  json["measured_over_predicted"] = ratio ? Json(ratio->median) : Json();
  json["skipped"] = result.skipped;
  json["on_time_rank"] = optionalJson(result.on_time_rank);
  json["on_time"] = gainJson(key, result.on_time);
  json["together"] = gainJson(key, result.together);
  json["variation"] = optionalJson(result.variation);
  json["more_ranks"] = optionalJson(query.more_ranks);
  if (query.more_ranks) json["patterns_on_more_ranks"] = patternsJson(result.extended);
  return json;
}

Json whatIfJson(const RecordedKey& key, const Result<WhatIf>& result, const WhatIfQuery& query) {
  Json json;
  for (const char* field : {"run", "site", "where", "communicator", "communicator_size", "bytes", "type", "operation",
                            "cycle", "calls", "algorithm"}) {
    json[field] = keyJson(key)[field];
  }
  json["unknown"] = result.isOk() ? Json(nullptr) : Json(result.status().message());
  if (result.isOk()) json.update(resultJson(key, result.value(), query));
  return json;
}

struct Answer {
  const RecordedKey& key;
  Result<WhatIf> result;
};

void printAnswers(const std::vector<Answer>& answers, const WhatIfQuery& query) {
  for (const Answer& answer : answers) {
    const RecordedKey& key = answer.key;
    const std::string& cycle = key.row.key.cycle;
    if (&answer != &answers.front()) fmt::print("\n");
    show("Site {}: {}, {} {}/{}{}, {}, run {}\n", key.siteNumber(), key.where(), formatBytes(Bytes{key.row.key.bytes}),
         key.row.key.id.type, key.row.key.id.operation, cycle.empty() ? "" : ", " + cycle, key.ranks(), key.run.number);
    if (answer.result.isOk()) {
      printWhatIf(key, answer.result.value(), query);
    } else {
      show("{}\n", answer.result.status().message());
    }
  }
}

Outcome askWhatIf(const WhatIfArguments& arguments, const std::string& database) {
  const WhatIfQuery query{splitChoices(arguments.algorithms), arguments.on_time, arguments.ranks};
  for (const std::string& choice : query.choices) {
    const Status parsed = parseChoice(choice).status();
    if (!parsed.isOk()) return Outcome::usage("--algorithm: " + parsed.message());
  }
  const Result<Recording> recording = Recording::open(database, arguments.run);
  if (!recording.isOk()) return Outcome::fault(recording.status());
  const auto keys = recording.value().keysOfSite(arguments.site);
  if (!keys.isOk()) return Outcome::fault(keys.status());
  std::vector<Answer> answers;
  for (const RecordedKey& key : keys.value()) {
    const Result<Evidence> evidence = recording.value().evidence(key);
    if (!evidence.isOk()) return Outcome::fault(evidence.status());
    answers.push_back({key, whatIf(evidence.value(), query)});
  }
  if (std::ranges::none_of(answers, [](const Answer& answer) { return answer.result.isOk(); })) {
    return Outcome::fault(
        fmt::format("site {}: {}", keys.value().front().siteNumber(), answers.front().result.status().message()));
  }
  if (!arguments.json) {
    printAnswers(answers, query);
    return Outcome::ok();
  }
  Json rows = Json::array();
  for (const Answer& answer : answers) rows.push_back(whatIfJson(answer.key, answer.result, query));
  fmt::print("{}", formatJson(rows));
  return Outcome::ok();
}

}  // namespace

Action setUpWhatIf(CLI::App& command, const Globals& globals) {
  const auto arguments = std::make_shared<WhatIfArguments>();
  addSiteArgument(command, arguments->site, true);
  addSingleRunOption(command, arguments->run, "asked about");
  command
      .add_option(
          "--algorithm", arguments->algorithms,
          "Algorithms with their parameters, as in ring,slt:segments=64 (default: all, with the parameters that "
          "were measured)")
      ->option_text("NAME,...")
      ->allow_extra_args(false);
  command.add_option("--ranks", arguments->ranks, "Also predict calls of so many ranks, more than were recorded")
      ->option_text("P")
      ->check(CLI::Range(2, kMostWhatIfRanks));
  command
      .add_option("--on-time", arguments->on_time,
                  "What it would be worth if this rank were on time (default: the one that is latest)")
      ->option_text("RANK")
      ->check(CLI::Range(0, kMostWhatIfRanks - 1));
  command.add_flag("--json", arguments->json, "Print JSON, durations in seconds");
  command.footer(
      "PREDICTED and MEASURED are post-arrival times: mean exit minus last arrival. PREDICTED is simulated, MEASURED "
      "is\n"
      "the mean over CALLS, the timed calls of the run. What is not known is -: native has no schedule to simulate.\n"
      "Calls end earlier by what the last arrival and the post-arrival time come to less.");
  return [arguments, &globals] { return askWhatIf(*arguments, globals.databaseInForce()); };
}

}  // namespace starling::cli
