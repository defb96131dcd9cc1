#include <fmt/format.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "command_options.h"
#include "commands.h"
#include "explanation.h"
#include "key_json.h"
#include "recording.h"
#include "terminal.h"

namespace starling::cli {
namespace {

// Of several communicators much is often alike. `above` has the sentences of the paragraph before, also those that were
// left out there.
void printParagraph(const std::vector<std::string>& sentences, const std::set<std::string>& above) {
  if (!above.empty()) fmt::print("\n");
  bool has_omitted = false;
  for (const std::string& sentence : sentences) {
    if (above.contains(sentence)) {
      has_omitted = true;
    } else {
      show("{}\n", sentence);
    }
  }
  if (has_omitted) fmt::print("The rest is as above.\n");
}

Outcome explainSite(const Query& query, const std::string& database) {
  const Result<Recording> recording = Recording::open(database, query.run);
  if (!recording.isOk()) return Outcome::fault(recording.status());
  const auto keys = recording.value().keysOfSite(query.site);
  if (!keys.isOk()) return Outcome::fault(keys.status());
  Json rows = Json::array();
  std::set<std::string> above;
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
    printParagraph(sentences, above);
    above = {sentences.begin(), sentences.end()};
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
