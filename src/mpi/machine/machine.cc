#include "mpi/machine/machine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <random>
#include <vector>

#include "base/programs.h"
#include "base/transports.h"

namespace starling {
namespace {

using HostName = std::array<char, MPI_MAX_PROCESSOR_NAME>;

std::string processorModel() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) {
      const std::size_t colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
  }
  return "unknown";
}

std::string mpiVersion() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  const std::string version(text.data(), static_cast<std::size_t>(length));
  return version.substr(0, version.find_first_of(",\n"));
}

}  // namespace

Environment gatherEnvironment(MPI_Comm communicator) {
  Environment environment;
  PMPI_Comm_size(communicator, &environment.ranks);
  int rank = 0;
  PMPI_Comm_rank(communicator, &rank);
  HostName name{};
  int length = 0;
  PMPI_Get_processor_name(name.data(), &length);
  std::vector<HostName> names(rank == 0 ? static_cast<std::size_t>(environment.ranks) : 0);
  PMPI_Gather(name.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, names.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 0,
              communicator);
  std::map<std::string, std::int32_t> ranks_of_node;
  for (const HostName& host : names) ++ranks_of_node[host.data()];
  environment.nodes = static_cast<std::int32_t>(ranks_of_node.size());
  for (const auto& node : ranks_of_node) {
    environment.ranks_per_node = std::max(environment.ranks_per_node, node.second);
  }
  environment.processor = processorModel();
  environment.mpi_version = mpiVersion();
  const bool shares_memory = environment.nodes <= 1 && sharesMemory(chosenTransports());
  environment.transport = shares_memory ? "shared_memory" : "network";
  return environment;
}

Run describeRun(const Environment& environment) {
  Run run;
  run.environment = environment;
  run.program = ownProgramName();
  run.started = static_cast<std::int64_t>(std::time(nullptr));
  std::random_device random;
  run.id = fmt::format("{:x}-{:x}-{:08x}", run.started, static_cast<long>(getpid()), random());
  return run;
}

}  // namespace starling
