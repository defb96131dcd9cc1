#include "shared_arrivals.h"

#include <mpi.h>

#include <cstring>
#include <string>
#include <vector>

#include "mpi/exchange/share_bytes.h"
#include "recorded_arrivals.h"

namespace starling::bench {
namespace {

// Makes the values those of rank 0 on all ranks.
template <typename Values>
void share(Values& values) {
  using Value = typename Values::value_type;
  std::vector<std::uint8_t> bytes(values.size() * sizeof(Value));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  shareBytes(MPI_COMM_WORLD, bytes);
  values.resize(bytes.size() / sizeof(Value));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
}

}  // namespace

Status shareRecordedArrivals(Arguments& arguments) {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::string fault;
  std::vector<std::int64_t> samples;
  std::vector<Seconds> lateness;  // pattern by pattern
  if (rank == 0) {
    const Result<std::vector<RecordedPattern>> patterns = readRecordedArrivals(arguments.pattern, ranks);
    if (!patterns.isOk()) fault = patterns.status().message();
    for (const RecordedPattern& pattern : patterns.isOk() ? patterns.value() : std::vector<RecordedPattern>{}) {
      samples.push_back(pattern.samples);
      lateness.insert(lateness.end(), pattern.lateness.begin(), pattern.lateness.end());
    }
  }
  share(fault);
  if (!fault.empty()) return Status::error("--pattern: " + fault);
  share(samples);
  share(lateness);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto first = lateness.begin() + static_cast<std::ptrdiff_t>(i) * ranks;
    arguments.recorded.push_back({samples[i], {first, first + ranks}});
  }
  return Status::ok();
}

}  // namespace starling::bench
