#include "explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/signature_names.h"
#include "base/text_format.h"
#include "comparison.h"
#include "outlook.h"
#include "summary/arrival_summary.h"
#include "summary/candidate_summary.h"
#include "tuner/replacement.h"

namespace starling::cli {
namespace {

using Candidates = std::vector<CandidateSummary>;

const ComparedBy& comparedByOf(const Evidence& evidence) { return evidence.key.row.communicator.compared_by; }

// Returns the end of a sentence.
std::string timeInCalls(const KeyRecord& key) {
  if (!key.seconds) return "; the time there is not known, because no call was timed.";
  const std::string total = fmt::format(" and spent {} there on average", formatDuration(key.seconds));
  if (key.calls <= 0) return total + ".";
  const Seconds per_call{*key.seconds / static_cast<double>(key.calls)};
  return fmt::format("{} ({} per call).", total, formatDuration(per_call));
}

std::string callsSentence(const RecordedKey& recorded) {
  const KeyRecord& key = recorded.row.key;
  const std::string of = recorded.communicator.empty() ? "" : " of " + recorded.communicator;
  const std::string which = key.cycle.empty() ? "" : " (" + key.cycle + ")";
  return fmt::format("Site {}, {}{}: in run {} its {} ranks{} made {} of {} ({}, {}){}", recorded.siteNumber(),
                     recorded.where(), which, recorded.run.number, recorded.row.communicator.size, of,
                     formatCount(key.calls, "call"), formatBytes(Bytes{key.bytes}), key.id.type, key.id.operation,
                     timeInCalls(key));
}

std::vector<std::string> countSentences(const RecordedKey& recorded) {
  if (!recorded.isCountedLate()) return {};
  return {"Calls that came before the communicator was worth preparing may not be counted."};
}

std::vector<std::string> clockSentences(const Evidence& evidence) {
  const std::string note = clockNote(evidence.key.row.communicator.clock_error);
  return note.empty() ? std::vector<std::string>{} : std::vector{note};
}

// Databases of an older Starling have means of epochs alone.
std::string predictionError(const RankArrival& arrival) {
  if (arrival.error) {
    return fmt::format("; its latest predictions were off by {} on average", formatDuration(*arrival.error));
  }
  if (!arrival.prediction_error) return "; no later epoch has scored a prediction yet";
  return fmt::format("; means of later epochs were off such predictions by {} on average",
                     formatDuration(*arrival.prediction_error));
}

std::vector<std::string> arrivalSentences(const Evidence& evidence) {
  const std::vector<RankArrival> ranks = summarizeArrivals(evidence.arrivals, evidence.histograms);
  const RankArrival* latest = latestRank(ranks);
  if (latest == nullptr) return {whyNoArrivals(comparedByOf(evidence))};
  std::vector<std::string> sentences{describeLatest(ranks)};
  sentences.push_back(fmt::format("For the next call {} predicts rank {} at {}{}.", latest->method, latest->rank,
                                  formatDuration(latest->predicted), predictionError(*latest)));
  const std::vector<std::string> recorded =
      describeRecorded(ranks, summarizeHistograms(evidence.histograms), evidence.key.row.communicator.size);
  const std::vector<std::string> outlook = describeOutlook(evidence.key.row.key, ranks);
  sentences.insert(sentences.end(), outlook.begin(), outlook.end());
  sentences.insert(sentences.end(), recorded.begin(), recorded.end());
  return sentences;
}

std::string costOf(const CandidateSummary& candidate) {
  if (!candidate.compared().mean) return candidate.choice + " (no call measured)";
  const std::optional<double>& deviation = candidate.compared().deviation;
  return fmt::format("{} {} ({}{} measured)", candidate.choice, formatDuration(candidate.compared().mean),
                     deviation ? fmt::format("deviation {}, ", formatDuration(deviation)) : "",
                     formatCount(candidate.samples, "call"));
}

const char* timeOfTrials(const ComparedBy& compared_by) {
  if (!compared_by) return "Time, mean over ranks and calls,";
  return isComparedByElapsed(compared_by) ? "Elapsed time, mean over ranks and calls,"
                                          : "Post-arrival time, mean over ranks and calls,";
}

std::vector<std::string> trialSentences(const Evidence& evidence, const Candidates& candidates) {
  // Candidates that were measured come first.
  if (candidates.empty() || !candidates.front().compared().mean) return {"No candidate was measured."};
  std::string costs;
  for (const CandidateSummary& candidate : candidates) costs += (costs.empty() ? "" : ", ") + costOf(candidate);
  const std::int64_t trials = evidence.key.row.key.exploration_calls;
  const std::string how = trials > 0 ? formatCount(trials, "call") + " of them to try something" : "none to try it";
  std::vector<std::string> sentences{
      fmt::format("{} of what ran ({}): {}.", timeOfTrials(comparedByOf(evidence)), how, costs)};
  if (isComparedByElapsed(comparedByOf(evidence))) {
    sentences.emplace_back("Elapsed times include waiting for ranks that come late.");
  } else if (!comparedByOf(evidence)) {
    sentences.push_back(comparisonNote(comparedByOf(evidence)));
  }
  const CandidateSummary* native = findCandidate(candidates, kNativeName);
  if (native == nullptr || !native->compared().mean) {
    sentences.emplace_back(evidence.key.row.key.gain
                               ? "The MPI library's own allreduce (native) was not measured here in this run: the gain "
                                 "is what earlier runs, or other calls like these, have shown."
                               : "The MPI library's own allreduce (native) was not measured here, so no gain can be "
                                 "stated.");
  }
  return sentences;
}

std::string gainText(const Evidence& evidence) {
  const KeyRecord& key = evidence.key.row.key;
  if (!key.gain || key.choice == kNativeName) return "";
  std::string by;
  if (comparedByOf(evidence) == kByPostArrival) by = " after the last arrival";
  if (isComparedByElapsed(comparedByOf(evidence))) by = " by mean elapsed time";
  return fmt::format(", {} as fast as native{}{}", formatGain(key.gain, key.gain_error), by,
                     mayBeChance(key.gain, key.gain_error)
                         ? ", which may be chance: the error is more than half of the difference"
                         : "");
}

std::string decisionFigures(const DecisionRecord& decision, const ComparedBy& compared_by) {
  std::string text;
  const auto append = [&text](const std::string& name, const std::optional<double>& seconds) {
    if (seconds) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, formatDuration(seconds));
  };
  append(decision.choice, decision.measured);
  if (decision.choice != kNativeName) append(kNativeName, decision.native);
  if (!text.empty()) text = "medians of " + comparedTime(compared_by) + " then: " + text;
  if (decision.expected) {
    text += fmt::format("{}the cost model expected a post-arrival time of {}", text.empty() ? "" : "; ",
                        formatDuration(decision.expected));
  }
  return text.empty() ? "" : " (" + text + ")";
}

std::vector<std::string> choiceSentences(const Evidence& evidence) {
  const KeyRecord& key = evidence.key.row.key;
  const std::string table =
      key.table.empty() ? ", ranks in their own order" : ", virtual-rank table " + formatRankTable(key.table);
  std::vector<std::string> sentences{
      fmt::format("In force: {}{}{}.", key.choice, key.choice == kNativeName ? "" : table, gainText(evidence))};
  if (evidence.decisions.empty()) {
    sentences.emplace_back("No decision was recorded in this run.");
  } else {
    const DecisionRecord& decision = evidence.decisions.back();
    sentences.push_back(fmt::format("Decided at call {} (epoch {}) for {}{}: {}", decision.call, decision.epoch,
                                    decision.choice, decisionFigures(decision, comparedByOf(evidence)),
                                    decision.reason));
  }
  return sentences;
}

std::string stateSentence(const KeyRecord& key) {
  if (key.state == "settled")
    return fmt::format("Settled, after {} of exploration.", formatCount(key.exploration_calls, "call"));
  if (key.state == "passes_through") return "These calls are passed to the MPI library untouched.";
  if (key.state == "exploring") {
    return fmt::format(
        "Not converged: still exploring after {} of exploration; what is in force is only the best so far.",
        formatCount(key.exploration_calls, "call"));
  }
  if (key.state == "observing") {
    return "Not converged: only observed so far, because the calls were too few or STARLING_MODE is observe.";
  }
  return fmt::format("Not converged: its state is {}.", key.state);
}

// `usual` is what a call of the choice in force usually took.
std::string barSentence(const std::optional<double>& usual, const std::string& choice) {
  const double sure = choice == kNativeName ? Replacement::kSureOfNative : Replacement::kSureOfRow;
  const std::string than =
      usual ? fmt::format("the {} that it usually takes (median over epochs)", formatDuration(usual)) : "it";
  return fmt::format(
      "To replace it a candidate would have to be expected to take {:.0f}% less than {}, and to be faster with a "
      "probability of {:.0f}%",
      100.0 * Replacement::kNoticeable, than, 100.0 * sure);
}

// Of the others that were called the one that usually took the least, and how long.
std::optional<std::pair<std::string, double>> nearestOther(const Evidence& evidence, const Candidates& candidates) {
  std::optional<std::pair<std::string, double>> nearest;
  for (const CandidateSummary& candidate : candidates) {
    if (candidate.choice == evidence.key.row.key.choice) continue;
    const std::optional<double> usual = usualTime(evidence.observations, candidate.choice);
    if (usual && (!nearest || *usual < nearest->second)) nearest = {candidate.choice, *usual};
  }
  return nearest;
}

std::string passedSentence(const KeyRecord& key) {
  const std::string& operation = key.id.operation;
  const bool is_of_program = operation == operationName(Operation::kUser) || operation == kUserNonCommutativeOperation;
  const bool is_plain = key.id.type != kDerivedType && !key.id.type.ends_with(kOnDevice);
  if (!is_of_program || !is_plain) return "Only calls of a kind that Starling takes would be tuned.";
  return "Vectors of more than 8 KiB would be tuned: shorter ones are not split where the program's own operation "
         "combines them, since it may be meant for groups of elements. STARLING_ALGORITHM has them split.";
}

// These alone are decided for good, and are told in such words (src/tuner/key_tuner_given.cc).
bool isFixed(const Evidence& evidence) {
  return std::ranges::any_of(evidence.decisions, [](const DecisionRecord& decision) {
    return decision.reason.starts_with("STARLING_ALGORITHM=") ||
           decision.reason.find("Reproducible mode: ") != std::string::npos;
  });
}

std::string changeSentence(const Evidence& evidence, const Candidates& candidates) {
  const KeyRecord& key = evidence.key.row.key;
  if (key.state == "passes_through") return passedSentence(key);
  if (isFixed(evidence)) {
    return "It is fixed: others would be tried without STARLING_ALGORITHM and STARLING_REPRODUCIBLE.";
  }
  if (key.state != "settled")
    return "More calls in one run would change it, unless STARLING_MODE is observe: exploration starts anew with each "
           "run "
           "until a key has settled.";
  const std::optional<double> usual = usualTime(evidence.observations, key.choice);
  std::string sentence = barSentence(usual, key.choice);
  if (const auto nearest = nearestOther(evidence, candidates)) {
    sentence += fmt::format("; the nearest tried is {} at {}", nearest->first, formatDuration(nearest->second));
    if (usual && nearest->second < *usual) sentence += ", which is less, but not surely enough";
  }
  return sentence + ". Such candidates are then tried again now and then, and all anew where costs or arrivals change.";
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
  append(countSentences(evidence.key));
  append(clockSentences(evidence));
  append(arrivalSentences(evidence));
  append(trialSentences(evidence, candidates));
  append(choiceSentences(evidence));
  append({stateSentence(key), changeSentence(evidence, candidates)});
  return sentences;
}

}  // namespace starling::cli
