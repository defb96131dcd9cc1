#include "algos/catalogue.h"

#include <algorithm>
#include <cmath>

#include "algos/builders.h"
#include "algos/topology_trees.h"

namespace starling {
namespace {

// Every row that has messages in flight has these two, some with values of their own; buildSchedule() finds them by
// name.
constexpr Parameter kWindow{"window", 1, 64, 4, "", "receives posted ahead, per lane"};
constexpr Parameter kPacing{"pacing", 1, 64, 1, "", "sends in flight, per lane; several to one peer share its link"};

constexpr Parameter kFlowOnly[] = {kWindow, kPacing};
constexpr Parameter kRecursiveDoubling[] = {
    {"segments", 1, 64, 1, "", "independent parts of the vector, pipelined over the rounds"}, kWindow, kPacing};
constexpr Parameter kRingSegmented[] = {
    {"segments", 1, 1024, 4, "", "pieces of each of the P blocks, pipelined along the ring"}, kWindow, kPacing};
constexpr Parameter kAnnounced{
    "announced", 0, 64, 0, "", "so many late ranks are named by flags in each call; 0 = they are predicted"};
constexpr Parameter kSlt[] = {
    {"segments", 0, 65536, 0, "",
     "parts of the vector that follow each other down the chain; best: sqrt((P - 1) n b/a); 0 = P"},
    kWindow,
    kPacing,
    kAnnounced};
constexpr Parameter kPrr[] = {
    {"tau_ns", 0, 1'000'000'000'000, 0, "ns", "time to transfer one of the P blocks; 0 = no pre-steps, a plain ring"},
    {"segments", 1, 1024, 1, "", "pieces of each of the P blocks, pipelined along the ring"},
    kWindow,
    kPacing};
constexpr Parameter kLateJoin[] = {
    {"segments", 1, 8192, 128, "", "blocks that follow each other; best: sqrt((ceil(log2 P) - 1) n b/a)"},
    {"window", 1, 64, 1, "", "receives posted ahead, per lane; more than 1 lets rounds fall out of step"},
    kPacing,
    {"announced", 0, 1, 0, "", "1 = the late rank is named by flags in each call; 0 = predicted"}};

constexpr Parameter kDirect[] = {
    {"segments", 1, 1024, 16, "", "parts of the vector that late ranks send one after another; best: sqrt(n b/(a P))"},
    {"tau_ns", 0, 1'000'000'000'000, 0, "ns", "time to transfer one of P equal blocks; 0 = equal owners, all in time"},
    {"window", 1, 64, 1, "", "receives posted ahead once the last ranks are there; all contributions before that are"},
    {"pacing", 1, 64, 4, "", "contributions in flight before the last ranks are there"},
    kAnnounced};
constexpr Parameter kTreeSegments{"segments", 1,  1024,
                                  1,          "", "parts of the vector that follow each other through the tree"};
constexpr Parameter kTree[] = {kTreeSegments, kWindow, kPacing};
constexpr std::int64_t kInnerWorthTrying[] = {1, 2};
constexpr std::int64_t kLeadersWorthTrying[] = {1};
constexpr std::int64_t kTreesWorthTrying[] = {4, kMostTrees};
constexpr Parameter kTwoLevel[] = {
    {"inner", 1, 3, 3, "", "among the nodes: 1 = recursive_doubling, 2 = rabenseifner, 3 = ring", kInnerWorthTrying},
    {"leaders", 0, 64, 0, "", "ranks of each node that own a share; 0 = as many as the smallest node has",
     kLeadersWorthTrying},
    kWindow,
    kPacing};
constexpr Parameter kTopologyTree[] = {
    {"trees", 1, kMostTrees, 1, "", "each takes a part of the vector; one for short vectors", kTreesWorthTrying},
    kTreeSegments,
    kWindow,
    kPacing};
constexpr Parameter kMerged[] = {kTreeSegments,
                                 {"step_ns", 0, 1'000'000'000'000, 0, "ns", "time to transfer and combine one vector"},
                                 kWindow,
                                 kPacing,
                                 kAnnounced};

// Where (S + d) (a + n b / S), d other messages in a row, is least.
double leastWith(double others, double transfers) { return std::sqrt(others * transfers); }

// The chain has P - 1 links after the last arrival.
double bestChainSegments(std::int32_t ranks, double transfers) { return leastWith(ranks - 1, transfers); }

double bestLateJoinSegments(std::int32_t ranks, double transfers) {
  return leastWith(std::ceil(std::log2(ranks)) - 1, transfers);
}

// (S + 1) (P a + n b / S).
double bestDirectSegments(std::int32_t ranks, double transfers) { return std::sqrt(transfers / ranks); }

// Owners of short vectors hold everybody's part of a share that was rounded up to so many elements at most.
constexpr std::int64_t kSideElementsPerRank = 5;

bool hasFewEnoughRanksForTrees(const Shape& shape) { return shape.ranks <= kMostLinkedRanks; }

constexpr const char* kAnyShape = "any ranks, any count";

constexpr Algorithm kRows[] = {
    {.id = kNativeAlgorithm,
     .name = "native",
     .trade_off = "the MPI library's own choice: the incumbent, and the only one that knows its shared memory",
     .parameters = {},
     .keeps_rank_order = true,
     .uses_arrivals = false,
     .is_valid = nullptr,
     .build = nullptr,
     .valid_text = "always",
     .cost = "the MPI library's",
     .source = "PMPI_Allreduce"},
    {.id = 1,
     .name = "recursive_doubling",
     .trade_off = "fewest rounds, so best for short vectors; sends and combines the whole vector in each",
     .parameters = kRecursiveDoubling,
     .keeps_rank_order = true,
     .fixed_association = true,
     .uses_arrivals = false,
     .is_valid = nullptr,
     .build = buildRecursiveDoubling,
     .valid_text = kAnyShape,
     .cost = "floor(log2 P) (a + n b + n g); P not a power of two: 2 (a + n b) + n g more",
     .source = "Thakur, Rabenseifner, Gropp 2005, allreduce for short messages"},
    {.id = 2,
     .name = "rabenseifner",
     .trade_off = "few rounds and little data, for long vectors; pays two whole vectors where P is not a power of two",
     .parameters = kFlowOnly,
     .keeps_rank_order = true,
     .fixed_association = true,
     .uses_arrivals = false,
     .is_valid = nullptr,
     .build = buildRabenseifner,
     .valid_text = kAnyShape,
     .cost = "2 a log2 P + 2 n b (P-1)/P + n g (P-1)/P; P not a power of two: 2 (a + n b) + n g more",
     .source = "Rabenseifner 2004; Thakur, Rabenseifner, Gropp 2005, allreduce for long messages"},
    {.id = 3,
     .name = "ring",
     .trade_off = "least data for any P, and to neighbours only; 2 (P-1) rounds, so for long vectors",
     .parameters = kFlowOnly,
     .keeps_rank_order = false,
     .uses_arrivals = false,
     .is_valid = nullptr,
     .build = buildRing,
     .valid_text = kAnyShape,
     .cost = "2 (P-1) a + 2 n b (P-1)/P + n g (P-1)/P",
     .source = "Proficz 2018, section 2.1 and figure 2, after Thakur, Rabenseifner, Gropp 2005"},
    {.id = 4,
     .name = "ring_segmented",
     .trade_off = "the ring with combining hidden behind the wire; S times as many messages",
     .parameters = kRingSegmented,
     .keeps_rank_order = false,
     .uses_arrivals = false,
     .is_valid = nullptr,
     .build = buildRingSegmented,
     .valid_text = kAnyShape,
     .cost = "2 (P-1) a + 2 n b (P-1)/P + n g/(P S) (P-1), where g < b and the window hides the latency of pieces",
     .source = "Proficz 2018, section 2.1, after Open MPI's segmented ring"},
    {.id = 5,
     .name = "slt",
     .trade_off =
         "with the table sorted, only the last links wait for the latest ranks, at about one vector's time for any "
         "number of these; long chain, needs many segments",
     .parameters = kSlt,
     .keeps_rank_order = true,
     .uses_arrivals = true,
     .asks_only_whether = true,
     .is_valid = nullptr,
     .build = buildSlt,
     .best_segments = bestChainSegments,
     .valid_text = kAnyShape,
     .cost = "(2 P + S - 3) (a + n b/S + n g/S); (P + S - 1) of these after the last arrival when sorted by it",
     .source = "Proficz 2018, section 4.1, figure 5; the order of segments after late arrivals: own"},
    {.id = 6,
     .name = "prr",
     .trade_off =
         "a ring whose early ranks combine while they wait; needs a predicted arrival pattern, else it is the ring",
     .parameters = kPrr,
     .keeps_rank_order = false,
     .uses_arrivals = true,
     .is_valid = nullptr,
     .build = buildPrr,
     .valid_text = kAnyShape,
     .cost = "as ring; of the blocks of n/P the early ranks send up to 2 P, the latest down to P + 1",
     .source = "Proficz 2018, section 4.2, figure 7 (misprints mended)"},
    {.id = 7,
     .name = "reduce_bcast",
     .trade_off = "fewest messages in all; the root combines and sends log2 P whole vectors",
     .parameters = kTree,
     .keeps_rank_order = true,
     .uses_arrivals = false,
     .is_valid = nullptr,
     .build = buildReduceBcast,
     .valid_text = kAnyShape,
     .cost = "ceil(log2 P) (2 a + 2 n b + n g), S = 1; segments let the two trees overlap",
     .source = "Thakur, Rabenseifner, Gropp 2005, binomial trees"},
    {.id = 8,
     .name = "late_join",
     .trade_off = "with the table sorted, about one vector's time after one late rank, for any P; slower than the ring "
                  "when nobody is late",
     .parameters = kLateJoin,
     .keeps_rank_order = false,
     .uses_arrivals = false,
     .is_valid = nullptr,
     .build = buildLateJoin,
     .best_segments = bestLateJoinSegments,
     .valid_text = kAnyShape,
     .cost =
         "(S - 1 + ceil(log2 P)) (a + n b/S + n g/S) after the last arrival when sorted by it; about 2 (S + log2 P) "
         "of these when nobody is late",
     .source = "own, on the broadcast rounds of Traff 2024 (arXiv 2407.18004); for one late rank and P - 1 blocks "
               "StragglAR 2025 (arXiv 2505.23523)"},
    {.id = 9,
     .name = "direct",
     .trade_off =
         "in rank order and with the same bits whoever is late, at about one vector's time after any number of "
         "late ranks; P messages per rank and part, and memory for up to three vectors more",
     .parameters = kDirect,
     .keeps_rank_order = true,
     .fixed_association = true,
     .uses_arrivals = true,
     .scratch_vectors = 3,
     .is_valid = nullptr,
     .build = buildDirect,
     .best_segments = bestDirectSegments,
     .valid_text = kAnyShape,
     .cost = "as ring when nobody is late; after m late ranks (S + 1) (P a + n b/S (P-1)/(P-m))",
     .source = "own; balanced the all-to-all reduction of Marendic 2012, section 5, with an allgather"},
    {.id = 10,
     .name = "static_optimal",
     .trade_off = "whoever is ready sends to the rank that will be ready next: few messages after any late ranks, so "
                  "for short vectors whose arrivals are known",
     .parameters = kMerged,
     .keeps_rank_order = false,
     .uses_arrivals = true,
     .is_valid = nullptr,
     .build = buildStaticOptimal,
     .valid_text = kAnyShape,
     .cost = "a + n b + n g after one late rank, or ceil(log2 P) of these when nobody is late; then "
             "(S - 1 + ceil(log2 P)) (a + n b/S)",
     .source = "Marendic 2012, section 3, algorithm 1; broadcast rounds of Traff 2024 (arXiv 2407.18004)"},
    {.id = 11,
     .name = "local_redirect",
     .trade_off = "as static_optimal between neighbours only, so in rank order; a late rank between early ones costs "
                  "two vectors",
     .parameters = kMerged,
     .keeps_rank_order = true,
     .uses_arrivals = true,
     .is_valid = nullptr,
     .build = buildLocalRedirect,
     .valid_text = kAnyShape,
     .cost = "2 (a + n b + n g) after one late rank, or ceil(log2 P) of these when nobody is late; then "
             "(S - 1 + ceil(log2 P)) (a + n b/S)",
     .source = "Marendic 2012, section 4, algorithm 2, played beforehand; broadcast rounds of Traff 2024 (arXiv "
               "2407.18004)"},
    {.id = 12,
     .name = "binary_tree",
     .trade_off =
         "two vectors in and one out per rank, whatever P; overlaps reduction and distribution, for vectors of "
         "middle length",
     .parameters = kTree,
     .keeps_rank_order = true,
     .uses_arrivals = false,
     .is_valid = nullptr,
     .build = buildBinaryTree,
     .valid_text = kAnyShape,
     .cost = "about (2 log2 P + 3 (S - 1)) (a + n b/S) + n g; S = 1: 4 log2 P (a + n b)",
     .source = "Marendic 2012, section 2.1, in rank order"},
    {.id = 13,
     .name = "two_level",
     .trade_off = "ranks of a node combine first, so that few messages leave it; needs several ranks per node, else it "
                  "is its inner algorithm",
     .parameters = kTwoLevel,
     .keeps_rank_order = false,
     .uses_arrivals = false,
     .gains_from = sharesNodes,
     .is_valid = nullptr,
     .build = buildTwoLevel,
     .valid_text = kAnyShape,
     .cost = "q ranks on each of N nodes: 2 (q - 1) a + 2 n b' (q-1)/q within a node, b' of its memory, and the inner "
             "algorithm's cost for n/q bytes on N ranks",
     .source = "the usual hierarchy, as in Open MPI's han; shares for all ranks of a node: own"},
    {.id = 14,
     .name = "topology_tree",
     .trade_off = "along the heaviest links, for networks whose links differ; one tree for short vectors, several for "
                  "long ones",
     .parameters = kTopologyTree,
     .keeps_rank_order = false,
     .uses_arrivals = false,
     .gains_from = tellsApart,
     .is_valid = hasFewEnoughRanksForTrees,
     .build = buildTopologyTree,
     .valid_text = "up to 128 ranks, any count",
     .cost = "2 log2 P (a + n b/S) + 2 (S - 1) n b/S log2 P with one tree; T trees share the links that there are",
     .source = "MXNet, single-machine all-reduce topology-aware communication (2018); Kernighan, Lin 1970"},
};

}  // namespace

std::span<const Algorithm> catalogue() { return kRows; }

std::int64_t scratchElements(const Algorithm& algorithm, const Shape& shape) {
  const std::int64_t vectors = algorithm.scratch_vectors * shape.count;
  return algorithm.scratch_vectors == 1 ? vectors : std::max(vectors, kSideElementsPerRank * shape.ranks);
}

std::int64_t mostScratchElements(const Shape& shape) {
  std::int64_t most = 0;
  for (const Algorithm& algorithm : kRows) most = std::max(most, scratchElements(algorithm, shape));
  return most;
}

const Algorithm* findAlgorithm(std::string_view name) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Algorithm& a) { return a.name == name; });
  return row == std::end(kRows) ? nullptr : row;
}

