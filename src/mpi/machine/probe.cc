#include "mpi/machine/probe.h"

#include <algorithm>
#include <array>
#include <vector>

#include "estimators/cost_fit.h"
#include "mpi/execution/reduction.h"

namespace starling {
namespace {

constexpr int kProbeTag = 0;  // probes run before the first call, when no schedule has used a tag yet
constexpr int kProbeRepetitions = 3;
constexpr int kSizes[] = {8, 4096, 65536};  // bytes
constexpr Seconds kMinAlpha{1e-9};          // for ranks of one node: 0 would say that there are no nodes
constexpr int kBurst = 16;                  // messages that follow each other
// Long messages are sent in a train, and only the last ones count: a limited link may carry hundreds of kilobytes at
// full speed after a rest (a token bucket).
constexpr int kTrain = 8;
constexpr int kTrainCounted = 5;
constexpr int kTrainBytes = 128 * 1024;

// Times exchanges with both neighbours, one after the other.
std::vector<Seconds> timeExchanges(MPI_Comm communicator, int number, int bytes, std::vector<char>& out,
                                   std::vector<char>& in, const Clock& clock) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(communicator, &rank);
  PMPI_Comm_size(communicator, &ranks);
  std::vector<Seconds> times;
  for (int i = 0; i < number; ++i) {
    const Seconds start = clock.now();
    PMPI_Sendrecv(out.data(), bytes, MPI_BYTE, (rank + 1) % ranks, kProbeTag, in.data(), bytes, MPI_BYTE,
                  (rank + ranks - 1) % ranks, kProbeTag, communicator, MPI_STATUS_IGNORE);
    times.push_back(clock.now() - start);
  }
  return times;
}

// Times a few bursts of the smallest messages to the next rank and returns the shortest time. If `waits`, the rank
// waits for each send before the next one.
Seconds timeBurst(MPI_Comm communicator, bool waits, const Clock& clock) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(communicator, &rank);
  PMPI_Comm_size(communicator, &ranks);
  std::array<char, kBurst> out{};
  std::array<char, kBurst> in{};
  std::array<MPI_Request, kBurst> receives{};
  std::array<MPI_Request, kBurst> sends{};
  Seconds shortest{1e9};
  for (int i = 0; i < kProbeRepetitions; ++i) {
    const Seconds start = clock.now();
    for (int j = 0; j < kBurst; ++j) {
      PMPI_Irecv(&in[j], 1, MPI_BYTE, (rank + ranks - 1) % ranks, kProbeTag, communicator, &receives[j]);
      if (!waits) PMPI_Isend(&out[j], 1, MPI_BYTE, (rank + 1) % ranks, kProbeTag, communicator, &sends[j]);
    }
    for (int j = 0; waits && j < kBurst; ++j) {
      PMPI_Send(&out[j], 1, MPI_BYTE, (rank + 1) % ranks, kProbeTag, communicator);
    }
    if (!waits) PMPI_Waitall(kBurst, sends.data(), MPI_STATUSES_IGNORE);
    PMPI_Waitall(kBurst, receives.data(), MPI_STATUSES_IGNORE);
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
Crossing timeCrossing(MPI_Comm communicator, int bytes, const std::vector<char>& out, std::vector<char>& in,
                      const Clock& clock) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(communicator, &rank);
  PMPI_Comm_size(communicator, &ranks);
  const auto apart = [ranks](int j) { return std::min(1 + j, ranks - 1); };
  std::vector<char> other(static_cast<std::size_t>(bytes));
  std::array<MPI_Request, 2> receives{};
  std::array<MPI_Request, 2> sends{};
  Crossing shortest{{1e9}, {1e9}};
  for (int i = 0; i < kProbeRepetitions; ++i) {
    const Seconds start = clock.now();
    for (int j = 0; j < 2; ++j) {
      char* place = j == 0 ? in.data() : other.data();
      PMPI_Irecv(place, bytes, MPI_BYTE, (rank + ranks - apart(j)) % ranks, kProbeTag, communicator, &receives[j]);
    }
    for (int j = 0; j < 2; ++j) {
      PMPI_Isend(out.data(), bytes, MPI_BYTE, (rank + apart(j)) % ranks, kProbeTag, communicator, &sends[j]);
    }
    int position = 0;
    PMPI_Waitany(2, receives.data(), &position, MPI_STATUS_IGNORE);
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
bool areShared(const Crossing& crossing, const CostModel& model, int bytes) {
  const Seconds transfer{model.beta * bytes};
  const bool is_contended = crossing.both > model.alpha + 1.5 * transfer;
  return is_contended && crossing.both - crossing.first < 0.5 * transfer;
}

// Returns beta by the shortest of the last long messages, or by short messages where these are slower.
double betaOf(const std::vector<Seconds>& train, const FittedCost& fitted) {
  const Seconds shortest = *std::min_element(train.end() - kTrainCounted, train.end());
  return std::max(fitted.beta, (shortest - fitted.alpha).value / kTrainBytes);
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

CostModel probeAlike(MPI_Comm private_communicator, const Clock& clock) {
  int ranks = 0;
  PMPI_Comm_size(private_communicator, &ranks);
  std::vector<char> out(kTrainBytes);
  std::vector<char> in(kTrainBytes);
  std::vector<CostSample> samples;
  for (const int bytes : kSizes) {
    const std::vector<Seconds> times = timeExchanges(private_communicator, kProbeRepetitions, bytes, out, in, clock);
    samples.push_back({1.0, static_cast<double>(bytes), 0.0, *std::min_element(times.begin(), times.end())});
  }
  const FittedCost fitted = fitCost(samples);
  CostModel model;
  model.alpha = fitted.alpha;
  model.beta = betaOf(timeExchanges(private_communicator, kTrain, kTrainBytes, out, in, clock), fitted);
  const auto gap = [&](bool waits) {
    const Seconds others = timeBurst(private_communicator, waits, clock) - samples.front().time;
    return std::max(Seconds{}, 1.0 / (kBurst - 1) * others);
  };
  const Seconds overhead = gap(false);
  const Seconds turn = gap(true);
  model.overhead = std::min(model.alpha, overhead);
  model.release = std::clamp(turn - overhead, Seconds{}, model.alpha - model.overhead);
  if (ranks > 1) {
    const Crossing crossing = timeCrossing(private_communicator, kSizes[2], out, in, clock);
    model.shared = areShared(crossing, model, kSizes[2]);
  }
  model.gamma = timeReduction(clock);
  return model;
}

}  // namespace

CostModel probeCosts(MPI_Comm private_communicator, const Topology& topology, const Clock& clock,
                     NodeChannel* node_channel) {
  int rank = 0;
  PMPI_Comm_rank(private_communicator, &rank);
  const auto nodes = ranksOfNodes(&topology, static_cast<std::int32_t>(topology.nodes.size()));
  if (nodes.size() < 2 || nodes.size() == topology.nodes.size()) {
    CostModel alike = probeAlike(private_communicator, clock);
    if (node_channel != nullptr) node_channel->probe(clock, alike);
    return alike;
  }
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
    model = probeAlike(private_communicator, clock);
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

}  // namespace starling
