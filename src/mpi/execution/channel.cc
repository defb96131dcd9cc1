#include "mpi/execution/channel.h"

#include <algorithm>

#include "base/log.h"
#include "mpi/execution/common_answers.h"
#include "mpi/execution/creations.h"
#include "mpi/execution/returned_errors.h"

namespace starling {
namespace {

// The tags of so many calls differ: they are many more than can be under way.
constexpr std::int64_t kMaxTurns = 1024;

// A duplicate would have the program's attributes, and for a split the messages grow with the ranks.
MPI_Comm makePrivateCommunicator(MPI_Comm original) {
  const ReturnedErrors errors(original);
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(original, &group);
  MPI_Comm made = MPI_COMM_NULL;
  const int code = PMPI_Comm_create(original, group, &made);
  PMPI_Group_free(&group);
  if (code != MPI_SUCCESS) return MPI_COMM_NULL;
  PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return made;
}

// Returns whether some rank cannot have a channel.
bool isRefusedByAny(MPI_Comm original, bool mine) {
  const ReturnedErrors errors(original);
  return !isTrueOnAll(original, !mine);
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

// Ranks come to the first question at any time, and to the second together.
bool Channel::open(bool has_memory, Creation creation) {
  if (!has_memory) logShortage();
  bool is_refused = isRefusedByAny(original_, !has_memory);
  if (!is_refused && creation == Creation::kIsToBeAsked)
    is_refused = isRefusedByAny(original_, Creations::areUnderWay());
  if (!is_refused) private_ = makePrivateCommunicator(original_);
  broken_ = private_ == MPI_COMM_NULL;
  return !broken_;
}

std::int64_t Channel::leastOfAll(std::int64_t value) const {
  std::int64_t least = 0;
  PMPI_Allreduce(&value, &least, 1, MPI_INT64_T, MPI_MIN, private_);
  return least;
}

void Channel::refuse(MPI_Comm original) {
  Channel channel(original);
  if (!channel.isTunable()) return;
  logShortage();
  static_cast<void>(isRefusedByAny(original, true));
}

void Channel::logShortage() {
  logOnce(LogLevel::kWarning, "preparation", "memory is short: the calls of a communicator pass through untuned");
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
  return executor_.run(prepared, call);
}

}  // namespace starling
