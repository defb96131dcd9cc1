#include "summary_json.h"

#include "key_json.h"

namespace starling::cli {
namespace {

Json keySummaryJson(const KeySummary& summary) {
  Json json;
  json["site"] = summary.row.site_number;
  json["communicator"] = summary.row.communicator.id;
  json["communicator_size"] = summary.row.communicator.size;
  json["bytes"] = summary.row.key.bytes;
  json["type"] = summary.row.key.id.type;
  json["operation"] = summary.row.key.id.operation;
  json["cycle"] = summary.row.key.cycle;
  json["calls"] = summary.row.key.calls;
  json["seconds"] = optionalJson(summary.row.key.seconds);
  json["waiting"] = optionalJson(summary.waiting);
  json["algorithm"] = summary.row.key.choice;
  json["state"] = summary.row.key.state;
  json["gain"] = optionalJson(summary.row.key.gain);
  json["gain_error"] = optionalJson(summary.row.key.gain_error);
  json["saved"] = optionalJson(summary.saved);
  json["saved_error"] = optionalJson(summary.saved_error);
  json["exploring"] = optionalJson(summary.exploring);
  return json;
}

Json latestJson(const std::optional<LatestRank>& latest) {
  if (!latest) return nullptr;
  Json json;
  json["rank"] = latest->rank;
  json["host"] = latest->host.empty() ? Json(nullptr) : Json(latest->host);
  json["share"] = latest->share;
  return json;
}

}  // namespace

Json summaryJson(const RunSummary& summary) {
  Json json;
  json["run"] = runJson(summary.run);
  json["seconds"] = optionalJson(summary.seconds);
  json["waiting"] = optionalJson(summary.waiting);
  json["waiting_is_partial"] = summary.is_waiting_partial;
  json["latest"] = latestJson(summary.latest);
  json["saved"] = optionalJson(summary.saved);
  json["saved_error"] = optionalJson(summary.saved_error);
  json["exploring"] = optionalJson(summary.exploring);
  json["unclear_keys"] = summary.unclear_keys;
  json["keys"] = Json::array();
  for (const KeySummary& key : summary.keys) json["keys"].push_back(keySummaryJson(key));
  return json;
}

}  // namespace starling::cli
