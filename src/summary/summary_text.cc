#include "summary/summary_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/printable.h"
#include "base/text_format.h"

namespace starling {
namespace {

std::string timeLine(const RunSummary& summary) {
  const Run& run = summary.run.run;
  const std::string who =
      fmt::format("Run {}, {} with {} on {}", summary.run.number, run.program,
                  formatCount(run.environment.ranks, "rank"), formatCount(run.environment.nodes, "node"));
  if (!summary.seconds) {
    return who + ": no call of allreduce was timed" +
           (summary.run.finished ? "." : "; it is still going on, or ended without MPI_Finalize.");
  }
  if (!run.seconds) {
    return fmt::format("{}: {} in allreduce, mean over ranks{}.", who, formatDuration(summary.seconds),
                       summary.run.finished ? "" : "; it is still going on, or ended without MPI_Finalize");
  }
  if (*summary.seconds >= *run.seconds) {
    return fmt::format("{}, took {}, nearly all of it in allreduce.", who, formatDuration(run.seconds));
  }
  return fmt::format("{}, took {}, {} of it ({}) in allreduce, mean over ranks.", who, formatDuration(run.seconds),
                     formatDuration(summary.seconds), formatPercent(*summary.seconds / *run.seconds));
}

std::string waitingLine(const RunSummary& summary) {
  if (!summary.waiting)
    return "How much of that was waiting for late ranks is not measured: their clocks do not compare.";
  std::string line =
      fmt::format("{}{} ({}) of that was waiting for late ranks", summary.is_waiting_partial ? "At least " : "",
                  formatDuration(summary.waiting), formatPercent(*summary.waiting / std::max(*summary.seconds, 1e-9)));
  const bool stands_out = summary.latest && (summary.latest->share >= 0.5 ||
                                             summary.latest->share * summary.run.run.environment.ranks >= 2.0);
  if (summary.latest && !stands_out) {
    line += ", for no rank in particular";
  } else if (summary.latest) {
    const std::string host = summary.latest->host.empty() ? "" : " on " + summary.latest->host;
    line += fmt::format(", {} of it for rank {}{}", formatPercent(summary.latest->share), summary.latest->rank, host);
  }
  return line + ".";
}

// Returns "2.10 s +- 200 ms".
std::string withError(double value, const std::optional<double>& error) {
  return fmt::format("{} +- {}", formatDuration(Seconds{std::abs(value)}), formatDuration(error));
}

std::string savedText(double saved, const std::optional<double>& error) {
  return fmt::format("{} {}", withError(saved, error), saved < 0.0 ? "more" : "less");
}

std::string exploringText(double exploring) {
  return exploring < 0.0 ? fmt::format("trials took {} less", formatDuration(Seconds{-exploring}))
                         : fmt::format("trials took {} more", formatDuration(Seconds{exploring}));
}

// Says what is beside the calls that keys have, where that is a part worth a word.
std::optional<std::string> besideLine(const RunSummary& summary, bool is_full) {
  constexpr double kWorthAWord = 0.01;
  const BesideKeys& beside = summary.run.run.beside_keys;
  const double least = is_full ? 0.0 : kWorthAWord * summary.run.run.seconds.value_or(0.0);
  std::string line;
  if (beside.seconds.value_or(0.0) > least) {
    line = fmt::format("{} of the time in allreduce were {} on communicators that were not worth preparing yet.",
                       formatDuration(beside.seconds), formatCount(beside.calls.value_or(0), "call"));
  }
  if (beside.preparing.value_or(0.0) > least) {
    line += fmt::format("{}Preparing communicators, and what their ranks agreed on, took {} beside that.",
                        line.empty() ? "" : " ", formatDuration(beside.preparing));
  }
  return line.empty() ? std::nullopt : std::optional(line);
}

// Returns "3 run another algorithm, 1 native, 2 are not settled"; keys are of a call site and a size.
std::string statesText(const RunSummary& summary) {
  std::int64_t others = 0;
  std::int64_t native = 0;
  std::int64_t open = 0;
  std::int64_t left_alone = 0;
  for (const KeySummary& one : summary.keys) {
    const KeyRecord& key = one.row.key;
    if (key.state == "passes_through") {
      ++left_alone;
    } else if (key.state != "settled") {
      ++open;
    } else {
      ++(key.choice == kNativeName ? native : others);
    }
  }
  std::string text;
  const auto append = [&text](std::int64_t count, const char* what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  append(others, "settled on another algorithm");
  append(native, "settled on native");
  append(open, "not settled");
  append(left_alone, "left alone");
  return text;
}

std::string tuningLine(const RunSummary& summary) {
  std::string line = fmt::format("Of {} (call site, size of vectors, communicator): {}.",
                                 formatCount(std::ssize(summary.keys), "key"), statesText(summary));
  if (std::ranges::none_of(summary.keys, [](const KeySummary& one) { return isTuned(one.row.key); })) return line;
  if (!summary.saved) {
    return line + " What native would have taken cannot be told: its calls were too few, or too different.";
  }
  if (*summary.saved == 0.0 && summary.saved_error == 0.0) {
    line += " All calls but trials were native's";
  } else {
    line += fmt::format(" Calls of other algorithms took {} than native would have",
                        savedText(*summary.saved, summary.saved_error));
  }
  if (summary.exploring && *summary.exploring != 0.0) line += ", and " + exploringText(*summary.exploring);
  if (summary.unclear_keys > 0) {
    line += fmt::format("; of {} that cannot be told", formatCount(summary.unclear_keys, "key"));
  }
  return line + ".";
}

constexpr std::size_t kMostKeyLines = 20;

std::string keyLine(const KeySummary& summary) {
  const KeyRecord& key = summary.row.key;
  std::string line = fmt::format("Site {}, {}: {} of {} ({}, {}) on {}, {}", summary.row.site_number, summary.site,
                                 formatCount(key.calls, "call") + (key.cycle.empty() ? "" : " (" + key.cycle + ")"),
                                 formatBytes(Bytes{key.bytes}), key.id.type, key.id.operation,
                                 formatCount(summary.row.communicator.size, "rank") +
                                     (summary.communicator.empty() ? "" : " of " + summary.communicator),
                                 formatDuration(key.seconds));
  if (summary.waiting) line += fmt::format(", {} waiting", formatDuration(summary.waiting));
  line += fmt::format("; {}, {}", key.choice, key.state);
  if (key.gain && key.choice != kNativeName) {
    line += ", gain " + formatGain(key.gain, key.gain_error);
  }
  if (summary.saved == 0.0 && summary.saved_error == 0.0 && key.choice != kNativeName) {
    line += "; all calls but trials were native's so far";
  } else if (summary.saved && (key.choice != kNativeName || *summary.saved != 0.0)) {
    const char* const what = !summary.has_former_choices ? ","
                             : summary.has_own_calls     ? "; that and other choices before"
                                                         : "; other choices before";
    line += fmt::format("{} took {} than native", what, savedText(*summary.saved, summary.saved_error));
  } else if (!summary.saved && key.choice != kNativeName) {
    line += "; what native would have taken cannot be told";
  }
  if (summary.exploring && *summary.exploring != 0.0 && key.exploration_calls > 0)
    line += ", " + exploringText(*summary.exploring);
  return line + ".";
}

}  // namespace

std::string formatPercent(double share) { return fmt::format("{:.{}f}%", 100.0 * share, share < 0.0995 ? 1 : 0); }

std::vector<std::string> summaryLines(const RunSummary& summary, bool is_full) {
  std::vector<std::string> lines{timeLine(summary)};
  const bool is_any_timed =
      std::ranges::any_of(summary.keys, [](const KeySummary& one) { return one.row.key.seconds.has_value(); });
  if (is_any_timed) lines.push_back(waitingLine(summary));
  if (const std::optional<std::string> beside = besideLine(summary, is_full)) lines.push_back(*beside);
  if (!summary.keys.empty()) lines.push_back(tuningLine(summary));
  if (is_full) {
    if (summary.adds_up_to_more) {
      lines.emplace_back(
          "The times of keys add up to more than the run took, as where threads call at the same time; those above are "
          "made to fit into it.");
    }
    const std::size_t shown = std::min(summary.keys.size(), kMostKeyLines);
    for (std::size_t i = 0; i < shown; ++i) lines.push_back(keyLine(summary.keys[i]));
    if (shown < summary.keys.size()) {
      lines.push_back(fmt::format("{} took less time.",
                                  formatCount(static_cast<std::int64_t>(summary.keys.size() - shown), "other key")));
    }
  }
  return lines;
}

std::string furtherLine(const RunSummary& summary, const std::string& database) {
  if (summary.keys.empty()) {
    return summary.run.run.beside_keys.seconds.value_or(0.0) > 0.0
               ? "STARLING_PREPARE=always records such calls, too: by call site and size."
               : "There is nothing more to tell: no call of MPI_Allreduce on an intracommunicator is recorded.";
  }
  return fmt::format("For more: starling sites --run {} --db {}", summary.run.number, quotedForShell(database));
}

}  // namespace starling
