// Rabenseifner: reduce-scatter by vector halving, then allgather by the same exchanges backwards. The distance doubles
// while the vector halves (and not the other way round), so that a rank always holds the combination of consecutive
// ranks and rank order is kept.
#include <vector>

#include "algos/builders.h"
#include "algos/fold.h"
#include "algos/partition.h"
#include "algos/schedule_writer.h"

namespace starling {
namespace {

constexpr std::int32_t kHalvingTag = 0;  // also folding and unfolding: no pair does both in one direction
constexpr std::int32_t kDoublingTag = 1;
constexpr std::int32_t kTagSpan = 2;

// One exchange of the reduce-scatter: what this rank goes on with, and what it leaves to the partner.
struct Exchange {
  std::int32_t partner;
  Block kept;
  Block given;
};

// The vector is cut into `power` parts first and halves are whole parts, so that both partners cut alike.
std::vector<Exchange> planExchanges(const Fold& fold, std::int32_t position, const Block& whole) {
  std::vector<Exchange> exchanges;
  std::int32_t first = 0;
  std::int32_t parts = fold.power();
  const auto join = [&](std::int32_t from, std::int32_t to) {
    const std::int64_t begin = partOf(whole, fold.power(), from).offset;
    const Block last = partOf(whole, fold.power(), to - 1);
    return Block{begin, last.offset + last.count - begin};
  };
  for (std::int32_t distance = 1; distance < fold.power(); distance *= 2) {
    parts /= 2;
    const Block lower = join(first, first + parts);
    const Block upper = join(first + parts, first + 2 * parts);
    const bool keeps_lower = (position & distance) == 0;
    exchanges.push_back({fold.rankAt(position ^ distance), keeps_lower ? lower : upper, keeps_lower ? upper : lower});
    if (!keeps_lower) first += parts;
  }
  return exchanges;
}

}  // namespace

Schedule buildRabenseifner(const BuildRequest& request) {
  const std::int32_t rank = request.virtual_rank;
  const Block whole{0, request.shape.count};
  const Fold fold(request.shape.ranks);
  ScheduleWriter writer(request, kTagSpan);

  fold.writeFolding(writer, rank, whole, kHalvingTag);
  const std::int32_t position = fold.positionOf(rank);
  if (position != Fold::kFoldedAway) {
    const std::vector<Exchange> exchanges = planExchanges(fold, position, whole);
    for (const Exchange& exchange : exchanges) {
      const bool is_above = exchange.partner < rank;
      writer.send(exchange.given, exchange.partner, kHalvingTag);
      writer.reduce(exchange.kept, exchange.partner,
                    is_above ? OperandOrder::kIncomingLeft : OperandOrder::kIncomingRight, kHalvingTag);
    }
    for (auto exchange = exchanges.rbegin(); exchange != exchanges.rend(); ++exchange) {
      writer.send(exchange->kept, exchange->partner, kDoublingTag);
      writer.receive(exchange->given, exchange->partner, kDoublingTag);
    }
  }
  fold.writeUnfolding(writer, rank, whole, kHalvingTag);
  return std::move(writer).finish();
}

}  // namespace starling
