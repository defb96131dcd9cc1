#include "report_site.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "arrival_text.h"
#include "base/printable.h"
#include "base/text_format.h"
#include "comparison.h"
#include "estimators/statistics.h"
#include "explanation.h"
#include "report_table.h"
#include "store/group_moments.h"
#include "store/joined_records.h"
#include "summary/arrival_summary.h"
#include "summary/candidate_summary.h"

namespace starling::cli {
namespace {

constexpr std::size_t kSparklinePoints = 40;

double roundedForPlot(double value) {
  if (value == 0.0 || !std::isfinite(value)) return 0.0;
  const double scale = std::pow(10.0, 3.0 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

std::size_t groupSize(std::size_t count, std::size_t most) {
  return std::max<std::size_t>(1, (count + most - 1) / most);
}

std::optional<double> comparedMeanOf(const ObservationRecord& record) {
  return record.post_arrival_mean ? record.post_arrival_mean : record.elapsed_mean;
}

// Returns what calls took by epoch, trials apart: [epoch, index in choices, whether it was a trial, time].
Json timesPlot(const std::vector<ObservationRecord>& observations) {
  std::map<std::pair<std::string, bool>, std::vector<ObservationRecord>> series;
  std::size_t count = 0;
  for (const ObservationRecord& one : observations) {
    if (one.samples <= 0 || !comparedMeanOf(one)) continue;
    series[{one.choice, one.exploration}].push_back(one);
    ++count;
  }
  const std::size_t group = groupSize(count, kReportPoints);
  Json plot{{"choices", Json::array()}, {"points", Json::array()}};
  for (const auto& [which, records] : series) {
    const std::size_t choice = plot["choices"].size();
    plot["choices"].push_back(printable(which.first));
    for (std::size_t i = 0; i < records.size(); i += group) {
      const ObservationRecord one = joined(std::span(records).subspan(i, std::min(group, records.size() - i)));
      const std::optional<double> mean = comparedMeanOf(one);
      if (mean) plot["points"].push_back({one.epoch, choice, which.second, roundedForPlot(*mean)});
    }
  }
  return plot;
}

// Returns the ranks with a row of their own, by rank.
std::vector<RankArrival> ranksShown(std::vector<RankArrival> ranks) {
  const auto total = [](const RankArrival& rank) { return static_cast<double>(rank.samples) * rank.lateness.value; };
  if (ranks.size() > kReportRanks) {
    std::ranges::sort(ranks, std::greater<>(), total);
    ranks.resize(kReportRanks);
    std::ranges::sort(ranks, {}, &RankArrival::rank);
  }
  return ranks;
}

// Returns a map of lateness: a row for each rank, a column for each epoch or group of them.
Json latenessPlot(const std::vector<ArrivalRecord>& arrivals, const std::vector<RankArrival>& ranks) {
  std::map<std::int64_t, std::vector<ArrivalRecord>> epochs;
  for (const ArrivalRecord& one : arrivals) epochs[one.epoch].push_back(one);
  const std::size_t group = groupSize(epochs.size(), kReportColumns);
  Json json{{"epochs", Json::array()}, {"ranks", Json::array()}};
  std::map<std::int32_t, std::vector<std::optional<double>>> rows;
  std::size_t columns = 0;
  for (auto epoch = epochs.begin(); epoch != epochs.end();) {
    std::vector<ArrivalRecord> together;
    std::int64_t latest = 0;
    for (std::size_t i = 0; i < group && epoch != epochs.end(); ++i, ++epoch) {
      together.insert(together.end(), epoch->second.begin(), epoch->second.end());
      latest = epoch->first;
    }
    json["epochs"].push_back(latest);
    ++columns;
    for (const ArrivalRecord& one : joinedByRank(together, latest)) {
      rows[one.rank].resize(columns);
      rows[one.rank].back() = one.mean;
    }
  }
  for (const RankArrival& rank : ranks) {
    std::vector<std::optional<double>>& row = rows[rank.rank];
    row.resize(columns);
    Json means = Json::array();
    for (const std::optional<double>& mean : row) means.push_back(mean ? Json(roundedForPlot(*mean)) : Json(nullptr));
    json["ranks"].push_back({{"rank", rank.rank}, {"lateness", std::move(means)}});
  }
  return json;
}

// Returns [epoch, what was predicted of the latest rank the epoch before, what came]. Joined epochs no longer tell.
Json predictionsPlot(const std::vector<ArrivalRecord>& arrivals, const std::vector<RankArrival>& ranks) {
  const RankArrival* latest = latestRank(ranks);
  Json points = Json::array();
  const ArrivalRecord* before = nullptr;
  for (const ArrivalRecord& one : arrivals) {
    if (latest == nullptr || one.rank != latest->rank) continue;
    if (before != nullptr && before->epochs == 1 && one.epochs == 1 && one.samples > 0) {
      points.push_back({one.epoch, roundedForPlot(before->predicted), roundedForPlot(one.mean)});
    }
    before = &one;
  }
  return {{"rank", latest == nullptr ? Json(nullptr) : Json(latest->rank)}, {"points", std::move(points)}};
}

Json arrivalListTable(const std::vector<RankArrival>& ranks) {
  ReportTable table("Lateness of ranks, mean over the calls in which each was recorded by itself",
                    {{"Rank", Align::kRight},
                     {"Last", Align::kRight},
                     {"Lateness", Align::kRight},
                     {"Deviation", Align::kRight},
                     {"Predicted", Align::kRight},
                     {"Off by", Align::kRight},
                     {"Calls", Align::kRight},
                     {"In world", Align::kRight},
                     {"Predictor"}});
  for (const RankArrival& rank : ranks) {
    const std::optional<double> error =
        rank.prediction_error ? std::optional(rank.prediction_error->value) : std::nullopt;
    const std::optional<double> last = shareLast(rank);
    table.addRow({countCell(rank.rank), figureCell(wholePercent(last), optionalJson(last)),
                  durationCell(rank.lateness.value), durationCell(rank.deviation.value),
                  durationCell(rank.predicted.value), durationCell(error), countCell(rank.samples),
                  rank.world_rank ? countCell(*rank.world_rank) : figureCell("-", nullptr), textCell(rank.method)});
  }
  return table.json();
}

// Returns the classes from the first to the last that has a count.
Json histogramTable(const ArrivalHistogram& histogram) {
  ReportTable table("All ranks, by mean lateness in an epoch", {{"Lateness"}, {"Share", Align::kRight}});
  std::int64_t total = 0;
  for (const std::int64_t count : histogram.counts) total += count;
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < histogram.counts.size() && seen < total; ++i) {
    seen += histogram.counts[i];
    if (seen == 0) continue;
    const double share = static_cast<double>(histogram.counts[i]) / static_cast<double>(total);
    table.addRow({textCell(classTitle(i)), figureCell(fmt::format("{:.1f}%", 100.0 * share), share)});
  }
  return table.json();
}

// Returns half of the 95% interval of the mean; empty where samples do not tell.
std::optional<double> intervalOf(const CandidateSummary& candidate) {
  const std::optional<double>& deviation = candidate.compared().deviation;
  if (!deviation || candidate.samples < 2) return std::nullopt;
  const auto samples = static_cast<double>(candidate.samples);
  Summary summary;
  summary.n = static_cast<std::size_t>(candidate.samples);
  summary.deviation = *deviation * std::sqrt(samples / (samples - 1.0));
  return confidenceHalfWidth(summary);
}

Json candidateListTable(const std::vector<CandidateSummary>& candidates, const ComparedBy& compared_by) {
  ReportTable table(
      fmt::format("Means over ranks and calls, and half of the 95% interval of the {}", comparedTime(compared_by)),
      {{"Candidate"},
       {"Post-arrival", Align::kRight},
       {"Elapsed", Align::kRight},
       {"+-", Align::kRight},
       {"Minimum", Align::kRight},
       {"Deviation", Align::kRight},
       {"Measured", Align::kRight},
       {"Calls", Align::kRight},
       {"Trials", Align::kRight}});
  for (const CandidateSummary& one : candidates) {
    table.addRow({textCell(one.choice), durationCell(one.post_arrival.mean), durationCell(one.elapsed.mean),
                  durationCell(intervalOf(one)), durationCell(one.compared().minimum),
                  durationCell(one.compared().deviation), countCell(one.samples), countCell(one.calls),
                  countCell(one.exploration_calls)});
  }
  return table.json();
}

Json candidatesPlot(const std::vector<CandidateSummary>& candidates, const std::string& choice) {
  Json points = Json::array();
  for (const CandidateSummary& one : candidates) {
    const std::optional<double>& mean = one.compared().mean;
    if (!mean) continue;
    const std::optional<double> half = intervalOf(one);
    points.push_back({{"choice", printable(one.choice)},
                      {"time", roundedForPlot(*mean)},
                      {"low", half ? Json(roundedForPlot(std::max(0.0, *mean - *half))) : Json(nullptr)},
                      {"high", half ? Json(roundedForPlot(*mean + *half)) : Json(nullptr)},
                      {"in_force", one.choice == choice}});
  }
  return points;
}

Json decisionListTable(std::span<const DecisionRecord> decisions) {
  ReportTable table("Decisions, oldest first", {{"Call", Align::kRight},
                                                {"Epoch", Align::kRight},
                                                {"Algorithm"},
                                                {"Expected", Align::kRight},
                                                {"Measured", Align::kRight},
                                                {"Native", Align::kRight},
                                                {"Reason"}});
  for (const DecisionRecord& one : decisions) {
    table.addRow({countCell(one.call), countCell(one.epoch), textCell(one.choice), durationCell(one.expected),
                  durationCell(one.measured), durationCell(one.native), textCell(one.reason)});
  }
  return table.json();
}

std::span<const DecisionRecord> decisionsShown(const std::vector<DecisionRecord>& decisions) {
  const std::size_t shown = std::min(decisions.size(), kReportDecisions);
  return std::span(decisions).last(shown);
}

// Says what the section leaves out.
Json notesOf(const Evidence& evidence, std::size_t ranks) {
  Json notes = Json::array();
  if (ranks > kReportRanks) {
    notes.push_back(
        fmt::format("Of {} ranks that were recorded by themselves the {} that were late the longest are "
                    "shown: `starling arrivals {} --run {}` lists all.",
                    ranks, kReportRanks, evidence.key.siteNumber(), evidence.key.run.number));
  }
  if (evidence.decisions.size() > kReportDecisions) {
    notes.push_back(fmt::format("Of {} decisions the latest {} are shown: `starling decisions {} --run {}` lists all.",
                                evidence.decisions.size(), kReportDecisions, evidence.key.siteNumber(),
                                evidence.key.run.number));
  }
  return notes;
}

}  // namespace

Json siteReport(const Evidence& evidence) {
  const KeyRecord& key = evidence.key.row.key;
  const ComparedBy& compared_by = evidence.key.row.communicator.compared_by;
  const std::vector<CandidateSummary> candidates = summarizeCandidates(evidence.observations);
  const std::vector<RankArrival> all = summarizeArrivals(evidence.arrivals, evidence.histograms);
  const std::vector<RankArrival> ranks = ranksShown(all);
  const ArrivalHistogram histogram = summarizeHistograms(evidence.histograms);
  Json json;
  json["sentences"] = Json::array();
  for (const std::string& sentence : explain(evidence)) json["sentences"].push_back(printable(sentence));
  json["notes"] = notesOf(evidence, all.size());
  json["compared"] = comparedTime(compared_by);
  json["arrivals"] = ranks.empty() ? Json(nullptr) : arrivalListTable(ranks);
  json["no_arrivals"] = whyNoArrivals(compared_by);
  const bool has_others = std::cmp_less(all.size(), evidence.key.row.communicator.size);
  json["histogram"] = has_others && histogram.epochs > 0 ? histogramTable(histogram) : Json(nullptr);
  json["candidates"] = candidates.empty() ? Json(nullptr) : candidateListTable(candidates, compared_by);
  json["decisions"] =
      evidence.decisions.empty() ? Json(nullptr) : decisionListTable(decisionsShown(evidence.decisions));
  json["plots"]["times"] = timesPlot(evidence.observations);
  json["plots"]["lateness"] = latenessPlot(evidence.arrivals, ranks);
  json["plots"]["predictions"] = predictionsPlot(evidence.arrivals, all);
  json["plots"]["candidates"] = candidatesPlot(candidates, key.choice);
  return json;
}

Json sparkline(const std::vector<ObservationRecord>& observations) {
  std::map<std::int64_t, GroupMoments> epochs;
  for (const ObservationRecord& one : observations) {
    if (one.samples > 0 && one.elapsed_mean) epochs[one.epoch].add(one.samples, *one.elapsed_mean, 0.0);
  }
  const std::size_t group = groupSize(epochs.size(), kSparklinePoints);
  Json points = Json::array();
  std::size_t index = 0;
  double sum = 0.0;
  for (const auto& [epoch, moments] : epochs) {
    sum += moments.mean();
    if (++index % group != 0) continue;
    points.push_back({epoch, roundedForPlot(sum / static_cast<double>(group))});
    sum = 0.0;
  }
  return points;
}

}  // namespace starling::cli
