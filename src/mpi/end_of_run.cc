#include "mpi/end_of_run.h"

#include <cstdio>
#include <exception>
#include <optional>
#include <string>

#include "base/log.h"
#include "base/printable.h"
#include "store/reader.h"
#include "summary/run_summary.h"
#include "summary/summary_text.h"

namespace starling {
namespace {

Result<RunSummary> readSummary(const std::string& database, const std::string& run_id) {
  const Result<Reader> reader = Reader::open(database);
  if (!reader.isOk()) return reader.status();
  const Result<std::optional<RunRow>> run = reader.value().run(run_id);
  if (!run.isOk()) return run.status();
  if (!run.value()) return Status::error("the run is not in " + database);
  return summarizeRun(reader.value(), *run.value());
}

}  // namespace

void tellEndOfRun(const Options& options, const std::string& database, const std::string& run_id) noexcept {
  if (options.summary == SummaryLength::kOff || options.verbosity == LogLevel::kSilent) return;
  try {
    const Result<RunSummary> summary = readSummary(database, run_id);
    if (!summary.isOk()) {
      log(LogLevel::kInfo, "there is no summary of the run: " + summary.status().message());
      return;
    }
    const bool is_full = options.summary == SummaryLength::kFull;
    if (!is_full && !isWorthTelling(summary.value())) return;
    // One write, so that lines of several jobs do not mix.
    std::string block;
    for (const std::string& line : summaryLines(summary.value(), is_full)) {
      block += "starling: " + printable(line) + "\n";
    }
    block += "starling: " + printable(furtherLine(summary.value(), database)) + "\n";
    std::fwrite(block.data(), 1, block.size(), stderr);
  } catch (const std::exception&) {
    log(LogLevel::kInfo, "memory is short, and the summary of the run is lost");
  }
}

}  // namespace starling
