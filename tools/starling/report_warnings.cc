#include "report_warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/printable.h"
#include "base/text_format.h"
#include "comparison.h"
#include "explanation.h"
#include "summary/candidate_summary.h"

namespace starling::cli {
namespace {

// Returns "Site 3" or "Sites 3, 4"; of many the first, "Sites 1, 2, 3 and 197 more".
std::string sitesText(const std::set<std::int64_t>& sites) {
  constexpr std::size_t kMost = 12;
  if (sites.size() == 1) return fmt::format("Site {}", *sites.begin());
  if (sites.size() <= kMost) return fmt::format("Sites {}", fmt::join(sites, ", "));
  const std::vector<std::int64_t> first(sites.begin(), std::next(sites.begin(), kMost));
  return fmt::format("Sites {} and {} more", fmt::join(first, ", "), sites.size() - kMost);
}

bool isAnyJoined(const Evidence& evidence) {
  return std::ranges::any_of(evidence.observations, [](const auto& one) { return one.epochs > 1; }) ||
         std::ranges::any_of(evidence.histograms, [](const auto& one) { return one.epochs > 1; });
}

bool isNativeMeasured(const Evidence& evidence) {
  return std::ranges::any_of(evidence.observations,
                             [](const auto& one) { return one.choice == kNativeName && one.samples > 0; });
}

}  // namespace

RunWarnings::RunWarnings(const RunSummary& summary) {
  if (!summary.run.finished) {
    of_run_.emplace_back(
        "This run was still going on when the report was written, or ended without MPI_Finalize: its last calls may be "
        "missing.");
  } else if (!summary.run.run.seconds) {
    of_run_.emplace_back("How long the run took is not recorded.");
  }
  if (summary.keys.empty()) {
    of_run_.emplace_back(
        "No allreduce was recorded. Calls of one rank alone, of vectors without elements, and those that come before a "
        "communicator is worth preparing are not; STARLING_PREPARE=always has the last recorded, too.");
  }
  if (summary.run.run.beside_keys.calls.value_or(0) > 0) {
    of_run_.push_back(fmt::format(
        "The time in allreduce has {} in {} on communicators that were not worth preparing yet: of these nothing else "
        "is recorded.",
        formatDuration(summary.run.run.beside_keys.seconds), formatCount(*summary.run.run.beside_keys.calls, "call")));
  }
  if (summary.unclear_keys > 0 && summary.saved) {
    of_run_.push_back(fmt::format("What was saved is not known of {}, and is that of the others.",
                                  formatCount(summary.unclear_keys, "key")));
  }
}

void RunWarnings::add(const Evidence& evidence) {
  const RecordedKey& recorded = evidence.key;
  const KeyRecord& key = recorded.row.key;
  const std::int64_t site = recorded.siteNumber();
  const bool is_tuned = key.state != "passes_through";
  if (!isConverged(key)) unsettled_.insert(site);
  if (!key.seconds) untimed_.insert(site);
  if (is_tuned && key.seconds && !isNativeMeasured(evidence)) without_native_.insert(site);
  if (isAnyJoined(evidence)) joined_.insert(site);
  const ComparedBy& compared_by = recorded.row.communicator.compared_by;
  if (isComparedByElapsed(compared_by)) by_elapsed_.insert(site);
  if (!compared_by && key.seconds) by_unknown_.insert(site);
  if (recorded.isCountedLate()) is_any_counted_late_ = true;
  const std::optional<double>& error = recorded.row.communicator.clock_error;
  if (error) clock_error_ = std::max(clock_error_.value_or(0.0), *error);
}

void RunWarnings::noteShown(std::size_t shown, std::size_t all) {
  if (shown == all) return;
  of_run_.push_back(
      fmt::format("Not shown: {} of {}, those with least time in allreduce, and what follows does not tell of them. "
                  "`starling report "
                  "--limit` shows more, `starling sites` lists all.",
                  all - shown, formatCount(static_cast<std::int64_t>(all), "key")));
}

std::vector<std::string> RunWarnings::sentences() const {
  std::vector<std::string> all = of_run_;
  const auto say = [&all](const Sites& sites, const std::string& what) {
    if (!sites.empty()) all.push_back(fmt::format("{}: {}", sitesText(sites), what));
  };
  say(unsettled_, "not converged. What is in force is only the best so far.");
  say(untimed_, "no call was timed, so nothing is known of what calls take.");
  say(without_native_, "the MPI library's own allreduce (native) was not measured, so no gain can be stated.");
  say(joined_, "old epochs were joined, which leaves means and deviations as they were, but not when they were so.");
  if (!by_elapsed_.empty()) all.push_back(comparisonNote(kByElapsed, sitesText(by_elapsed_) + ": "));
  if (!by_unknown_.empty()) all.push_back(comparisonNote(std::nullopt, sitesText(by_unknown_) + ": "));
  if (is_any_counted_late_) {
    all.emplace_back("Calls that came before their communicator was worth preparing may not be counted.");
  }
  const std::string clocks = clockNote(clock_error_);
  if (!clocks.empty()) all.push_back(clocks);
  for (std::string& sentence : all) sentence = printable(sentence);
  return all;
}

}  // namespace starling::cli
