#include "mpi/execution/node_memory.h"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <new>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/process_memory.h"
#include "base/processor_places.h"
#include "base/transports.h"
#include "mpi/execution/common_answers.h"
#include "node/node_groups.h"

namespace starling {
namespace {

// Makes pages be there which else take as long as several calls when they are first touched: on virtual machines some
// 10 us each. What is not done here is done then.
void populatePages([[maybe_unused]] std::byte* begin, [[maybe_unused]] std::int64_t bytes) {
#ifdef MADV_POPULATE_WRITE
  static_cast<void>(madvise(begin, static_cast<std::size_t>(bytes), MADV_POPULATE_WRITE));
#endif
}

// Likewise for pages of other ranks, which have made them be there: so they lie where those ranks run.
void populateForReading([[maybe_unused]] std::byte* begin, [[maybe_unused]] std::int64_t bytes) {
#ifdef MADV_POPULATE_READ
  static_cast<void>(madvise(begin, static_cast<std::size_t>(bytes), MADV_POPULATE_READ));
#endif
}

std::byte* withSlotsPopulated(const SharedMemory& memory, const NodeLayout& layout) {
  populatePages(memory.data(), static_cast<std::int64_t>(layout.bytesOfSlots()));
  return memory.data();
}

// Where a number of each rank lies, for the others to read it there.
struct Sample {
  std::int64_t process = 0;
  const std::int64_t* address = nullptr;
  std::int64_t value = 0;
};

// Tries whether each rank may read the others' memory, and wants to. Returns the same on all ranks. Collective;
// allocates nothing, which might fail on one rank alone. REQUIRES: ranks <= NodeMemory::kMostRanks.
bool mayAllRead(MPI_Comm communicator, int rank, int ranks) {
  const std::int64_t number = std::int64_t{getpid()} << 16 ^ rank;
  const Sample own{getpid(), &number, number};
  std::array<Sample, NodeMemory::kMostRanks> samples{};
  PMPI_Allgather(&own, sizeof own, MPI_BYTE, samples.data(), sizeof own, MPI_BYTE, communicator);
  const auto there = std::span(samples).first(static_cast<std::size_t>(ranks));
  const bool can_read = std::ranges::all_of(there, [](const Sample& sample) {
    std::int64_t found = 0;
    const auto process = static_cast<pid_t>(sample.process);
    return readProcessMemory(process, sample.address, &found, sizeof found) && found == sample.value;
  });
  // Nobody leaves before all have tried.
  return isTrueOnAll(communicator, can_read && readsMemory(chosenSingleCopies()));
}

using Places = std::array<ProcessorPlace, NodeMemory::kMostRanks>;

// What the first rank has found out.
struct Looked {
  std::int32_t known = 0;  // places, from the first rank's on
  std::int64_t nanoseconds = 0;
};

Looked lookAtPlaces(std::span<const cpu_set_t> processors, Places& places) {
  const auto begin = std::chrono::steady_clock::now();
  Looked looked;
  for (const cpu_set_t& own : processors) {
    const std::optional<ProcessorPlace> place = placeOf(own);
    if (!place) break;
    places[static_cast<std::size_t>(looked.known++)] = *place;
  }
  looked.nanoseconds = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
  return looked;
}

// Finds where each rank runs, the same on all ranks, and how long that took. Returns nothing where it makes no
// difference, or one rank may run anywhere. The first rank looks for all: reading what the system tells takes longer
// where many do it at once. Collective; allocates nothing itself. REQUIRES: ranks <= NodeMemory::kMostRanks.
std::span<const ProcessorPlace> findPlaces(MPI_Comm communicator, int rank, int ranks, Places& places,
                                           Seconds& looked_for) {
  cpu_set_t own;
  CPU_ZERO(&own);
  sched_getaffinity(0, sizeof own, &own);
  std::array<cpu_set_t, NodeMemory::kMostRanks> processors;
  PMPI_Gather(&own, sizeof own, MPI_BYTE, processors.data(), sizeof own, MPI_BYTE, 0, communicator);
  Looked looked;
  if (rank == 0) looked = lookAtPlaces(std::span(processors).first(static_cast<std::size_t>(ranks)), places);
  PMPI_Bcast(&looked, sizeof looked, MPI_BYTE, 0, communicator);
  looked_for = {1e-9 * static_cast<double>(looked.nanoseconds)};
  if (looked.known < ranks) return {};
  PMPI_Bcast(places.data(), static_cast<int>(sizeof(ProcessorPlace)) * ranks, MPI_BYTE, 0, communicator);
  const auto found = std::span(places).first(static_cast<std::size_t>(ranks));
  const auto is_elsewhere = [&](const ProcessorPlace& place) { return place.domain != found.front().domain; };
  return std::ranges::any_of(found, is_elsewhere) ? found : std::span<const ProcessorPlace>();
}

// Returns whether all ranks have the same token, none of which is 0. Collective.
bool isSameOnAll(MPI_Comm communicator, std::int64_t token) {
  // The greatest complement is the complement of the least.
  const std::array<std::int64_t, 2> mine{token, ~token};
  std::array<std::int64_t, 2> greatest{};
  const int code = PMPI_Allreduce(mine.data(), greatest.data(), 2, MPI_INT64_T, MPI_MAX, communicator);
  return code == MPI_SUCCESS && greatest[0] == ~greatest[1] && token != 0;
}

}  // namespace

std::shared_ptr<NodeMemory> NodeMemory::open(MPI_Comm communicator, bool may_share, bool is_crowded) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(communicator, &rank);
  PMPI_Comm_size(communicator, &ranks);
  const NodeLayout layout(ranks);
  std::optional<SharedMemory> memory = SharedMemory::map(communicator, layout.bytes(), may_share);
  if (!memory) return nullptr;
  const bool may_read = mayAllRead(communicator, rank, ranks);
  Places all_places;
  std::span<const ProcessorPlace> places;
  Seconds looked_for;
  // Ranks of one machine may find different numbers of processors.
  if (ranks > NodeGroups::kMostRanks && isTrueOnAll(communicator, !is_crowded)) {
    places = findPlaces(communicator, rank, ranks, all_places, looked_for);
  }
  std::shared_ptr<NodeMemory> made;
  try {
    made.reset(new NodeMemory(std::move(*memory), layout, rank, is_crowded, may_read, places));
    made->looked_for_ = looked_for;
  } catch (const std::bad_alloc&) {
    logOnce(LogLevel::kWarning, "shared memory", "memory is short: calls within a machine go by messages");
  }
  if (!isTrueOnAll(communicator, made != nullptr)) return nullptr;
  made->lookAtOthers();
  return made;
}

