#include "mpi/probe.h"

#include <algorithm>
#include <array>
#include <vector>

#include "estimators/cost_fit.h"
#include "mpi/reduction.h"

namespace starling {
namespace {

constexpr int kTag = 0;  // before the first call: no schedule has used a tag yet
constexpr int kRepetitions = 3;
constexpr int kSizes[] = {8, 4096, 65536};  // bytes
constexpr int kBurst = 16;                  // messages in a row

// The shortest of a few exchanges with both neighbours.
Seconds timeExchange(MPI_Comm communicator, int bytes, std::vector<char>& out, std::vector<char>& in,
                     const Clock& clock) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(communicator, &rank);
  PMPI_Comm_size(communicator, &ranks);
  Seconds shortest{1e9};
  for (int i = 0; i < kRepetitions; ++i) {
    const Seconds start = clock.now();
    PMPI_Sendrecv(out.data(), bytes, MPI_BYTE, (rank + 1) % ranks, kTag, in.data(), bytes, MPI_BYTE,
                  (rank + ranks - 1) % ranks, kTag, communicator, MPI_STATUS_IGNORE);
    shortest = std::min(shortest, clock.now() - start);
  }
  return shortest;
}

// By how much the shortest messages in a row follow each other, when one alone takes `single`.
Seconds timeGap(MPI_Comm communicator, Seconds single, const Clock& clock) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(communicator, &rank);
  PMPI_Comm_size(communicator, &ranks);
  std::array<char, kBurst> out{};
  std::array<char, kBurst> in{};
  std::array<MPI_Request, 2 * kBurst> requests{};
  Seconds shortest{1e9};
  for (int i = 0; i < kRepetitions; ++i) {
    const Seconds start = clock.now();
    for (int j = 0; j < kBurst; ++j) {
      PMPI_Irecv(&in[j], 1, MPI_BYTE, (rank + ranks - 1) % ranks, kTag, communicator, &requests[j]);
      PMPI_Isend(&out[j], 1, MPI_BYTE, (rank + 1) % ranks, kTag, communicator, &requests[kBurst + j]);
    }
    PMPI_Waitall(2 * kBurst, requests.data(), MPI_STATUSES_IGNORE);
    shortest = std::min(shortest, clock.now() - start);
  }
  return std::max(Seconds{}, 1.0 / (kBurst - 1) * (shortest - single));
}

double timeReduction(const Clock& clock) {
  constexpr std::int64_t kCount = 16384;
  const std::vector<float> left(kCount, 1.0F);
  std::vector<float> right(kCount, 2.0F);
  const ReductionKernel kernel = reductionKernel(ElementType::kFloat, Operation::kSum);
  Seconds shortest{1e9};
  for (int i = 0; i < kRepetitions; ++i) {
    const Seconds start = clock.now();
    kernel(left.data(), right.data(), right.data(), kCount);
    shortest = std::min(shortest, clock.now() - start);
  }
  return shortest.value / (kCount * sizeof(float));
}

}  // namespace

CostModel probeCosts(MPI_Comm private_communicator, const Clock& clock) {
  std::vector<char> out(kSizes[2]);
  std::vector<char> in(kSizes[2]);
  std::vector<CostSample> samples;
  for (const int bytes : kSizes) {
    const Seconds time = timeExchange(private_communicator, bytes, out, in, clock);
    samples.push_back({1.0, static_cast<double>(bytes), 0.0, time});
  }
  const FittedCost fitted = fitCost(samples);
  CostModel model;
  model.alpha = fitted.alpha;
  model.overhead = std::min(model.alpha, timeGap(private_communicator, samples.front().time, clock));
  model.beta = fitted.beta;
  model.gamma = timeReduction(clock);
  return model;
}

}  // namespace starling
