#include "call_loop.h"

#include <dlfcn.h>

#include <array>
#include <utility>

#include "arguments.h"
#include "base/copies.h"

namespace starling::bench {
namespace {

struct Call {
  const void* input;
  void* result;
  int count;
  MPI_Datatype type;
  MPI_Op operation;
};

using Place = int (*)(const Call& call);

// One place in the program. The number in it keeps compilers from making one of all places, or of the call a jump,
// which would make its caller the place.
template <auto kAllreduce, int kSite>
[[gnu::noinline]] int callFrom(const Call& call) {
  const int code = kAllreduce(call.input, call.result, call.count, call.type, call.operation, MPI_COMM_WORLD);
  asm volatile("" : : "i"(kSite));
  return code;
}

template <auto kAllreduce, int... kSites>
constexpr std::array<Place, sizeof...(kSites)> makePlaces(std::integer_sequence<int, kSites...>) {
  return {callFrom<kAllreduce, kSites>...};
}

const std::array<Place, kMostSites> kMpiPlaces =
    makePlaces<MPI_Allreduce>(std::make_integer_sequence<int, kMostSites>());
const std::array<Place, kMostSites> kPmpiPlaces =
    makePlaces<PMPI_Allreduce>(std::make_integer_sequence<int, kMostSites>());

// No compiler may leave copies out that the next one writes over.
int copyVector(const void* input, void* result, std::size_t bytes) {
  copyBytes(static_cast<const std::byte*>(input), static_cast<std::byte*>(result), bytes);
  asm volatile("" : : "r"(result) : "memory");
  return MPI_SUCCESS;
}

// Returns where the library begins that the process has the function from; null: nowhere.
const void* libraryOf(const char* function) {
  Dl_info library;
  const void* const address = dlsym(RTLD_DEFAULT, function);
  return address != nullptr && dladdr(address, &library) != 0 ? library.dli_fbase : nullptr;
}

}  // namespace

bool isAllreduceWrapped() {
  int is_wrapped = libraryOf("MPI_Allreduce") != libraryOf("PMPI_Allreduce") ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &is_wrapped, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return is_wrapped != 0;
}

CallLoop::CallLoop(const Clock& clock, Workload& workload, std::uint64_t seed, std::int64_t count, std::int32_t sites,
                   FlagRounds* flags)
    : clock_(clock),
      workload_(workload),
      seed_(seed),
      count_(static_cast<int>(count)),
      sites_(static_cast<std::size_t>(sites)),
      flags_(flags),
      input_(static_cast<std::size_t>(count * workload.elementSize().value)),
      result_(input_.size()) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  workload.fill(seed, 0, rank, input_);
}

int CallLoop::callOnce(Target target) {
  if (target == Target::kCopy) return copyVector(input_.data(), result_.data(), input_.size());
  if (target == Target::kFlags) {
    flags_->run();
    return MPI_SUCCESS;
  }
  const std::array<Place, kMostSites>& places = target == Target::kMpi ? kMpiPlaces : kPmpiPlaces;
  const Call call{input_.data(), result_.data(), count_, workload_.datatype(), workload_.operation()};
  return places[next_site_](call);
}

LoopTime CallLoop::run(Target target, std::int32_t calls) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const std::int64_t begin_ns = clock_.nanoseconds();
  for (std::int32_t number = 0; number < calls; ++number) {
    const int code = callOnce(target);
    if (code_ == MPI_SUCCESS) code_ = code;
    if (++next_site_ == sites_) next_site_ = 0;
  }
  const double mine = static_cast<double>(clock_.nanoseconds() - begin_ns) / calls;
  LoopTime time;
  PMPI_Reduce(&mine, &time.mean_ns, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  PMPI_Reduce(&mine, &time.shortest_ns, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  PMPI_Reduce(&mine, &time.longest_ns, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  time.mean_ns /= ranks_;
  return time;
}

std::int64_t CallLoop::countWrong() {
  const std::int64_t mine = workload_.countWrong(seed_, 0, ranks_, result_);
  std::int64_t all = 0;
  PMPI_Reduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  return all;
}

}  // namespace starling::bench
