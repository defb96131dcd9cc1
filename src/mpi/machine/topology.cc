#include "mpi/machine/topology.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <memory>
#include <unordered_map>
#include <vector>

#include "algos/tree_search.h"
#include "base/log.h"
#include "base/text_file.h"
#include "base/transports.h"
#include "mpi/execution/common_answers.h"
#include "mpi/machine/world_ranks.h"
#include "tuner/signature.h"

namespace starling {
namespace {

constexpr int kLinkTag = 0;        // the links are measured before the first call, when no schedule has used a tag
constexpr int kLinkBytes = 65536;  // long enough for the bandwidth to be most of it
constexpr int kLinkRepetitions = 3;
constexpr double kBytesPerUnit = 1e6;

std::uint64_t hashOfProcessorName() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  PMPI_Get_processor_name(name.data(), &length);
  std::uint64_t hash = 1;
  for (int i = 0; i < length; ++i) hash = mixHash(hash, static_cast<unsigned char>(name[i]));
  return hash;
}

// Returns, for each element, the place of the first one that equals it.
template <typename Element>
std::vector<std::int32_t> firstEquals(const std::vector<Element>& elements) {
  std::vector<std::int32_t> firsts;
  firsts.reserve(elements.size());
  std::unordered_map<Element, std::int32_t> first_of;
  for (const Element& element : elements) {
    firsts.push_back(first_of.try_emplace(element, static_cast<std::int32_t>(firsts.size())).first->second);
  }
  return firsts;
}

std::vector<std::int32_t> nodesWithin(std::span<const std::int32_t> world_nodes, MPI_Comm communicator) {
  std::vector<std::int32_t> nodes;
  for (const int rank : worldRanksOf(communicator)) nodes.push_back(world_nodes[static_cast<std::size_t>(rank)]);
  return firstEquals(nodes);
}

// Measures the link to one other rank, with messages in both directions at once. Returns the best of a few tries in
// megabytes per second.
std::int32_t timeLink(MPI_Comm communicator, int peer, std::vector<char>& out, std::vector<char>& in,
                      const Clock& clock) {
  Seconds shortest{1e9};
  for (int i = 0; i < kLinkRepetitions; ++i) {
    const Seconds start = clock.now();
    PMPI_Sendrecv(out.data(), kLinkBytes, MPI_BYTE, peer, kLinkTag, in.data(), kLinkBytes, MPI_BYTE, peer, kLinkTag,
                  communicator, MPI_STATUS_IGNORE);
    shortest = std::min(shortest, clock.now() - start);
  }
  const double weight = kLinkBytes / kBytesPerUnit / std::max(shortest.value, 1e-9);
  return static_cast<std::int32_t>(std::clamp(weight, 1.0, static_cast<double>(kHeaviestLink)));
}

// Measures each pair of ranks once, in rounds in which every rank has one partner at most: this is the circle method of
// tournaments.
std::vector<std::int32_t> measureLinks(MPI_Comm communicator, int rank, int ranks, const Clock& clock) {
  std::vector<char> out(kLinkBytes);
  std::vector<char> in(kLinkBytes);
  std::vector<std::int32_t> mine(ranks, 0);
  const int places = ranks + ranks % 2;
  const int turning = places - 1;  // all places but the last one
  for (int round = 0; round < turning; ++round) {
    // Of the turning places a and b meet where a + b = round; the one that would meet itself meets the last place.
    int peer = rank == places - 1 ? -1 : (round - rank + turning) % turning;
    if (rank == places - 1) {
      peer = round % 2 == 0 ? round / 2 : (round + turning) / 2;
    } else if (peer == rank) {
      peer = places - 1;
    }
    if (peer < ranks) mine[peer] = timeLink(communicator, peer, out, in, clock);
  }
  const std::size_t width = static_cast<std::size_t>(ranks);
  std::vector<std::int32_t> links(width * width);
  PMPI_Allgather(mine.data(), ranks, MPI_INT32_T, links.data(), ranks, MPI_INT32_T, communicator);
  for (std::size_t a = 0; a < width; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      links[a * width + b] = links[b * width + a] = std::min(links[a * width + b], links[b * width + a]);
    }
  }
  return links;
}

