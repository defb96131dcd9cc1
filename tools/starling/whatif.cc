#include "whatif.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "call_player.h"
#include "comparison.h"
#include "simulation.h"
#include "summary/arrival_summary.h"
#include "tuner/recorded_costs.h"

namespace starling::cli {
namespace {

// So many patterns are simulated at most; more are joined.
constexpr std::size_t kMostPatterns = 12;

Seconds lastArrival(const RecordedPattern& pattern) { return std::ranges::max(pattern.lateness); }

Seconds meanArrival(const RecordedPattern& pattern) {
  Seconds sum;
  for (const Seconds lateness : pattern.lateness) sum += lateness;
  return (1.0 / static_cast<double>(pattern.lateness.size())) * sum;
}

// Returns the choices that the user asks for, else all of the catalogue: where a row was measured, with the parameters
// that it had there.
std::vector<std::string> choicesAskedFor(const WhatIfQuery& query, std::span<const CandidateSummary> measured,
                                         std::span<const Choice> usual) {
  if (!query.choices.empty()) return query.choices;
  std::vector<std::string> choices;
  for (const CandidateSummary& candidate : measured) choices.push_back(candidate.choice);
  const auto is_measured = [&](const Choice& choice) {
    return std::ranges::any_of(measured, [&](const CandidateSummary& candidate) {
      const Result<Choice> parsed = parseChoice(candidate.choice);
      return parsed.isOk() && parsed.value().algorithm == choice.algorithm;
    });
  };
  for (const Choice& choice : usual) {
    if (!is_measured(choice)) choices.push_back(formatChoice(choice));
  }
  if (findCandidate(measured, kNativeName) == nullptr) choices.emplace_back(kNativeName);
  return choices;
}

// Checks what the user asks for: `native` may be among it.
Status checkChoices(const std::vector<std::string>& choices, const UsualChoices& usual) {
  for (const std::string& text : choices) {
    const Result<Choice> choice = parseChoice(text);
    if (!choice.isOk()) return choice.status();
    if (choice.value().algorithm == kNativeAlgorithm || canBeSimulated(text, usual)) continue;
    const std::string name = findAlgorithm(choice.value().algorithm)->name;
    const auto why = std::ranges::find_if(usual.skipped, [&](const std::string& one) { return one.starts_with(name); });
    return Status::error(why != usual.skipped.end() ? *why : name + " cannot be simulated here");
  }
  return Status::ok();
}

// Sets what the calls are simulated with.
Result<WhatIf> preparedFor(const Evidence& evidence) {
  const CommunicatorRecord& communicator = evidence.key.row.communicator;
  if (evidence.key.row.key.bytes <= 0) {
    return Status::error("These calls combine vectors of 0 B: no algorithm sends anything for them.");
  }
  if (evidence.key.row.key.bytes > kMostSimulatedBytes) return Status::error("Calls are simulated of up to 1 TiB.");
  const std::vector<RecordedPattern> patterns =
      recordedPatterns(evidence.arrivals, evidence.histograms, communicator.size);
  if (patterns.empty()) {
    return Status::error(whyNoArrivals(communicator.compared_by) + " So there is nothing to simulate calls under.");
  }
  const std::optional<CostModel> model = recordedCosts(communicator);
  const std::optional<Topology> topology = recordedTopology(communicator);
  if (!model) {
    return Status::error(
        "What messages cost in this run was not recorded, so its calls cannot be simulated: an older Starling wrote "
        "it. Record a new run, or give costs to `starling simulate`.");
  }
  if (!topology) {
    return Status::error(
        "On which nodes the ranks ran was not recorded, because it would have taken much room, so their calls cannot "
        "be simulated: describe them to `starling simulate`.");
  }
  WhatIf result;
  result.model = *model;
  result.topology = *topology;
  const ArrivalHistogram histogram = summarizeHistograms(evidence.histograms);
  result.epochs = std::max<std::int64_t>(histogram.epochs, std::ssize(patterns));
  for (const RecordedPattern& pattern : patterns) result.samples += pattern.samples;
  result.played = joinedPatterns(patterns, kMostPatterns);
  return result;
}

Status checkRanksAskedFor(const WhatIfQuery& query, std::int32_t recorded) {
  if (query.on_time && *query.on_time >= recorded) {
    return Status::error(
        fmt::format("--on-time {}: these calls have {} ranks, 0 to {}", *query.on_time, recorded, recorded - 1));
  }
  if (query.more_ranks && *query.more_ranks <= recorded) {
    return Status::error(fmt::format("--ranks {}: these calls were recorded on {} ranks: give more of them",
                                     *query.more_ranks, recorded));
  }
  return Status::ok();
}

// The calls of a key, and how long they took over what is predicted of them.
struct PlayedCalls {
  const CallPlayer& player;
  PlayedPatterns patterns;
  double measured_over_predicted;
};

// Returns what calls would gain if their patterns became those that `change` makes of them.
template <typename Change>
Result<ArrivalGain> arrivalGain(const PlayedCalls& calls, const std::optional<std::string>& in_force, Change change) {
  const PlayedPatterns patterns = calls.patterns;
  std::vector<RecordedPattern> changed;
  for (const RecordedPattern& pattern : patterns) changed.push_back(change(pattern));
  const auto waitingOf = [](const RecordedPattern& pattern) { return lastArrival(pattern) - meanArrival(pattern); };
  ArrivalGain gain;
  gain.earlier = meanOver(patterns, lastArrival) - meanOver(changed, lastArrival);
  gain.less_waiting = meanOver(patterns, waitingOf) - meanOver(changed, waitingOf);
  if (!in_force) return gain;
  const Result<PlayedTimes> before = calls.player.times(patterns, std::span(&*in_force, 1));
  const Result<PlayedTimes> after = calls.player.times(changed, std::span(&*in_force, 1));
  if (!before.isOk() || !after.isOk()) return before.isOk() ? after.status() : before.status();
  gain.before = before.value().at(*in_force);
  gain.after = after.value().at(*in_force);
  gain.earlier += calls.measured_over_predicted * (*gain.before - *gain.after);
  return gain;
}

RecordedPattern withOnTime(RecordedPattern pattern, std::int32_t rank) {
  pattern.lateness[static_cast<std::size_t>(rank)] = std::ranges::min(pattern.lateness);
  return pattern;
}

RecordedPattern comingTogether(RecordedPattern pattern) {
  std::ranges::fill(pattern.lateness, meanArrival(pattern));
  return pattern;
}

// Takes what calls have waited in the mean in place of what the patterns say, which are means over many calls: where it
// is another rank that is late in each of them, all come equally late in the mean.
void waitAsRecorded(Seconds waited, ArrivalGain& together) {
  together.earlier += waited - together.less_waiting;
  together.less_waiting = waited;
}

// Sets what other arrivals would be worth.
Status judgeArrivals(const Evidence& evidence, const WhatIfQuery& query, const CallPlayer& player,
                     const UsualChoices& usual, WhatIf& result) {
  const std::vector<RankArrival> ranks = summarizeArrivals(evidence.arrivals, evidence.histograms);
  const RankArrival* const latest = latestRank(ranks);
  result.on_time_rank = query.on_time;
  if (!result.on_time_rank && latest != nullptr) result.on_time_rank = latest->rank;
  if (latest != nullptr && latest->lateness > Seconds{}) result.variation = latest->deviation / latest->lateness;
  std::optional<std::string> in_force = evidence.key.row.key.choice;
  if (!canBeSimulated(*in_force, usual)) in_force.reset();
  const std::int32_t rank = result.on_time_rank.value_or(0);
  const auto ratio = measuredOverPredicted(result);
  const PlayedCalls calls{player, result.played, ratio ? ratio->median : 1.0};
  const Result<ArrivalGain> on_time =
      arrivalGain(calls, in_force, [rank](const RecordedPattern& pattern) { return withOnTime(pattern, rank); });
  if (!on_time.isOk()) return on_time.status();
  Result<ArrivalGain> at_once = arrivalGain(calls, in_force, comingTogether);
  if (!at_once.isOk()) return at_once.status();
  result.on_time = on_time.value();
  result.together = at_once.value();
  const KeyRecord& key = evidence.key.row.key;
  if (key.waiting && key.calls > 0)
    waitAsRecorded(Seconds{*key.waiting / static_cast<double>(key.calls)}, result.together);
  return Status::ok();
}

// Predicts what can be simulated of the rows. `choices` are theirs.
Status predictRows(const CallPlayer& player, PlayedPatterns patterns, std::span<const std::string> choices,
                   std::vector<WhatIfRow>& rows, std::optional<Seconds> WhatIfRow::*prediction) {
  const UsualChoices usual = player.usual();
  std::vector<std::string> simulated;
  for (const std::string& choice : choices) {
    if (canBeSimulated(choice, usual)) simulated.push_back(choice);
  }
  const Result<PlayedTimes> times = player.times(patterns, simulated);
  if (!times.isOk()) return times.status();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto found = times.value().find(choices[i]);
    if (found != times.value().end()) rows[i].*prediction = found->second;
  }
  return Status::ok();
}

// Returns the choices of the rows where there are more ranks: those that were neither tried nor asked for have the
// parameters that are usual there.
std::vector<std::string> choicesOnMoreRanks(const std::vector<std::string>& choices, const WhatIfQuery& query,
                                            std::span<const WhatIfRow> rows, const UsualChoices& usual) {
  std::vector<std::string> others = choices;
  for (std::size_t i = 0; query.choices.empty() && i < rows.size(); ++i) {
    const Result<Choice> choice = parseChoice(choices[i]);
    if (rows[i].measured || !choice.isOk()) continue;
    const auto found = std::ranges::find(usual.choices, choice.value().algorithm, &Choice::algorithm);
    if (found != usual.choices.end()) others[i] = formatChoice(*found);
  }
  return others;
}

// `native` is a row of its own, without a prediction.
std::vector<std::string> rowsLeftOut(const UsualChoices& usual) {
  std::vector<std::string> skipped = usual.skipped;
  std::erase_if(skipped, [](const std::string& sentence) { return sentence.starts_with("native "); });
  return skipped;
}

// Predicts the same calls on more ranks.
Status predictMoreRanks(const KeyRecord& key, const WhatIfQuery& query, const std::vector<std::string>& choices,
                        WhatIf& result) {
  const auto recorded = static_cast<std::int32_t>(result.played.front().lateness.size());
  for (const RecordedPattern& pattern : result.played) {
    result.extended.push_back(extendedPattern(pattern, *query.more_ranks));
  }
  const Topology extended = extendedTopology(result.topology, recorded, *query.more_ranks);
  const CallPlayer larger(key, result.model, extended, *query.more_ranks);
  const std::vector<std::string> others = choicesOnMoreRanks(choices, query, result.rows, larger.usual());
  return predictRows(larger, result.extended, others, result.rows, &WhatIfRow::on_more_ranks);
}

// Puts rows with the least prediction first, those without one last.
bool comesBefore(const WhatIfRow& a, const WhatIfRow& b) {
  return a.predicted && (!b.predicted || *a.predicted < *b.predicted);
}

}  // namespace

