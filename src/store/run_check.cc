#include "store/run_check.h"

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <type_traits>

#include "store/lateness_classes.h"
#include "store/record_fields.h"

namespace starling {
namespace {

// Sums of so large counts, a million of them, still fit.
constexpr std::int64_t kLargestCount = std::int64_t{1} << 43;

// Returns what is wrong with a value, or nothing.
template <typename Value>
std::string faultOf(const Value& value) {
  if constexpr (std::is_floating_point_v<Value>) {
    if (!std::isfinite(value)) return fmt::format("is {}; expected a number", value);
  } else if constexpr (std::is_signed_v<Value> && !std::is_same_v<Value, bool>) {
    if (value < 0 || value > kLargestCount) {
      return fmt::format("is {}; expected a number from 0 to {}", value, kLargestCount);
    }
  } else if constexpr (kIsOptional<Value>) {
    if (value) return faultOf(*value);
  } else if constexpr (kIsList<Value>) {
    for (const auto& item : value) {
      if (std::string fault = faultOf(item); !fault.empty()) return fault;
    }
  }
  return "";
}

template <typename Record>
Status checkFields(const Record& record, const char* table) {
  Status status = Status::ok();
  forEachField(record, [&]<template <typename> class Kind, typename Value>(const Kind<Value>& field) {
    if constexpr (std::same_as<Kind<Value>, Field<Value>>) {
      const std::string fault = faultOf(field.value);
      if (status.isOk() && !fault.empty()) status = Status::error(fmt::format("{}, {}: {}", table, field.name, fault));
    }
  });
  return status;
}

template <typename Record>
Status checkAll(const std::vector<Record>& records, const char* table) {
  for (const Record& record : records) {
    if (Status checked = checkFields(record, table); !checked.isOk()) return checked;
  }
  return Status::ok();
}

Status checkEpochs(std::int64_t epochs, const char* table) {
  if (epochs >= 1) return Status::ok();
  return Status::error(fmt::format("{}, epochs: is {}; expected 1 or more", table, epochs));
}

Status checkRanks(const Batch& records) {
  std::map<std::string, std::int32_t> sizes;
  for (const CommunicatorRecord& communicator : records.communicators) sizes[communicator.id] = communicator.size;
  for (const ArrivalRecord& arrival : records.arrivals) {
    if (arrival.rank >= sizes[arrival.key.communicator]) {
      return Status::error(fmt::format("arrivals, rank: is {}; its communicator has {} ranks", arrival.rank,
                                       sizes[arrival.key.communicator]));
    }
    if (Status checked = checkEpochs(arrival.epochs, "arrivals"); !checked.isOk()) return checked;
  }
  return Status::ok();
}

Status checkHistograms(const Batch& records) {
  for (const HistogramRecord& histogram : records.histograms) {
    if (histogram.counts.size() > kLatenessClasses) {
      return Status::error(fmt::format("arrival_histograms, counts: has {} entries; expected {} at most",
                                       histogram.counts.size(), kLatenessClasses));
    }
    if (Status checked = checkEpochs(histogram.epochs, "arrival_histograms"); !checked.isOk()) return checked;
  }
  for (const ObservationRecord& observation : records.observations) {
    if (Status checked = checkEpochs(observation.epochs, "observations"); !checked.isOk()) return checked;
  }
  return Status::ok();
}

}  // namespace

Status checkRun(const StoredRun& run) {
  const Batch& records = run.records;
  for (const Status& checked :
       {checkFields(run.run, "runs"), checkFields(run.run.environment, "environments"),
        checkAll(records.communicators, "communicators"), checkAll(records.keys, "keys"),
        checkAll(records.observations, "observations"), checkAll(records.arrivals, "arrivals"),
        checkAll(records.histograms, "arrival_histograms"), checkAll(records.decisions, "decisions"),
        checkRanks(records), checkHistograms(records)}) {
    if (!checked.isOk()) return Status::error(fmt::format("run {}, {}", run.run.id, checked.message()));
  }
  return Status::ok();
}

}  // namespace starling