// Reads the rows and columns of these ranks of MPI_COMM_WORLD. Errors say what is wrong with the file.
Result<std::vector<std::int32_t>> readLinks(const std::string& path, const std::vector<int>& ranks) {
  const Result<std::string> text = readTextFile(path);
  if (!text.isOk()) {
    return Status::error(fmt::format("on rank 0 it {}: name a file that is there on its machine, or \"measure\"",
                                     text.status().message()));
  }
  Result<std::vector<std::int32_t>> read = parseLinks(text.value());
  if (!read.isOk()) return read;
  int world = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &world);
  const auto is_outside = [world](int rank) { return rank < 0 || rank >= world; };
  if (std::any_of(ranks.begin(), ranks.end(), is_outside)) {
    return Status::error("a communicator has ranks that are not in MPI_COMM_WORLD, and the file has no rows for these");
  }
  const std::size_t width = static_cast<std::size_t>(world);
  if (read.value().size() != width * width) {
    return Status::error(fmt::format("it needs {} rows, one for each rank of MPI_COMM_WORLD", world));
  }
  std::vector<std::int32_t> links;
  for (const int a : ranks) {
    for (const int b : ranks) links.push_back(read.value()[a * width + b]);
  }
  return links;
}

std::vector<std::int32_t> shareLinks(MPI_Comm communicator, int rank, int ranks, const std::string& path) {
  std::vector<std::int32_t> links;
  if (rank == 0) {
    Result<std::vector<std::int32_t>> read = readLinks(path, worldRanksOf(communicator));
    if (read.isOk()) {
      links = std::move(read).value();
    } else {
      logOnce(LogLevel::kWarning, "links",
              fmt::format("STARLING_LINKS: {}: {}; all links count as equal", path, read.status().message()));
    }
  }
  int is_known = links.empty() ? 0 : 1;
  PMPI_Bcast(&is_known, 1, MPI_INT, 0, communicator);
  if (is_known == 0) return {};
  links.resize(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks));
  PMPI_Bcast(links.data(), ranks * ranks, MPI_INT32_T, 0, communicator);
  return links;
}

// Counts the processors on which at least one of the communicator's ranks may run, all of which are on one machine.
// What a rank cannot find out it may do. Collective.
int processorsOf(MPI_Comm communicator) {
  cpu_set_t own;
  cpu_set_t all;
  CPU_ZERO(&own);
  if (sched_getaffinity(0, sizeof own, &own) != 0) std::memset(&own, 0xff, sizeof own);
  PMPI_Allreduce(&own, &all, sizeof own, MPI_BYTE, MPI_BOR, communicator);
  return CPU_COUNT(&all);
}

std::vector<std::int32_t> ranksOnNodeOf(int rank, std::span<const std::int32_t> nodes) {
  std::vector<std::int32_t> ranks;
  for (std::size_t other = 0; other < nodes.size(); ++other) {
    if (nodes[other] == nodes[static_cast<std::size_t>(rank)]) ranks.push_back(static_cast<std::int32_t>(other));
  }
  return ranks;
}

bool isEachAlone(std::vector<std::int32_t> nodes) {
  std::ranges::sort(nodes);
  return std::ranges::adjacent_find(nodes) == nodes.end();
}

// Returns the memory of the ranks of a node, which `on_node` tells in the private communicator; null, on all of them:
// they have none. Collective over the node's communicator.
std::shared_ptr<NodeMemory> memoryOf(MPI_Comm node, MPI_Comm private_communicator,
                                     std::span<const std::int32_t> on_node, bool is_crowded, NodeMemories* known) {
  if (on_node.size() < 2 || std::ssize(on_node) > NodeMemory::kMostRanks) return nullptr;
  const bool may_share = sharesMemory(chosenTransports());
  if (known == nullptr) return NodeMemory::open(node, may_share, is_crowded);
  const std::vector<int> in_world = worldRanksOf(private_communicator);
  std::vector<std::int32_t> members;
  for (const std::int32_t rank : on_node) members.push_back(in_world[static_cast<std::size_t>(rank)]);
  return known->findOrOpen(node, members, may_share, is_crowded);
}

// Counts the ranks of MPI_COMM_WORLD on the node of this one.
std::int64_t ranksOfWorldHere(std::span<const std::int32_t> world_nodes) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return std::ranges::count(world_nodes, world_nodes[static_cast<std::size_t>(rank)]);
}

}  // namespace

