// Writes recorded keys and what belongs to them as JSON. Durations are in seconds.
#pragma once

#include "json_text.h"
#include "recording.h"
#include "summary/arrival_summary.h"
#include "summary/candidate_summary.h"

namespace starling::cli {

Json keyJson(const RecordedKey& key);
// Gives those fields alone that say which key it is, and by which time its candidates are compared.
Json keyNameJson(const RecordedKey& key);
// Gives these fields, and then those of `record`.
Json namedRecord(const RecordedKey& key, const Json& record);
Json candidateJson(const CandidateSummary& candidate);
Json arrivalJson(const RankArrival& arrival);
// Gives the upper bound of each class, null for the last, and its count; null where nothing is recorded.
Json histogramJson(const ArrivalHistogram& histogram);
Json decisionJson(const RecordedKey& key, const DecisionRecord& decision);
Json runJson(const RunRow& run);

}  // namespace starling::cli