std::optional<MeasuredOverPredicted> measuredOverPredicted(const WhatIf& result) {
  std::vector<std::pair<double, double>> ratios;  // with how many calls tell each
  double calls = 0.0;
  for (const WhatIfRow& row : result.rows) {
    const std::optional<double> measured = row.measured ? row.measured->post_arrival.mean : std::nullopt;
    if (!measured || !row.predicted || *row.predicted <= Seconds{}) continue;
    ratios.emplace_back(*measured / row.predicted->value, static_cast<double>(row.measured->samples));
    calls += ratios.back().second;
  }
  std::ranges::sort(ratios);
  double up_to = 0.0;
  for (const auto& [ratio, of_ratio] : ratios) {
    up_to += of_ratio;
    if (2.0 * up_to >= calls) return {{ratio, ratios.front().first, ratios.back().first}};
  }
  return std::nullopt;
}

RecordedPattern extendedPattern(const RecordedPattern& pattern, std::int32_t ranks) {
  std::vector<Seconds> sorted = pattern.lateness;
  std::ranges::sort(sorted);
  RecordedPattern extended = pattern;
  extended.lateness.resize(static_cast<std::size_t>(ranks), sorted[(sorted.size() - 1) / 2]);
  return extended;
}

Topology extendedTopology(const Topology& topology, std::int32_t recorded, std::int32_t ranks) {
  Topology extended = topology;
  if (topology.nodes.empty()) return extended;
  std::map<std::int32_t, std::int32_t> members;
  for (const std::int32_t node : topology.nodes) ++members[node];
  std::int32_t most = 0;
  for (const auto& [node, count] : members) most = std::max(most, count);
  // Ranks of one node alone stay on it, since nothing is known of a network.
  const bool is_one_node = members.size() == 1;
  for (std::int32_t rank = recorded; rank < ranks; ++rank) {
    extended.nodes.push_back(is_one_node ? topology.nodes.front() : recorded + (rank - recorded) / most * most);
  }
  return extended;
}

