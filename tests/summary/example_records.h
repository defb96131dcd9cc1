// Records with known figures, for tests of what summaries and the CLI make of them.
#pragma once

#include <string>
#include <utility>

#include "store/records.h"

namespace starling {

inline KeyId exampleKeyId(std::string site, std::string communicator = "world") {
  return {std::move(communicator), std::move(site), 22, "float", "sum"};
}

inline ObservationRecord observation(const KeyId& key, std::int64_t epoch, std::string choice, std::int64_t samples,
                                     double post_arrival, double deviation = 0.0) {
  ObservationRecord record;
  record.key = key;
  record.epoch = epoch;
  record.choice = std::move(choice);
  record.exploration = true;
  record.calls = samples;
  record.samples = samples;
  if (samples == 0) return record;
  record.elapsed_mean = post_arrival + 0.010;
  record.elapsed_minimum = *record.elapsed_mean - deviation;
  record.elapsed_deviation = deviation;
  record.post_arrival_mean = post_arrival;
  record.post_arrival_minimum = post_arrival - deviation;
  record.post_arrival_deviation = deviation;
  return record;
}

// The same of ranks whose clocks cannot be compared.
inline ObservationRecord elapsedObservation(const KeyId& key, std::int64_t epoch, std::string choice,
                                            std::int64_t samples, double elapsed, double deviation = 0.0) {
  ObservationRecord record = observation(key, epoch, std::move(choice), samples, elapsed - 0.010, deviation);
  record.post_arrival_mean.reset();
  record.post_arrival_minimum.reset();
  record.post_arrival_deviation.reset();
  return record;
}

inline ArrivalRecord arrival(const KeyId& key, std::int64_t epoch, std::int32_t rank, double mean, double deviation,
                             double predicted) {
  return {key, epoch, rank, 4, mean, deviation, predicted, "moving_average", 0.0004};
}

inline SiteRecord labelledSite(const std::string& label) {
  SiteRecord site;
  site.identity = "label:" + label;
  site.label = label;
  return site;
}

inline SiteRecord symbolSite(const std::string& symbol, std::uint64_t offset) {
  SiteRecord site;
  site.identity = "app[0a0b]+" + std::to_string(offset);
  site.module = "/missing/app";
  site.build_id = "0a0b";
  site.offset = offset;
  site.symbol = symbol;
  return site;
}

}  // namespace starling
