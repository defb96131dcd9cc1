#include "explanation.h"

#include <fmt/format.h>

#include "arrival_summary.h"
#include "candidate_summary.h"
#include "text_format.h"

namespace starling::cli {
namespace {

using Candidates = std::vector<CandidateSummary>;

constexpr const char* kNative = "native";

std::string callsSentence(const RecordedKey& recorded) {
  const KeyRecord& key = recorded.row.key;
  const std::string per_call =
      key.calls > 0
          ? fmt::format(" ({} per call)", formatDuration(Seconds{key.seconds / static_cast<double>(key.calls)}))
          : "";
  return fmt::format("Site {}, {}: in run {} its {} ranks made {} of {} ({}, {}) and spent {} there on average{}.",
                     recorded.siteNumber(), recorded.where(), recorded.run.number, recorded.row.communicator.size,
                     formatCalls(key.calls), formatBytes(Bytes{key.bytes}), key.id.type, key.id.operation,
                     formatDuration(Seconds{key.seconds}), per_call);
}

std::vector<std::string> arrivalSentences(const Evidence& evidence) {
  const std::vector<RankArrival> ranks = summarizeArrivals(evidence.arrivals);
  std::vector<std::string> sentences{describeLatest(ranks)};
  const RankArrival* latest = latestRank(ranks);
  if (latest == nullptr) return sentences;
  const std::string error = latest->prediction_error
                                ? fmt::format("; so far such predictions were off by {} on average",
                                              formatDuration(*latest->prediction_error))
                                : "; no later epoch has scored a prediction yet";
  sentences.push_back(fmt::format("For the next call {} predicts rank {} at {}{}.", latest->method, latest->rank,
                                  formatDuration(latest->predicted), error));
  return sentences;
}

std::string costOf(const CandidateSummary& candidate) {
  if (candidate.samples == 0) return candidate.choice + " (no call measured)";
  return fmt::format("{} {} (deviation {}, {} measured)", candidate.choice, formatDuration(candidate.post_arrival),
                     formatDuration(candidate.post_arrival_deviation), formatCalls(candidate.samples));
}

std::vector<std::string> trialSentences(const Evidence& evidence, const Candidates& candidates) {
  if (candidates.empty()) return {"No candidate was measured."};
  std::string costs;
  for (const CandidateSummary& candidate : candidates) costs += (costs.empty() ? "" : ", ") + costOf(candidate);
  std::vector<std::string> sentences{
      fmt::format("Post-arrival time, mean over ranks, of what was tried in {} of exploration: {}.",
                  formatCalls(evidence.key.row.key.exploration_calls), costs)};
  const CandidateSummary* native = findCandidate(candidates, kNative);
  if (native == nullptr || native->samples == 0) {
    sentences.emplace_back("The MPI library's own allreduce (native) was not measured here, so no gain can be stated.");
  }
  return sentences;
}

std::string gainText(const KeyRecord& key) {
  if (!key.gain || key.choice == kNative) return "";
  return *key.gain >= 1.0 ? fmt::format(", {:.2f} times as fast as native after the last arrival", *key.gain)
                          : fmt::format(", at {:.2f} of native's speed after the last arrival", *key.gain);
}

std::string decisionFigures(const DecisionRecord& decision) {
  std::string text;
  const auto append = [&text](const char* name, const std::optional<double>& seconds) {
    if (seconds) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, formatDuration(seconds));
  };
  append("expected", decision.expected);
  append("measured", decision.measured);
  append("native", decision.native);
  return text.empty() ? "" : " (post-arrival time: " + text + ")";
}

std::vector<std::string> choiceSentences(const Evidence& evidence) {
  const KeyRecord& key = evidence.key.row.key;
  const std::string table =
      key.table.empty() ? "ranks in their own order" : "virtual-rank table " + formatRankTable(key.table);
  std::vector<std::string> sentences{fmt::format("In force: {}, {}{}.", key.choice, table, gainText(key))};
  if (evidence.decisions.empty()) {
    sentences.emplace_back("No decision was recorded in this run.");
  } else {
    const DecisionRecord& decision = evidence.decisions.back();
    sentences.push_back(fmt::format("Decided at call {} (epoch {}) for {}{}: {}", decision.call, decision.epoch,
                                    decision.choice, decisionFigures(decision), decision.reason));
  }
  return sentences;
}

std::string stateSentence(const KeyRecord& key) {
  if (key.state == "settled")
    return fmt::format("Settled, after {} of exploration.", formatCalls(key.exploration_calls));
  if (key.state == "passes_through") return "These calls are passed to the MPI library untouched.";
  if (key.state == "exploring") {
    return fmt::format(
        "Not converged: still exploring after {} of exploration; what is in force is only the best so far.",
        formatCalls(key.exploration_calls));
  }
  if (key.state == "observing") {
    return "Not converged: only observed so far, because the calls were too few or STARLING_MODE is observe.";
  }
  return fmt::format("Not converged: its state is {}.", key.state);
}

std::string changeSentence(const KeyRecord& key, const Candidates& candidates) {
  if (key.state == "passes_through") return "Only calls of a kind that Starling takes would be tuned.";
  if (key.state != "settled")
    return "More calls in one run would change it: exploration starts anew with each run until a key has settled.";
  const CandidateSummary* chosen = findCandidate(candidates, key.choice);
  std::string bar = "To replace it, a candidate would have had to cost less by more than the noise";
  if (chosen != nullptr && chosen->samples > 0) {
    bar = fmt::format(
        "To replace it, a candidate would have had to cost less than {} by more than the noise (deviation {})",
        formatDuration(chosen->post_arrival), formatDuration(chosen->post_arrival_deviation));
  }
  for (const CandidateSummary& candidate : candidates) {
    if (candidate.choice == key.choice || candidate.samples == 0) continue;
    bar += fmt::format("; the nearest tried is {} at {}", candidate.choice, formatDuration(candidate.post_arrival));
    break;
  }
  const bool is_native = key.choice == "native";
  return bar + (is_native ? ". No candidate is tried again in this database; a fresh one (STARLING_DB) learns anew."
                          : ". It is given up for native when it turns out more than 10% slower than native was.");
}

}  // namespace

bool isConverged(const KeyRecord& key) { return key.state == "settled" || key.state == "passes_through"; }

std::vector<std::string> explain(const Evidence& evidence) {
  const KeyRecord& key = evidence.key.row.key;
  const Candidates candidates = summarizeCandidates(evidence.observations);
  std::vector<std::string> sentences{callsSentence(evidence.key)};
  const auto append = [&sentences](const std::vector<std::string>& more) {
    sentences.insert(sentences.end(), more.begin(), more.end());
  };
  append(arrivalSentences(evidence));
  append(trialSentences(evidence, candidates));
  append(choiceSentences(evidence));
  append({stateSentence(key), changeSentence(key, candidates)});
  return sentences;
}

}  // namespace starling::cli
