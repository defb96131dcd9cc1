// A whole message of decisions, read.
#pragma once

#include "tuner/plan.h"

namespace starling {

inline Result<Decisions> decodeDecisions(std::span<const std::byte> buffer, std::int32_t ranks) {
  DecisionReader reader(buffer, ranks);
  if (Status status = reader.start(); !status.isOk()) return status;
  Decisions decisions;
  decisions.next_epoch_length = reader.nextEpochLength();
  while (reader.left() > 0) {
    if (Status status = reader.next(decisions.updates.emplace_back()); !status.isOk()) return status;
  }
  return decisions;
}

}  // namespace starling
