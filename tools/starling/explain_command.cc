#include <fmt/format.h>

#include <memory>

#include "command_options.h"
#include "commands.h"
#include "explanation.h"
#include "key_json.h"
#include "recording.h"
#include "terminal.h"

namespace starling::cli {
namespace {

Outcome explainSite(const Query& query, const std::string& database) {
  const Result<Recording> recording = Recording::open(database, query.run);
  if (!recording.isOk()) return Outcome::fault(recording.status());
  const auto keys = recording.value().keysOfSite(query.site);
  if (!keys.isOk()) return Outcome::fault(keys.status());
  Json rows = Json::array();
  bool first = true;
  for (const RecordedKey& key : keys.value()) {
    const Result<Evidence> evidence = recording.value().evidence(key);
    if (!evidence.isOk()) return Outcome::fault(evidence.status());
    const std::vector<std::string> sentences = explain(evidence.value());
    if (query.json) {
      Json row = keyJson(key);
      row["converged"] = isConverged(key.row.key);
      row["sentences"] = sentences;
      rows.push_back(std::move(row));
      continue;
    }
    if (!first) fmt::print("\n");
    first = false;
    for (const std::string& sentence : sentences) show("{}\n", sentence);
  }
  if (query.json) fmt::print("{}", formatJson(rows));
  return Outcome::ok();
}

}  // namespace

Action setUpExplain(CLI::App& command, const Globals& globals) {
  const auto query = std::make_shared<Query>();
  addSiteQuery(command, *query);
  return [query, &globals] { return explainSite(*query, globals.databaseInForce()); };
}

}  // namespace starling::cli
