// What the section of one key shows in a report.
#pragma once

#include "json_text.h"
#include "recording.h"

namespace starling::cli {

// How much of a key's history a report has at most; what is left out or joined is said in its notes.
inline constexpr std::size_t kReportColumns = 48;    // of epochs in a heat map; neighbours are joined
inline constexpr std::size_t kReportRanks = 16;      // rows of a heat map; those that were late the longest
inline constexpr std::size_t kReportPoints = 120;    // of times over epochs; neighbours are joined
inline constexpr std::size_t kReportDecisions = 12;  // the latest
inline constexpr std::size_t kReportKeys = 200;      // that are shown as a rule; those with most time
inline constexpr std::size_t kReportCalls = 24;      // sites of which a call is drawn; those with most time

// Returns texts, tables and the figures of plots as JSON, durations in seconds. Figures of plots have four significant
// digits.
Json siteReport(const Evidence& evidence);

// Returns the time of one call, mean over ranks, by epoch: few points for a small plot. Empty where nothing was timed.
Json sparkline(const std::vector<ObservationRecord>& observations);

}  // namespace starling::cli
