#include "algos/ring_walk.h"

#include <algorithm>

#include "algos/row.h"
#include "schedule/partition.h"
#include "schedule/schedule_writer.h"

namespace starling {
namespace {

class RingWalk {
 public:
  RingWalk(const BuildRequest& request, const RingPlace& place, std::int32_t pieces)
      : ranks_(request.shape.ranks),
        place_(place),
        pieces_(pieces),
        previous_((request.virtual_rank + ranks_ - 1) % ranks_),
        next_((request.virtual_rank + 1) % ranks_),
        whole_{0, request.shape.count},
        writer_(request.seat(), 2 * ranks_ * pieces, request.room(ringWalkSteps(request.shape, pieces))) {}

  Schedule build() && {
    for (std::int32_t turn = 0; turn < ranks_; ++turn) reduceTurn(turn);
    for (std::int32_t turn = 0; turn < ranks_; ++turn) distributeTurn(turn);
    return std::move(writer_).finish();
  }

 private:
  void reduceTurn(std::int32_t turn) {
    const std::int32_t block = (place_.first_block - turn + ranks_) % ranks_;
    for (std::int32_t piece = 0; piece < pieces_; ++piece) {
      const std::int32_t tag = block * pieces_ + piece;
      const Block elements = pieceOf(block, piece);
      if (turn >= place_.starting) {
        writer_.reduce(elements, previous_, OperandOrder::kIncomingLeft, tag, kReduceLane);
      }
      if (turn < ranks_ - place_.completing) writer_.send(elements, next_, tag, kReduceLane);
    }
  }

  void distributeTurn(std::int32_t turn) {
    const std::int32_t block = (place_.first_block + place_.completing - turn + ranks_) % ranks_;
    for (std::int32_t piece = 0; piece < pieces_; ++piece) {
      const std::int32_t tag = (ranks_ + block) * pieces_ + piece;
      const Block elements = pieceOf(block, piece);
      if (turn >= place_.completing) writer_.receive(elements, previous_, tag, kDistributeLane);
      if (turn < ranks_ - place_.ending) writer_.send(elements, next_, tag, kDistributeLane);
    }
  }

  Block pieceOf(std::int32_t block, std::int32_t piece) const {
    return partOf(partOf(whole_, ranks_, block), pieces_, piece);
  }

  std::int32_t ranks_;
  RingPlace place_;
  std::int32_t pieces_;
  std::int32_t previous_;
  std::int32_t next_;
  Block whole_;
  ScheduleWriter writer_;
};

}  // namespace

std::int64_t ringWalkSteps(const Shape& shape, std::int64_t pieces) {
  return 4 * std::min(shape.ranks * pieces, shape.count);
}

Schedule buildRingWalk(const BuildRequest& request, const RingPlace& place, std::int32_t pieces) {
  return RingWalk(request, place, pieces).build();
}

}  // namespace starling
