#include "mpi/execution/channel.h"

#include <algorithm>

namespace starling {
namespace {

// The tags of so many calls differ: they are many more than can be under way.
constexpr std::int64_t kMaxTurns = 1024;

// A duplicate would have the program's attributes, and for a split the messages grow with the ranks.
MPI_Comm makePrivateCommunicator(MPI_Comm original) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(original, &handler);
  PMPI_Comm_set_errhandler(original, MPI_ERRORS_RETURN);
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(original, &group);
  MPI_Comm made = MPI_COMM_NULL;
  const int code = PMPI_Comm_create(original, group, &made);
  PMPI_Group_free(&group);
  PMPI_Comm_set_errhandler(original, handler);
  PMPI_Errhandler_free(&handler);
  if (code != MPI_SUCCESS) return MPI_COMM_NULL;
  PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return made;
}

int highestTag() {
  constexpr int kGuaranteedTag = 32767;  // what MPI guarantees
  void* limit = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &found);
  return found != 0 ? *static_cast<int*>(limit) : kGuaranteedTag;
}

}  // namespace

Channel::Channel(MPI_Comm original, int own_tags, std::pmr::memory_resource* memory)
    : original_(original), tag_limit_(highestTag() - own_tags), executor_(memory) {
  int is_inter = 0;
  PMPI_Comm_test_inter(original, &is_inter);
  is_intercommunicator_ = is_inter != 0;
  PMPI_Comm_rank(original, &rank_);
  PMPI_Comm_size(original, &ranks_);
}

Channel::~Channel() {
  if (private_ != MPI_COMM_NULL) PMPI_Comm_free(&private_);
}

bool Channel::open() {
  private_ = makePrivateCommunicator(original_);
  broken_ = private_ == MPI_COMM_NULL;
  return !broken_;
}

std::int64_t Channel::leastOfAll(std::int64_t value) const {
  std::int64_t least = 0;
  PMPI_Allreduce(&value, &least, 1, MPI_INT64_T, MPI_MIN, private_);
  return least;
}

bool Channel::ensureMemory(std::int64_t bytes, AgreedMemory& memory) const {
  if (memory.has(bytes)) return true;
  if (memory.isRefused(bytes)) return false;
  memory.agree(leastOfAll(memory.reserveFor(bytes)));
  if (memory.has(bytes)) return true;
  memory.refuse(bytes);
  return false;
}

int Channel::run(const PreparedSchedule& prepared, Executor::Call call) {
  const int span = prepared.schedule().tag_span;
  const std::int64_t turns = std::clamp<std::int64_t>((std::int64_t{tag_limit_} + 1) / span, 1, kMaxTurns);
  call.communicator = private_;
  call.first_tag = static_cast<int>(executed_calls_++ % turns) * span;
  const int code = executor_.run(prepared, call);
  if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(original_, code);
  return code;
}

}  // namespace starling
