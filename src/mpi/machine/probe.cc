#include "mpi/machine/probe.h"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <vector>

#include "estimators/cost_fit.h"
#include "estimators/statistics.h"
#include "mpi/execution/reduction.h"
#include "mpi/execution/wait_any.h"

namespace starling {
namespace {

constexpr int kProbeTag = 0;  // probes run before the first call, when no schedule has used a tag yet
constexpr int kProbeRepetitions = 5;
constexpr int kCrossings = 3;
constexpr int kPairsHeard = 64;             // whose values count, at most
constexpr int kSizes[] = {8, 4096, 65536};  // bytes
constexpr Seconds kMinAlpha{1e-9};          // for ranks of one node: 0 would say that there are no nodes
constexpr double kMinBeta = 1e-12;          // no link is as fast: short messages were held up, and long ones not
constexpr int kBurst = 16;                  // messages that follow each other
// Long messages are sent in a train, and only the last ones count: a limited link may carry hundreds of kilobytes at
// full speed after a rest (a token bucket).
constexpr int kTrain = 8;
constexpr int kTrainCounted = 5;
constexpr int kTrainBytes = 128 * 1024;

// Ranks measure in pairs, of which each waits for the other: in a larger circle the messages of ranks that are ahead
// would have come already, and would seem to take no time.
class ProbePair {
 public:
  // Of this rank and its neighbour. The last one of an odd number of ranks has none.
  static ProbePair ofNeighbours(MPI_Comm communicator) {
    int rank = 0;
    PMPI_Comm_rank(communicator, &rank);
    return {communicator, rank - rank % 2, rank - rank % 2 + 1};
  }
  // Of these two; other ranks have none.
  ProbePair(MPI_Comm communicator, int first, int second) : communicator_(communicator) {
    int rank = 0;
    int ranks = 0;
    PMPI_Comm_rank(communicator, &rank);
    PMPI_Comm_size(communicator, &ranks);
    is_first_ = rank == first;
    partner_ = is_first_ ? second : first;
    exists_ = first != second && second < ranks && (is_first_ || rank == second);
  }
  bool exists() const { return exists_; }
  // Which finds out what it takes; the other one answers.
  bool isFirst() const { return is_first_; }

  void send(const void* data, int bytes) const { PMPI_Send(data, bytes, MPI_BYTE, partner_, kProbeTag, communicator_); }
  void receive(void* data, int bytes) const {
    PMPI_Recv(data, bytes, MPI_BYTE, partner_, kProbeTag, communicator_, MPI_STATUS_IGNORE);
  }
  void exchange(const void* out, void* in, int bytes) const {
    PMPI_Sendrecv(out, bytes, MPI_BYTE, partner_, kProbeTag, in, bytes, MPI_BYTE, partner_, kProbeTag, communicator_,
                  MPI_STATUS_IGNORE);
  }
  void beginToSend(const void* data, int bytes, MPI_Request& request) const {
    PMPI_Isend(data, bytes, MPI_BYTE, partner_, kProbeTag, communicator_, &request);
  }
  void beginToReceive(void* data, int bytes, MPI_Request& request) const {
    PMPI_Irecv(data, bytes, MPI_BYTE, partner_, kProbeTag, communicator_, &request);
  }

