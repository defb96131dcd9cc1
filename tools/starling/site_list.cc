#include "site_list.h"

#include <algorithm>

#include "base/text_format.h"
#include "comparison.h"
#include "key_json.h"
#include "key_tone.h"

namespace starling::cli {
namespace {

// Rows are sorted by gains that rest on something; that native takes as long as native does needs no calls.
Json knownGain(const RecordedKey& recorded) {
  const KeyRecord& key = recorded.row.key;
  const bool is_known = (key.gain_error && !mayBeChance(key.gain, key.gain_error)) || key.choice == kNativeName;
  return key.gain && is_known ? Json(*key.gain) : Json();
}

}  // namespace

ListShape<RecordedKey> sitesShape() {
  return {
      {{"RUN", ColumnKind::kNumber, "run", [](const RecordedKey& key) { return std::to_string(key.run.number); }},
       {"SITE", ColumnKind::kNumber, "site", [](const RecordedKey& key) { return std::to_string(key.siteNumber()); }},
       {"WHERE", ColumnKind::kText, "where", [](const RecordedKey& key) { return key.where(); }},
       {"RANKS", ColumnKind::kFigure, "communicator_size",
        [](const RecordedKey& key) { return std::to_string(key.row.communicator.size); }},
       {"BYTES", ColumnKind::kFigure, "bytes",
        [](const RecordedKey& key) { return formatBytes(Bytes{key.row.key.bytes}); }},
       {"TYPE/OP", ColumnKind::kText, "type",
        [](const RecordedKey& key) { return key.row.key.id.type + "/" + key.row.key.id.operation; }},
       {"CALLS", ColumnKind::kFigure, "calls",
        [](const RecordedKey& key) { return std::to_string(key.row.key.calls); }},
       {"TIME", ColumnKind::kFigure, "seconds",
        [](const RecordedKey& key) { return formatDuration(key.row.key.seconds); }},
       {"IMBALANCE", ColumnKind::kFigure, "imbalance",
        [](const RecordedKey& key) { return formatDuration(key.row.key.imbalance); }},
       {"ALGORITHM", ColumnKind::kText, "algorithm", [](const RecordedKey& key) { return key.row.key.choice; }},
       {"GAIN", ColumnKind::kFigure, "gain", [](const RecordedKey& key) { return gainOf(key.row.key); },
        [](const RecordedKey& key) { return toneOfGain(key.row.key.gain, key.row.key.gain_error); }, knownGain},
       {"STATE", ColumnKind::kText, "state", [](const RecordedKey& key) { return key.row.key.state; },
        [](const RecordedKey& key) { return toneOfState(key.row.key.state); }},
       {"OF ITS CALLS", ColumnKind::kText, "cycle",
        [](const RecordedKey& key) { return key.row.key.cycle.empty() ? "all" : key.row.key.cycle; }},
       {"COMMUNICATOR", ColumnKind::kText, "communicator_name",
        [](const RecordedKey& key) { return key.communicator; }}},
      keyJson};
}

ListShape<RecordedKey> sitesShape(const Recording& recording) {
  const auto any_key = [&recording](const auto& condition) { return std::ranges::any_of(recording.keys(), condition); };
  ListShape<RecordedKey> shape = sitesShape();
  shape.setShown("run", recording.runs().size() > 1);
  shape.setShown("cycle", any_key([](const RecordedKey& key) { return !key.row.key.cycle.empty(); }));
  shape.setShown("communicator_name", any_key([](const RecordedKey& key) { return !key.communicator.empty(); }));
  return shape;
}

}  // namespace starling::cli
