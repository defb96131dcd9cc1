#include "recorded_arrivals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>

#include "store/reader.h"

namespace starling::bench {
namespace {

bool isMeant(const KeyRow& row, const std::string& site) {
  return std::to_string(row.site_number) == site || row.site.label == site || row.site.identity == site;
}

Result<std::vector<RecordedPattern>> patternsOf(const Reader& reader, const KeyRow& row) {
  const auto arrivals = reader.arrivals(row.number);
  if (!arrivals.isOk()) return arrivals.status();
  const auto histograms = reader.histograms(row.number);
  if (!histograms.isOk()) return histograms.status();
  return recordedPatterns(arrivals.value(), histograms.value(), row.communicator.size);
}

// What is said where nothing can be replayed. `sizes` are the numbers of ranks of which something is recorded.
Status nothingToReplay(const Pattern& pattern, std::int32_t ranks, const std::set<std::int32_t>& sizes, bool is_there) {
  const std::string named = fmt::format("{} of {}", pattern.site, pattern.database);
  if (!is_there) {
    return Status::error(fmt::format("there is no site {}: `starling sites --run all --db {}` lists numbers and labels",
                                     named, pattern.database));
  }
  if (sizes.empty()) {
    return Status::error(fmt::format(
        "no arrivals are recorded of site {}: its calls were not timed, or the clocks of its ranks cannot be compared",
        named));
  }
  return Status::error(fmt::format("the arrivals of site {} were recorded on {} ranks, and these are {}: start as many",
                                   named, fmt::join(sizes, " and "), ranks));
}

}  // namespace

Result<std::vector<RecordedPattern>> readRecordedArrivals(const Pattern& pattern, std::int32_t ranks) {
  const Result<Reader> reader = Reader::open(pattern.database);
  if (!reader.isOk()) return reader.status();
  Result<std::vector<RunRow>> runs = reader.value().runs();
  if (!runs.isOk()) return runs.status();
  std::reverse(runs.value().begin(), runs.value().end());
  bool is_there = false;
  std::set<std::int32_t> sizes;
  for (const RunRow& run : runs.value()) {
    const Result<std::vector<KeyRow>> keys = reader.value().keys(run.number);
    if (!keys.isOk()) return keys.status();
    for (const KeyRow& row : keys.value()) {
      if (!isMeant(row, pattern.site)) continue;
      is_there = true;
      Result<std::vector<RecordedPattern>> patterns = patternsOf(reader.value(), row);
      if (!patterns.isOk() || (row.communicator.size == ranks && !patterns.value().empty())) return patterns;
      if (!patterns.value().empty()) sizes.insert(row.communicator.size);
    }
  }
  return nothingToReplay(pattern, ranks, sizes, is_there);
}

}  // namespace starling::bench
