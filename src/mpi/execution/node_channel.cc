#include "mpi/execution/node_channel.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/processor_cache.h"

namespace starling {
namespace {

// The parameters of the rows, in their order (algos/node.cc, algos/node_read.cc).
constexpr std::size_t kSlotElements = 0;
constexpr std::size_t kChunkKib = 1;
constexpr std::size_t kReadKib = 0;

constexpr std::int64_t kChunkOfShares = 128 * 1024;  // bytes

constexpr std::int64_t kLeastLateness = 20'000;  // ns, that is worth to be followed
constexpr double kFastPass = 0.1;                // ns for each byte

constexpr std::int64_t kProbeElements = 3 * 32768;  // three chunks of floats: all sets of buffers are touched
constexpr int kProbeCalls = 8;                      // of each size
constexpr int kCallsTogether = 3;                   // of these, the fastest of which count

void combineByKernel(const void* context, const void* left, const void* right, void* out, std::int64_t count) {
  static_cast<const Reducer*>(context)->kernel(left, right, out, count);
}

// MPI_Reduce_local leaves (left op right) where the right operand was.
void combineByOperation(const void* context, const void* left, const void* right, void* out, std::int64_t count) {
  const Reducer& reducer = *static_cast<const Reducer*>(context);
  const auto size = static_cast<std::int64_t>(reducer.element_size);
  alignas(std::max_align_t) std::array<std::byte, 4096> operand;
  const std::int64_t most = static_cast<std::int64_t>(operand.size()) / size;
  for (std::int64_t done = 0; done < count; done += most) {
    const std::int64_t elements = std::min(most, count - done);
    const auto bytes = static_cast<std::size_t>(elements * size);
    const auto at = [&](const void* vector) { return static_cast<const std::byte*>(vector) + done * size; };
    std::memcpy(operand.data(), at(right), bytes);
    PMPI_Reduce_local(at(left), operand.data(), static_cast<int>(elements), reducer.datatype, reducer.operation);
    std::memcpy(static_cast<std::byte*>(out) + done * size, operand.data(), bytes);
  }
}

// Returns from which length on, in bytes, the two vectors of each of so many ranks are more than the last cache holds.
// Where ranks outnumber the processors each cache has as many more of them.
std::int64_t leastUncachedBytes(std::int32_t ranks) {
  static const std::optional<ProcessorCache> kCache = lastCache();
  if (!kCache) return std::numeric_limits<std::int64_t>::max();
  const std::int64_t processors = std::max<std::int64_t>(sysconf(_SC_NPROCESSORS_ONLN), 1);
  const std::int64_t sharing = std::max<std::int64_t>(std::int64_t{ranks} * kCache->processors / processors, 1);
  return kCache->bytes / (2 * sharing);
}

Combiner combinerOf(const Reducer& reducer) {
  return {reducer.kernel != nullptr ? combineByKernel : combineByOperation, &reducer,
          static_cast<std::int64_t>(reducer.element_size), reducer.has_gaps};
}

}  // namespace

NodeChannel::NodeChannel(std::shared_ptr<NodeMemory> memory, std::vector<std::int32_t> ranks,
                         const NodeMemory::Idle& idle)
    : memory_(std::move(memory)),
      ranks_(std::move(ranks)),
      idle_(idle),
      past_caches_from_(leastUncachedBytes(memory_->ranks())) {
  late_.reserve(ranks_.size());
  shares_.reserve(ranks_.size());
}

// Ranks that come long before the last ones combine what is there until then. Where that is less than a pass over the
// vector takes, it is more that all combine.
void NodeChannel::findLate(const Call& call) {
  late_.clear();
  if (call.lateness_ns.empty()) return;
  const double pass_ns = kFastPass * static_cast<double>(call.count) * static_cast<double>(call.reducer.element_size);
  const std::int64_t worth_it = std::max(kLeastLateness, static_cast<std::int64_t>(pass_ns));
  const std::int64_t latest = *std::ranges::max_element(call.lateness_ns);
  if (latest < worth_it) return;
  const std::int64_t least = latest / 2;
  for (std::size_t place = 0; place < call.lateness_ns.size(); ++place) {
    if (call.lateness_ns[place] < least) continue;
    late_.push_back(call.table.empty() ? static_cast<std::int32_t>(place) : call.table[place]);
  }
  std::ranges::sort(late_);
}

// The rank that comes last to a call waits for nobody, and so finds it shorter than it is; but no rank is last each
// time. So some calls that follow each other tell together what one takes, the more so where ranks have to wait for a
// core.
Seconds NodeChannel::leastTimeOf(std::int32_t algorithm, std::span<float> values, std::int64_t count,
                                 const Clock& clock) {
  const Reducer reducer{reductionKernel(ElementType::kFloat, Operation::kSum), MPI_SUM, MPI_FLOAT, sizeof(float)};
  const Choice choice{algorithm, defaultParameters(*findAlgorithm(algorithm))};
  const std::span<float> send = values.first(static_cast<std::size_t>(count));
  const std::span<float> receive = values.last(values.size() / 2);
  std::array<Seconds, kProbeCalls> times;
  for (Seconds& time : times) {
    std::ranges::fill(send, 0.0F);
    const Seconds begin = clock.now();
    run({send.data(), receive.data(), count, reducer, choice});
    time = clock.now() - begin;
  }
  Seconds least{std::numeric_limits<double>::infinity()};
  for (auto first = times.begin(); times.end() - first >= kCallsTogether; ++first) {
    least = std::min(least, std::accumulate(first, first + kCallsTogether, Seconds{}));
  }
  return 1.0 / kCallsTogether * least;
}

void NodeChannel::probe(const Clock& clock, CostModel& model) {
  std::vector<float> values(2 * kProbeElements, 1.0F);
  const double others = 1.0 - 1.0 / memory_->ranks();
  const double bytes = others * static_cast<double>(kProbeElements * sizeof(float));
  // Of both, what copies take for each byte.
  const auto beta_of = [&](Seconds time, Seconds fixed) {
    const Seconds copying = time - fixed - Seconds{bytes * model.gamma};
    return std::max(copying.value, 0.0) / (2.0 * bytes);
  };
  model.node_alpha = leastTimeOf(kNodeAlgorithm, values, 1, clock);
  model.node_beta = beta_of(leastTimeOf(kNodeAlgorithm, values, kProbeElements, clock), 2.0 * model.node_alpha);
  if (!mayRead()) return;
  const Seconds shortest = leastTimeOf(kNodeReadAlgorithm, values, 1, clock);
  model.read_alpha = 0.5 * shortest;
  model.read_beta = beta_of(leastTimeOf(kNodeReadAlgorithm, values, kProbeElements, clock), shortest);
}

NodeCall NodeChannel::onNode(const Call& call) const {
  NodeCall on_node;
  on_node.send = call.send == MPI_IN_PLACE ? call.receive : call.send;
  on_node.receive = call.receive;
  on_node.count = call.count;
  on_node.combiner = combinerOf(call.reducer);
  on_node.may_reorder = call.may_reorder;
  on_node.past_caches = call.count * on_node.combiner.element_bytes >= past_caches_from_;
  return on_node;
}

void NodeChannel::run(const Call& call) {
  NodeCall on_node = onNode(call);
  const bool is_read = call.choice.algorithm == kNodeReadAlgorithm;
  const ParameterValues& parameters = call.choice.parameters;
  on_node.is_read = is_read && mayRead();
  on_node.in_slots = !is_read && call.count <= parameters[kSlotElements];
  on_node.chunk_bytes = 1024 * parameters[is_read ? kReadKib : kChunkKib];
  findLate(call);
  on_node.late = late_;
  memory_->allreduce(idle_).run(on_node);
}

NodeShares NodeChannel::share(const Call& call, const Schedule& schedule) {
  shares_.clear();
  for (const auto& [owner, block] : schedule.shares) {
    const std::int32_t rank = call.table.empty() ? owner : call.table[static_cast<std::size_t>(owner)];
    const auto place = std::ranges::lower_bound(ranks_, rank);
    shares_.push_back({static_cast<std::int32_t>(place - ranks_.begin()), block.offset, block.offset + block.count});
  }
  NodeCall on_node = onNode(call);
  on_node.chunk_bytes = kChunkOfShares;
  return {memory_->allreduce(idle_), on_node, shares_, schedule};
}

}  // namespace starling