std::vector<std::int32_t> gatherNodes(MPI_Comm communicator) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(communicator, &rank);
  PMPI_Comm_size(communicator, &ranks);
  const std::uint64_t hash = hashOfProcessorName();
  std::vector<std::uint64_t> hashes(rank == 0 ? static_cast<std::size_t>(ranks) : 0);
  // MPI_Allgather is avoided, because its messages grow with the square of the ranks in some libraries.
  PMPI_Gather(&hash, 1, MPI_UINT64_T, hashes.data(), 1, MPI_UINT64_T, 0, communicator);
  std::vector<std::int32_t> nodes = firstEquals(hashes);
  nodes.resize(static_cast<std::size_t>(ranks));
  PMPI_Bcast(nodes.data(), ranks, MPI_INT32_T, 0, communicator);
  return nodes;
}

Topology gatherTopology(MPI_Comm private_communicator, const std::string& links, const Clock& clock,
                        std::span<const std::int32_t> world_nodes) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(private_communicator, &rank);
  PMPI_Comm_size(private_communicator, &ranks);
  Topology topology;
  topology.nodes =
      world_nodes.empty() ? gatherNodes(private_communicator) : nodesWithin(world_nodes, private_communicator);
  if (ranks > kMaxLinkedRanks) {
    if (!links.empty() && rank == 0) {
      logOnce(
          LogLevel::kWarning, "links",
          fmt::format("STARLING_LINKS: a communicator has {} ranks, and links are known of {} at most; all count as "
                      "equal there",
                      ranks, kMaxLinkedRanks));
    }
    return topology;
  }
  if (!links.empty()) {
    topology.links = links == kMeasuredLinks ? measureLinks(private_communicator, rank, ranks, clock)
                                             : shareLinks(private_communicator, rank, ranks, links);
  }
  if (tellsApart(&topology)) topology.trees = topologyTrees(&topology, ranks, std::min(kMaxTrees, ranks));
  return topology;
}

std::unique_ptr<NodeChannel> shareMemory(MPI_Comm private_communicator, int idle_tag, Topology& topology,
                                         std::span<const std::int32_t> world_nodes, NodeMemories* known) {
  int rank = 0;
  PMPI_Comm_rank(private_communicator, &rank);
  const std::vector<std::int32_t> on_node = ranksOnNodeOf(rank, topology.nodes);
  const bool is_one_node = std::ssize(on_node) == std::ssize(topology.nodes);
  topology.shares_memory = topology.reads_memory = topology.gives_cores = false;
  if (isEachAlone(topology.nodes)) return nullptr;
  MPI_Comm node = private_communicator;
  const bool has_node =
      is_one_node || PMPI_Comm_split(private_communicator, on_node.front(), rank, &node) == MPI_SUCCESS;
  if (!is_one_node && !isTrueOnAll(private_communicator, has_node)) {
    if (has_node) PMPI_Comm_free(&node);
    return nullptr;
  }
  // Where other communicators' ranks run beside these, they want cores, too.
  const std::int64_t ranks_here = world_nodes.empty() ? std::ssize(on_node) : ranksOfWorldHere(world_nodes);
  const int processors = processorsOf(node);
  const bool is_crowded = ranks_here > sysconf(_SC_NPROCESSORS_ONLN) || std::ssize(on_node) > processors;
  const std::shared_ptr<NodeMemory> memory = memoryOf(node, private_communicator, on_node, is_crowded, known);
  std::unique_ptr<NodeChannel> channel;
  if (memory)
    channel = std::make_unique<NodeChannel>(memory, on_node, NodeMemory::Idle{private_communicator, idle_tag});
  const bool is_shared = channel != nullptr || on_node.size() == 1;
  topology.shares_memory = is_one_node ? is_shared : isTrueOnAll(private_communicator, is_shared);
  topology.gives_cores = !is_one_node && topology.shares_memory && isTrueOnAll(private_communicator, !is_crowded);
  if (!is_one_node) PMPI_Comm_free(&node);
  topology.reads_memory = is_one_node && topology.shares_memory && channel->mayRead();
  return topology.shares_memory ? std::move(channel) : nullptr;
}

}  // namespace starling