NodeMemory::NodeMemory(SharedMemory memory, const NodeLayout& layout, int rank, bool is_crowded, bool may_read,
                       std::span<const ProcessorPlace> places)
    : memory_(std::move(memory)),
      layout_(layout),
      rank_(rank),
      may_read_(may_read),
      allreduce_(withSlotsPopulated(memory_, layout), layout, rank, {is_crowded, drive, &idle_}, places) {
  populate(NodeSlot::kBytes);
}

void NodeMemory::lookAtOthers() {
  for (std::uint64_t set = 0; set < NodeLayout::kSets; ++set) {
    for (std::int32_t rank = 0; rank < layout_.ranks(); ++rank) {
      if (rank != rank_) populateForReading(layout_.contribution(memory_.data(), rank, set), NodeSlot::kBytes);
    }
  }
}

void NodeMemory::populate(std::int64_t bytes) {
  const std::int64_t longest = std::min(bytes, NodeLayout::kMostChunkBytes);
  if (longest <= populated_) return;
  populated_ = longest;
  for (std::uint64_t set = 0; set < NodeLayout::kSets; ++set) {
    populatePages(layout_.contribution(memory_.data(), rank_, set), longest);
    populatePages(layout_.result(memory_.data(), set), longest);
  }
}

// Where a message is found the MPI library may do nothing more: so it is asked for one that never comes, from rank 0 as
// from any other, and goes on with all that is under way.
void NodeMemory::drive(const void* idle) {
  const auto& [communicator, tag] = *static_cast<const Idle*>(idle);
  int is_there = 0;
  PMPI_Iprobe(0, tag, communicator, &is_there, MPI_STATUS_IGNORE);
}

// A rank may have freed the communicators of a memory that others still have: it is shared where none has.
std::shared_ptr<NodeMemory> NodeMemories::findOrOpen(MPI_Comm communicator, std::span<const std::int32_t> members,
                                                     bool may_share, bool is_crowded) {
  std::shared_ptr<NodeMemory> known = find(members);
  if (isSameOnAll(communicator, known ? known->token() : 0)) return known;
  std::shared_ptr<NodeMemory> opened = NodeMemory::open(communicator, may_share, is_crowded);
  if (opened) add(members, opened);
  return opened;
}

std::shared_ptr<NodeMemory> NodeMemories::find(std::span<const std::int32_t> members) const {
  const auto is_theirs = [&](const Entry& entry) {
    return std::ranges::equal(entry.members, members) && !entry.memory.expired();
  };
  const auto newest = std::find_if(entries_.rbegin(), entries_.rend(), is_theirs);
  return newest == entries_.rend() ? nullptr : newest->memory.lock();
}

void NodeMemories::add(std::span<const std::int32_t> members, const std::shared_ptr<NodeMemory>& memory) noexcept {
  std::erase_if(entries_, [](const Entry& entry) { return entry.memory.expired(); });
  try {
    entries_.push_back({{members.begin(), members.end()}, memory});
  } catch (const std::bad_alloc&) {  // the next communicator has memory of its own
  }
}

}  // namespace starling
