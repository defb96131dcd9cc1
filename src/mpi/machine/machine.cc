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
#include "store/hosts.h"

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

// Returns the names of the hosts by rank, on rank 0 only.
std::vector<std::string> gatherHosts(MPI_Comm communicator) {
  int size = 0;
  PMPI_Comm_size(communicator, &size);
  int rank = 0;
  PMPI_Comm_rank(communicator, &rank);
  HostName name{};
  int length = 0;
  PMPI_Get_processor_name(name.data(), &length);
  std::vector<HostName> names(rank == 0 ? static_cast<std::size_t>(size) : 0);
  PMPI_Gather(name.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, names.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 0,
              communicator);
  std::vector<std::string> hosts;
  for (const HostName& host : names) hosts.emplace_back(host.data());
  return hosts;
}

Environment describeEnvironment(MPI_Comm communicator, const std::vector<std::string>& hosts) {
  Environment environment;
  PMPI_Comm_size(communicator, &environment.ranks);
  std::map<std::string, std::int32_t> ranks_of_node;
  for (const std::string& host : hosts) ++ranks_of_node[host];
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

}  // namespace

Run describeRun(MPI_Comm communicator) {
  const std::vector<std::string> hosts = gatherHosts(communicator);
  Run run;
  run.environment = describeEnvironment(communicator, hosts);
  run.hosts = foldHosts(hosts);
  run.program = ownProgramName();
  run.started = static_cast<std::int64_t>(std::time(nullptr));
  std::random_device random;
  // The digits are always as many: ranks send each other this text, and what that takes is to be repeatable.
  run.id = fmt::format("{:08x}-{:08x}-{:08x}", run.started, getpid(), random());
  return run;
}

}  // namespace starling
