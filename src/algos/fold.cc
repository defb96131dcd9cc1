#include "algos/fold.h"

#include <bit>

namespace starling {

Fold::Fold(std::int32_t ranks)
    : power_(static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(ranks)))), folded_(ranks - power_) {}

std::int32_t Fold::positionOf(std::int32_t rank) const {
  if (!isInPair(rank)) return rank - folded_;
  return rank % 2 == 0 ? kFoldedAway : rank / 2;
}

std::int32_t Fold::rankAt(std::int32_t position) const {
  return position < folded_ ? 2 * position + 1 : position + folded_;
}

void Fold::writeFolding(ScheduleWriter& writer, std::int32_t rank, const Block& block, std::int32_t tag) const {
  if (!isInPair(rank)) return;
  if (rank % 2 == 0) {
    writer.send(block, rank + 1, tag);
  } else {
    writer.reduce(block, rank - 1, OperandOrder::kIncomingLeft, tag);
  }
}

void Fold::writeUnfolding(ScheduleWriter& writer, std::int32_t rank, const Block& block, std::int32_t tag) const {
  if (!isInPair(rank)) return;
  if (rank % 2 == 0) {
    writer.receive(block, rank + 1, tag);
  } else {
    writer.send(block, rank - 1, tag);
  }
}

}  // namespace starling