Result<WhatIf> whatIf(const Evidence& evidence, const WhatIfQuery& query) {
  const KeyRecord& key = evidence.key.row.key;
  const std::int32_t recorded = evidence.key.row.communicator.size;
  if (const Status status = checkRanksAskedFor(query, recorded); !status.isOk()) return status;
  Result<WhatIf> prepared = preparedFor(evidence);
  if (!prepared.isOk()) return prepared;
  WhatIf result = std::move(prepared).value();
  const CallPlayer player(key, result.model, result.topology, recorded);
  const UsualChoices usual = player.usual();
  if (const Status status = checkChoices(query.choices, usual); !status.isOk()) return status;
  const std::vector<CandidateSummary> measured = summarizeCandidates(evidence.observations);
  const std::vector<std::string> choices = choicesAskedFor(query, measured, usual.choices);
  for (const std::string& choice : choices) {
    WhatIfRow& row = result.rows.emplace_back(WhatIfRow{.choice = choice});
    if (const CandidateSummary* found = findCandidate(measured, choice)) row.measured = *found;
    row.is_in_force = choice == key.choice;
  }
  if (query.choices.empty()) result.skipped = rowsLeftOut(usual);
  const Status status = predictRows(player, result.played, choices, result.rows, &WhatIfRow::predicted);
  if (!status.isOk()) return status;
  if (query.more_ranks) {
    const Status extended = predictMoreRanks(key, query, choices, result);
    if (!extended.isOk()) return extended;
  }
  std::ranges::stable_sort(result.rows, comesBefore);
  const Status judged = judgeArrivals(evidence, query, player, usual, result);
  if (!judged.isOk()) return judged;
  return result;
}

}  // namespace starling::cli