 private:
  MPI_Comm communicator_;
  int partner_ = 0;
  bool is_first_ = false;
  bool exists_ = false;
};

// Returns the shortest time in which a message comes, by what it takes there and back.
Seconds timeMessage(const ProbePair& pair, int bytes, const std::vector<char>& out, std::vector<char>& in,
                    const Clock& clock) {
  Seconds shortest{1e9};
  for (int i = 0; i < kProbeRepetitions; ++i) {
    const Seconds start = clock.now();
    if (pair.isFirst()) pair.send(out.data(), bytes);
    pair.receive(in.data(), bytes);
    if (!pair.isFirst()) pair.send(out.data(), bytes);
    shortest = std::min(shortest, clock.now() - start);
  }
  return 0.5 * shortest;
}

// Times long messages that both ranks send each other at once, one after the other.
std::vector<Seconds> timeTrain(const ProbePair& pair, const std::vector<char>& out, std::vector<char>& in,
                               const Clock& clock) {
  std::vector<Seconds> times;
  for (int i = 0; i < kTrain; ++i) {
    const Seconds start = clock.now();
    pair.exchange(out.data(), in.data(), kTrainBytes);
    times.push_back(clock.now() - start);
  }
  return times;
}

void sendBurst(const ProbePair& pair, bool waits) {
  std::array<char, kBurst> data{};
  std::array<MPI_Request, kBurst> requests;
  requests.fill(MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < kBurst; ++i) {
    if (waits)
      pair.send(&data[i], 1);
    else
      pair.beginToSend(&data[i], 1, requests[i]);
  }
  if (!waits) PMPI_Waitall(kBurst, requests.data(), MPI_STATUSES_IGNORE);
  pair.receive(data.data(), 1);
}

void answerBurst(const ProbePair& pair) {
  std::array<char, kBurst> data{};
  std::array<MPI_Request, kBurst> requests;
  requests.fill(MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < kBurst; ++i) pair.beginToReceive(&data[i], 1, requests[i]);
  PMPI_Waitall(kBurst, requests.data(), MPI_STATUSES_IGNORE);
  pair.send(data.data(), 1);
}

// Returns the shortest time that a burst of the smallest messages takes there, and one message back. If `waits`, the
// rank waits for each send before the next one.
Seconds timeBurst(const ProbePair& pair, bool waits, const Clock& clock) {
  Seconds shortest{1e9};
  for (int i = 0; i < kProbeRepetitions; ++i) {
    const Seconds start = clock.now();
    if (pair.isFirst())
      sendBurst(pair, waits);
    else
      answerBurst(pair);
    shortest = std::min(shortest, clock.now() - start);
  }
  return shortest;
}

// How long it takes until two messages are here that two ranks send at the same time (the same rank, where there are
// only two), while this rank sends two, too.
struct Crossing {
  Seconds first;  // when the first message is here
  Seconds both;
};

// Returns the shortest of a few crossings. REQUIRES: two ranks or more.
Crossing timeCrossing(MPI_Comm communicator, const Clock& clock) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(communicator, &rank);
  PMPI_Comm_size(communicator, &ranks);
  const auto apart = [ranks](int j) { return std::min(1 + j, ranks - 1); };
  constexpr int kBytes = kSizes[2];
  const std::vector<char> out(kBytes);
  std::array<std::vector<char>, 2> in{std::vector<char>(kBytes), std::vector<char>(kBytes)};
  std::array<MPI_Request, 2> receives{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::array<MPI_Request, 2> sends{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  Crossing shortest{{1e9}, {1e9}};
  for (int i = 0; i < kCrossings; ++i) {
    const Seconds start = clock.now();
    for (int j = 0; j < 2; ++j) {
      PMPI_Irecv(in[j].data(), kBytes, MPI_BYTE, (rank + ranks - apart(j)) % ranks, kProbeTag, communicator,
                 &receives[j]);
    }
    for (int j = 0; j < 2; ++j) {
      PMPI_Isend(out.data(), kBytes, MPI_BYTE, (rank + apart(j)) % ranks, kProbeTag, communicator, &sends[j]);
    }
    int position = 0;
    waitAny(2, receives.data(), &position);
    const Seconds first = clock.now() - start;
    PMPI_Waitall(2, receives.data(), MPI_STATUSES_IGNORE);
    const Seconds both = clock.now() - start;
    PMPI_Waitall(2, sends.data(), MPI_STATUSES_IGNORE);
    if (both < shortest.both) shortest = {first, both};
  }
  return shortest;
}

// Returns whether messages share a port. If they do, both come nearly together; where they take turns, one comes
// earlier than the other by the time that one message takes.
bool areShared(const Crossing& crossing, const CostModel& model) {
  const Seconds transfer{model.beta * kSizes[2]};
  const bool is_contended = crossing.both > model.alpha + 1.5 * transfer;
  return is_contended && crossing.both - crossing.first < 0.5 * transfer;
}

// Returns beta by the last long messages, or by short messages where these are slower.
double betaOf(const std::vector<Seconds>& train, const FittedCost& fitted) {
  const Seconds usual = usualOfTrain(std::span(train).last(kTrainCounted));
  return std::max({fitted.beta, (usual - fitted.alpha).value / kTrainBytes, kMinBeta});
}

double timeReduction(const Clock& clock) {
  constexpr std::int64_t kCount = 16384;
  const std::vector<float> left(kCount, 1.0F);
  std::vector<float> right(kCount, 2.0F);
  const ReductionKernel kernel = reductionKernel(ElementType::kFloat, Operation::kSum);
  Seconds shortest{1e9};
  for (int i = 0; i < kProbeRepetitions; ++i) {
    const Seconds start = clock.now();
    kernel(left.data(), right.data(), right.data(), kCount);
    shortest = std::min(shortest, clock.now() - start);
  }
  return shortest.value / (kCount * sizeof(float));
}

// Returns what a message between the two costs, as the first one of them sees it.
CostModel probeMessages(const ProbePair& pair, const Clock& clock) {
  std::vector<char> out(kTrainBytes);
  std::vector<char> in(kTrainBytes);
  std::vector<CostSample> samples;
  for (const int bytes : kSizes) {
    samples.push_back({1.0, static_cast<double>(bytes), 0.0, timeMessage(pair, bytes, out, in, clock)});
  }
  const FittedCost fitted = fitCost(samples);
  CostModel model;
  model.alpha = fitted.alpha;
  model.beta = betaOf(timeTrain(pair, out, in, clock), fitted);
  const Seconds both_ways = 2.0 * samples.front().time;
  const auto gap = [&](bool waits) {
    return std::max(Seconds{}, 1.0 / (kBurst - 1) * (timeBurst(pair, waits, clock) - both_ways));
  };
  const Seconds overhead = gap(false);
  const Seconds turn = gap(true);
  model.overhead = std::min(model.alpha, overhead);
  model.release = std::clamp(turn - overhead, Seconds{}, model.alpha - model.overhead);
  return model;
}

// What the first rank of a pair finds, and tells the others.
using Found = std::array<double, 4>;  // alpha, beta, overhead and release

// Returns on rank 0 what is found in the middle of the pairs, each value by itself: one pair may have been held up.
CostModel middleOf(const CostModel& own, MPI_Comm communicator) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(communicator, &rank);
  PMPI_Comm_size(communicator, &ranks);
  Found found{own.alpha.value, own.beta, own.overhead.value, own.release.value};
  const int pairs = std::min(ranks / 2, kPairsHeard);
  if (rank > 0) {
    if (rank % 2 == 0 && rank / 2 < pairs) PMPI_Send(&found, sizeof found, MPI_BYTE, 0, kProbeTag, communicator);
    return own;
  }
  std::array<std::vector<double>, std::tuple_size_v<Found>> all;
  for (int i = 0; i < pairs; ++i) {
    if (i > 0) PMPI_Recv(&found, sizeof found, MPI_BYTE, 2 * i, kProbeTag, communicator, MPI_STATUS_IGNORE);
    for (std::size_t j = 0; j < all.size(); ++j) all[j].push_back(found[j]);
  }
  CostModel model = own;
  model.alpha = Seconds{quantile(all[0], 0.5)};
  model.beta = quantile(all[1], 0.5);
  model.overhead = std::min(model.alpha, Seconds{quantile(all[2], 0.5)});
  model.release = std::min(model.alpha - model.overhead, Seconds{quantile(all[3], 0.5)});
  return model;
}

CostModel probeAlike(MPI_Comm private_communicator, const Clock& clock) {
  int ranks = 0;
  PMPI_Comm_size(private_communicator, &ranks);
  if (ranks == 1) return {.gamma = timeReduction(clock)};
  const ProbePair pair = ProbePair::ofNeighbours(private_communicator);
  const CostModel own = pair.exists() ? probeMessages(pair, clock) : CostModel{};
  PMPI_Barrier(private_communicator);  // the long messages that follow must not meet those of pairs that still measure
  const Crossing crossing = timeCrossing(private_communicator, clock);
  CostModel model = middleOf(own, private_communicator);
  model.shared = areShared(crossing, model);
  model.gamma = timeReduction(clock);
  return model;
}

// Returns on rank 0 what messages between it and that rank cost.
CostModel probeBetween(MPI_Comm private_communicator, int other, const Clock& clock) {
  const ProbePair pair(private_communicator, 0, other);
  CostModel model = pair.exists() ? probeMessages(pair, clock) : CostModel{};
  model.gamma = timeReduction(clock);
  return model;
}

// Returns what rank 0 finds on rank 0.
CostModel probeNodes(MPI_Comm private_communicator, const NodeMembers& nodes, const Clock& clock,
                     NodeChannel* node_channel) {
  int rank = 0;
  PMPI_Comm_rank(private_communicator, &rank);
  const auto own = std::find_if(nodes.begin(), nodes.end(), [rank](const auto& ranks) {
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
  });
  const bool is_first = own->front() == rank;
  // One rank of each node measures first, since the others would share its link; then every node measures for itself.
  MPI_Comm first_ranks = MPI_COMM_NULL;
  MPI_Comm node = MPI_COMM_NULL;
  const int codes[] = {
      PMPI_Comm_split(private_communicator, is_first ? 0 : MPI_UNDEFINED, rank, &first_ranks),
      PMPI_Comm_split(private_communicator, own->front(), rank, &node),
  };
  // MPI may have run out of communicators.
  int has_both = codes[0] == MPI_SUCCESS && codes[1] == MPI_SUCCESS ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &has_both, 1, MPI_INT, MPI_MIN, private_communicator);
  CostModel model;
  CostModel within;
  if (has_both != 0) {
    if (is_first) model = probeAlike(first_ranks, clock);
    PMPI_Barrier(private_communicator);
    within = probeAlike(node, clock);
    if (node_channel != nullptr) node_channel->probe(clock, within);
  } else {
    model = probeBetween(private_communicator, nodes[1].front(), clock);
  }
  if (first_ranks != MPI_COMM_NULL) PMPI_Comm_free(&first_ranks);
  if (node != MPI_COMM_NULL) PMPI_Comm_free(&node);
  if (has_both == 0) return model;
  // The costs within nodes come from a node that has several ranks, since the first rank may be alone on its own.
  const auto shared = std::find_if(nodes.begin(), nodes.end(), [](const auto& ranks) { return ranks.size() > 1; });
  std::array<double, 4> costs{within.alpha.value, within.beta, within.node_alpha.value, within.node_beta};
  PMPI_Bcast(costs.data(), costs.size(), MPI_DOUBLE, shared->front(), private_communicator);
  model.inner_alpha = std::max(Seconds{costs[0]}, kMinAlpha);
  model.inner_beta = costs[1];
  model.node_alpha = Seconds{costs[2]};
  model.node_beta = costs[3];
  return model;
}

}  // namespace

CostModel probeCosts(MPI_Comm private_communicator, const Topology& topology, const Clock& clock,
                     NodeChannel* node_channel) {
  const auto nodes = ranksOfNodes(&topology, static_cast<std::int32_t>(topology.nodes.size()));
  int ranks = 0;
  PMPI_Comm_size(private_communicator, &ranks);
  CostModel model;
  if (nodes.empty()) {
    model = probeBetween(private_communicator, ranks - 1, clock);
  } else if (nodes.size() < 2 || nodes.size() == topology.nodes.size()) {
    model = probeAlike(private_communicator, clock);
    if (node_channel != nullptr) node_channel->probe(clock, model);
  } else {
    model = probeNodes(private_communicator, nodes, clock, node_channel);
  }
  PMPI_Bcast(&model, sizeof model, MPI_BYTE, 0, private_communicator);
  return model;
}

}  // namespace starling
