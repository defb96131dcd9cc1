#include "key_json.h"

#include "store/lateness_classes.h"

namespace starling::cli {

namespace {

Json textJson(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }

}  // namespace

Json keyJson(const RecordedKey& recorded) {
  const KeyRow& row = recorded.row;
  const KeyRecord& key = row.key;
  Json json;
  json["run"] = recorded.run.number;
  json["site"] = row.site_number;
  json["where"] = recorded.where();
  json["symbol"] = recorded.place.symbol.empty() ? row.site.symbol : recorded.place.symbol;
  json["file"] = recorded.place.file;
  json["line"] = recorded.place.line > 0 ? Json(recorded.place.line) : Json(nullptr);
  json["label"] = row.site.label;
  json["module"] = row.site.module;
  json["build_id"] = row.site.build_id;
  json["offset"] = row.site.offset;
  json["identity"] = row.site.identity;
  json["communicator"] = row.communicator.id;
  json["communicator_name"] = row.communicator.name;
  json["communicator_size"] = row.communicator.size;
  json["bytes"] = key.bytes;
  json["size_class"] = key.id.size_class;
  json["type"] = key.id.type;
  json["operation"] = key.id.operation;
  json["calls"] = key.calls;
  json["exploration_calls"] = key.exploration_calls;
  json["seconds"] = optionalJson(key.seconds);
  json["imbalance"] = optionalJson(key.imbalance);
  json["algorithm"] = key.choice;
  json["table"] = key.table;
  json["gain"] = optionalJson(key.gain);
  json["gain_error"] = optionalJson(key.gain_error);
  json["compared_by"] = textJson(row.communicator.compared_by);
  json["clock_error"] = optionalJson(row.communicator.clock_error);
  json["state"] = key.state;
  json["cycle"] = key.cycle;
  json["outlook"] = key.outlook;
  return json;
}

Json keyNameJson(const RecordedKey& recorded) {
  const Json all = keyJson(recorded);
  Json json;
  for (const char* field :
       {"run", "site", "where", "communicator", "communicator_size", "bytes", "type", "operation", "compared_by"}) {
    json[field] = all[field];
  }
  return json;
}

Json namedRecord(const RecordedKey& key, const Json& record) {
  Json json = keyNameJson(key);
  json.update(record);
  return json;
}

Json candidateJson(const CandidateSummary& candidate) {
  Json json;
  json["algorithm"] = candidate.choice;
  json["epochs"] = candidate.epochs;
  json["records"] = candidate.records;
  json["calls"] = candidate.calls;
  json["exploration_calls"] = candidate.exploration_calls;
  json["samples"] = candidate.samples;
  json["elapsed"] = optionalJson(candidate.elapsed.mean);
  json["elapsed_minimum"] = optionalJson(candidate.elapsed.minimum);
  json["elapsed_deviation"] = optionalJson(candidate.elapsed.deviation);
  json["post_arrival"] = optionalJson(candidate.post_arrival.mean);
  json["post_arrival_minimum"] = optionalJson(candidate.post_arrival.minimum);
  json["post_arrival_deviation"] = optionalJson(candidate.post_arrival.deviation);
  return json;
}

Json arrivalJson(const RankArrival& arrival) {
  Json json;
  json["rank"] = arrival.rank;
  json["world_rank"] = optionalJson(arrival.world_rank);
  json["samples"] = arrival.samples;
  json["last"] = optionalJson(arrival.last);
  json["timed"] = arrival.timed;
  json["lateness"] = arrival.lateness.value;
  json["deviation"] = arrival.deviation.value;
  json["predicted"] = arrival.predicted.value;
  json["predictor"] = arrival.method;
  json["predictor_error"] = arrival.error ? Json(arrival.error->value) : Json(nullptr);
  json["prediction_error"] = arrival.prediction_error ? Json(arrival.prediction_error->value) : Json(nullptr);
  return json;
}

Json histogramJson(const ArrivalHistogram& histogram) {
  if (histogram.epochs == 0) return nullptr;
  Json json;
  json["epochs"] = histogram.epochs;
  json["records"] = histogram.records;
  json["samples"] = histogram.samples;
  json["below"] = Json::array();
  for (const Seconds bound : kLatenessBounds) json["below"].push_back(bound.value);
  json["below"].push_back(nullptr);
  json["counts"] = histogram.counts;
  return json;
}

Json decisionJson(const RecordedKey& key, const DecisionRecord& decision) {
  Json json;
  json["run"] = key.run.number;
  json["site"] = key.siteNumber();
  json["where"] = key.where();
  json["communicator"] = key.row.communicator.id;
  json["communicator_size"] = key.row.communicator.size;
  json["bytes"] = key.row.key.bytes;
  json["type"] = key.row.key.id.type;
  json["operation"] = key.row.key.id.operation;
  json["epoch"] = decision.epoch;
  json["call"] = decision.call;
  json["algorithm"] = decision.choice;
  json["table"] = decision.table;
  json["compared_by"] = textJson(key.row.communicator.compared_by);
  json["expected"] = optionalJson(decision.expected);
  json["measured"] = optionalJson(decision.measured);
  json["native"] = optionalJson(decision.native);
  json["reason"] = decision.reason;
  return json;
}

Json runJson(const RunRow& row) {
  const Environment& environment = row.run.environment;
  Json json;
  json["number"] = row.number;
  json["program"] = row.run.program;
  json["started"] = row.run.started;
  json["finished"] = optionalJson(row.finished);
  json["seconds"] = optionalJson(row.run.seconds);
  json["unprepared_calls"] = optionalJson(row.run.beside_keys.calls);
  json["unprepared_seconds"] = optionalJson(row.run.beside_keys.seconds);
  json["preparing_seconds"] = optionalJson(row.run.beside_keys.preparing);
  json["ranks"] = environment.ranks;
  json["nodes"] = environment.nodes;
  json["ranks_per_node"] = environment.ranks_per_node;
  json["processor"] = environment.processor;
  json["mpi_version"] = environment.mpi_version;
  json["transport"] = environment.transport;
  return json;
}

}  // namespace starling::cli
