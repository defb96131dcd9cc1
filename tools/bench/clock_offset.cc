#include "clock_offset.h"

namespace starling::bench {
namespace {

constexpr int kTag = 0;
constexpr int kExchanges = 16;

// Runs on rank 0: tells the other rank its clock, on request.
void answer(MPI_Comm communicator, int other, const Clock& clock) {
  for (int i = 0; i < kExchanges; ++i) {
    char request = 0;
    PMPI_Recv(&request, 1, MPI_CHAR, other, kTag, communicator, MPI_STATUS_IGNORE);
    const double now = clock.now().value;
    PMPI_Send(&now, 1, MPI_DOUBLE, other, kTag, communicator);
  }
}

Seconds ask(MPI_Comm communicator, const Clock& clock) {
  Seconds offset;
  Seconds quickest{1e9};
  for (int i = 0; i < kExchanges; ++i) {
    const char request = 0;
    double told = 0.0;
    const Seconds sent = clock.now();
    PMPI_Send(&request, 1, MPI_CHAR, 0, kTag, communicator);
    PMPI_Recv(&told, 1, MPI_DOUBLE, 0, kTag, communicator, MPI_STATUS_IGNORE);
    const Seconds received = clock.now();
    if (received - sent >= quickest) continue;
    quickest = received - sent;
    offset = 0.5 * (sent + received) - Seconds{told};
  }
  return offset;
}

}  // namespace

Seconds measureClockOffset(MPI_Comm communicator, const Clock& clock) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(communicator, &rank);
  PMPI_Comm_size(communicator, &ranks);
  if (rank != 0) return ask(communicator, clock);
  for (int other = 1; other < ranks; ++other) answer(communicator, other, clock);
  return {};
}

}  // namespace starling::bench
