#include "recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "base/text_format.h"
#include "place.h"
#include "site_lookup.h"
#include "summary/communicator_names.h"

namespace starling::cli {
namespace {

std::optional<std::int64_t> runNumber(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size() || number < 1) return std::nullopt;
  return number;
}

}  // namespace

Result<std::vector<RunRow>> chooseRuns(std::vector<RunRow> runs, const std::string& choice) {
  if (runs.empty()) return Status::error("the database holds no run yet: start a program with `starling run`");
  if (choice == "all") return runs;
  if (choice == "latest") return std::vector<RunRow>{runs.back()};
  const std::optional<std::int64_t> number = runNumber(choice);
  for (const RunRow& run : runs) {
    if (run.number == number) return std::vector<RunRow>{run};
  }
  const auto [first, last] = std::ranges::minmax(runs, {}, &RunRow::number);
  return Status::error(
      fmt::format("there is no run {}: the database holds runs {} to {}", choice, first.number, last.number));
}

Status checkRunChoice(const std::string& text) {
  if (text == "latest" || text == "all" || runNumber(text)) return Status::ok();
  return Status::error(fmt::format("'{}' is not a run: give a number, `latest` or `all`", text));
}

std::string RecordedKey::where() const { return describeSite(row.site, place); }

// What a run spent on communicators that were not prepared is told at its end, for all of them together.
bool RecordedKey::isCountedLate() const {
  if (const std::optional<double>& seconds = run.run.beside_keys.seconds) return *seconds > 0.0;
  return !run.finished || row.communicator.name != "MPI_COMM_WORLD";
}

std::string RecordedKey::ranks() const {
  return formatCount(row.communicator.size, "rank") + (communicator.empty() ? "" : " of " + communicator);
}

Result<Recording> Recording::open(const std::string& database, const std::string& run_choice, Seconds patience) {
  Result<Reader> reader = Reader::open(database, patience);
  if (!reader.isOk()) return reader.status();
  Recording recording(std::move(reader).value());
  const Status loaded = recording.load(run_choice);
  if (!loaded.isOk()) return loaded;
  return recording;
}

Status Recording::load(const std::string& run_choice) {
  Result<std::vector<RunRow>> all = reader_.runs();
  if (!all.isOk()) return all.status();
  Result<std::vector<RunRow>> chosen = chooseRuns(std::move(all).value(), run_choice);
  if (!chosen.isOk()) return chosen.status();
  runs_ = std::move(chosen).value();

  Symbolizer symbolizer;
  std::map<std::int64_t, Place> places;  // by site
  for (const RunRow& run : runs_) {
    Result<std::vector<KeyRow>> rows = reader_.keys(run.number);
    if (!rows.isOk()) return rows.status();
    const std::vector<std::string> communicators = communicatorNames(rows.value());
    for (std::size_t i = 0; i < rows.value().size(); ++i) {
      KeyRow& row = rows.value()[i];
      auto place = places.find(row.site_number);
      if (place == places.end()) {
        const SiteRecord& site = row.site;
        place = places.emplace(row.site_number, symbolizer.locate(site.module, site.build_id, site.offset)).first;
      }
      keys_.push_back({run, std::move(row), place->second, communicators[i]});
    }
  }
  return Status::ok();
}

Result<std::vector<RecordedKey>> Recording::keysOfSite(const std::string& site) const {
  const Result<std::int64_t> number = findSite(keys_, site);
  if (!number.isOk()) return Status::error(number.status().message() + " (looked in " + describeRuns() + ")");
  std::vector<RecordedKey> found;
  for (const RecordedKey& key : keys_) {
    if (key.siteNumber() == number.value()) found.push_back(key);
  }
  return found;
}

Result<Evidence> Recording::evidence(const RecordedKey& key) const {
  auto observations = reader_.observations(key.row.number);
  if (!observations.isOk()) return observations.status();
  auto arrivals = reader_.arrivals(key.row.number);
  if (!arrivals.isOk()) return arrivals.status();
  auto histograms = reader_.histograms(key.row.number);
  if (!histograms.isOk()) return histograms.status();
  auto decisions = reader_.decisions(key.row.number);
  if (!decisions.isOk()) return decisions.status();
  return Evidence{key, std::move(observations).value(), std::move(arrivals).value(), std::move(histograms).value(),
                  std::move(decisions).value()};
}

std::string Recording::describeRuns() const {
  if (runs_.size() == 1) return fmt::format("run {} of {}", runs_.front().number, runs_.front().run.program);
  return fmt::format("{} runs", runs_.size());
}

}  // namespace starling::cli
