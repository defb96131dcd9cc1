// Rabenseifner's algorithm is a reduce-scatter by vector halving and then an allgather by the same exchanges backwards.
// The distance doubles while the vector halves (and not the other way round), so that a rank always holds the
// combination of consecutive ranks and rank order is kept.
#include <vector>

#include "algos/fold.h"
#include "algos/row.h"
#include "schedule/partition.h"
#include "schedule/schedule_writer.h"

namespace starling {
namespace {

constexpr std::int32_t kHalvingTag = 0;  // also folding and unfolding: no pair does both in one direction
constexpr std::int32_t kDoublingTag = 1;
constexpr std::int32_t kTagSpan = 2;

// One exchange of the reduce-scatter tells what this rank goes on with, and what it leaves to the partner.
struct Exchange {
  std::int32_t partner;
  Block kept;
  Block given;
};

// The vector is cut into `power` parts first and halves are whole parts, so that both partners cut alike.
std::pmr::vector<Exchange> planExchanges(const Fold& fold, std::int32_t position, const Block& whole,
                                         std::pmr::memory_resource* memory) {
  std::pmr::vector<Exchange> exchanges(memory);
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

// A rank that the fold has paired has two steps more.
std::int64_t rabenseifnerSteps(const Shape& shape, const ParameterValues&) {
  return 4 * ceilLog2(Fold(shape.ranks).power()) + 2;
}

Schedule buildRabenseifner(const BuildRequest& request) {
  const std::int32_t rank = request.virtual_rank;
  const Block whole{0, request.shape.count};
  const Fold fold(request.shape.ranks);
  ScheduleWriter writer(request.seat(), kTagSpan, request.room(rabenseifnerSteps(request.shape, request.parameters)));

  fold.writeFolding(writer, rank, whole, kHalvingTag);
  const std::int32_t position = fold.positionOf(rank);
  if (position != Fold::kFoldedAway) {
    const std::pmr::vector<Exchange> exchanges = planExchanges(fold, position, whole, request.memory);
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

}  // namespace

constexpr Algorithm kRabenseifnerRow{
    .id = 2,
    .name = "rabenseifner",
    .what =
        "halves the vector from exchange to exchange until each rank has one reduced part, and goes the same way back "
        "to collect all parts.",
    .trade_off = "few rounds and little data, for long vectors; pays two whole vectors where P is not a power of two",
    .parameters = kFlowParameters,
    .keeps_rank_order = true,
    .fixed_association = true,
    .uses_arrivals = false,
    .build = buildRabenseifner,
    .max_steps = rabenseifnerSteps,
    .valid_text = kAnyShape,
    .cost = "2 a log2 P + 2 n b (P-1)/P + n g (P-1)/P; P not a power of two: 2 (a + n b) + n g more",
    .source = "Rabenseifner 2004; Thakur, Rabenseifner, Gropp 2005, allreduce for long messages",
    .openmpi_nearest = "rabenseifner",
    .openmpi_is_same = true};

}  // namespace starling