const Algorithm* findAlgorithm(std::int32_t id) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Algorithm& a) { return a.id == id; });
  return row == std::end(kRows) ? nullptr : row;
}

std::optional<std::size_t> findParameter(const Algorithm& algorithm, std::string_view name) {
  const std::span<const Parameter> parameters = algorithm.parameters;
  const auto parameter =
      std::find_if(parameters.begin(), parameters.end(), [name](const Parameter& p) { return p.name == name; });
  if (parameter == parameters.end()) return std::nullopt;
  return static_cast<std::size_t>(parameter - parameters.begin());
}

ParameterValues defaultParameters(const Algorithm& algorithm) {
  ParameterValues values{};
  for (std::size_t i = 0; i < algorithm.parameters.size(); ++i) values[i] = algorithm.parameters[i].fallback;
  return values;
}

std::span<const std::int64_t> heeded(const Algorithm& algorithm, std::span<const std::int64_t> lateness_ns) {
  static constexpr std::int64_t kSomebodyIsLate[] = {1};
  if (!algorithm.uses_arrivals) return {};
  if (!algorithm.asks_only_whether) return lateness_ns;
  if (std::ranges::any_of(lateness_ns, [](std::int64_t late) { return late > 0; })) return kSomebodyIsLate;
  return {};
}

bool isValid(const Algorithm& algorithm, const Shape& shape) {
  if (!shape.commutative && !algorithm.keeps_rank_order) return false;
  return algorithm.is_valid == nullptr || algorithm.is_valid(shape);
}

Schedule buildSchedule(const Algorithm& algorithm, const BuildRequest& request) {
  Schedule schedule;
  if (request.shape.ranks > 1 && request.shape.count > 0) {
    schedule = algorithm.build(request);
  } else {
    schedule.ranks = request.shape.ranks;
    schedule.virtual_rank = request.virtual_rank;
    schedule.count = request.shape.count;
  }
  const auto set = [&](std::string_view name, std::int32_t& flow) {
    const std::optional<std::size_t> index = findParameter(algorithm, name);
    if (index) flow = static_cast<std::int32_t>(request.parameters[*index]);
  };
  set(kWindow.name, schedule.window);
  set(kPacing.name, schedule.pacing);
  return schedule;
}

}  // namespace starling
