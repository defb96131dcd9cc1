#include "mpi/rooted_channel.h"

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <utility>

#include "base/log.h"
#include "mpi/machine.h"
#include "mpi/private_communicator.h"
#include "mpi/probe.h"

namespace starling {
namespace {

constexpr std::int64_t kMostTurns = 1024;
constexpr double kDearest = 1e9;  // nothing costs more, per message in nanoseconds, per byte in picoseconds

std::int64_t wholeNumber(double cost) { return static_cast<std::int64_t>(std::clamp(cost, 0.0, kDearest)); }

}  // namespace

RootedChannel::RootedChannel(MPI_Comm communicator, const Options& options, const Clock& clock, Seconds clock_offset)
    : communicator_(communicator), options_(options), clock_(clock), clock_offset_(clock_offset) {
  int is_inter = 0;
  PMPI_Comm_test_inter(communicator, &is_inter);
  is_intercommunicator_ = is_inter != 0;
  PMPI_Comm_rank(communicator, &rank_);
  PMPI_Comm_size(communicator, &ranks_);
}

RootedChannel::~RootedChannel() {
  if (private_ != MPI_COMM_NULL) PMPI_Comm_free(&private_);
}

bool RootedChannel::admits(std::int64_t bytes, int root, RootedMemory& memory, Start start) {
  if (passesThrough() || root < 0 || root >= ranks_ || bytes <= 0 || bytes > RootedMemory::kMost) return false;
  memory.want(bytes);
  const bool is_worth_it = calls_++ >= options_.minimum_calls || start == Start::kAtOnce;
  if (!is_worth_it) return false;
  if (private_ == MPI_COMM_NULL) open();
  if (broken_) return false;
  if (!memory.isAgreed()) memory.agree(leastOfAll(memory.reserve()));
  return true;
}

void RootedChannel::open() {
  private_ = makePrivateCommunicator(communicator_);
  if (private_ == MPI_COMM_NULL) {
    broken_ = true;
    return;
  }
  highest_tag_ = highestTag();
  clocks_agree_ = shareOneClock(private_, clock_offset_);
  agreeOnCosts();
}

std::int64_t RootedChannel::leastOfAll(std::int64_t capacity) {
  std::int64_t least = 0;
  PMPI_Allreduce(&capacity, &least, 1, MPI_INT64_T, MPI_MIN, private_);
  return least;
}

bool RootedChannel::findMemory(std::int64_t bytes, RootedMemory& memory) {
  if (memory.has(bytes)) return true;
  if (memory.isRefused(bytes)) return false;
  memory.agree(leastOfAll(memory.reserveFor(bytes)));
  if (memory.has(bytes)) return true;
  memory.refuse(bytes);
  return false;
}

// One rank's costs are all ranks', or they would plan differently.
void RootedChannel::agreeOnCosts() {
  const CostModel model = probeCosts(private_, Topology{}, clock_);
  std::array<std::int64_t, 3> costs{wholeNumber(1e9 * model.alpha.value), wholeNumber(1e12 * model.beta),
                                    wholeNumber(1e12 * model.gamma)};
  PMPI_Bcast(costs.data(), static_cast<int>(costs.size()), MPI_INT64_T, 0, private_);
  costs_ = {costs[0], costs[1], costs[2]};
}

bool RootedChannel::growVector(std::size_t bytes) {
  if (bytes <= vector_bytes_) return true;
  // Not initialised: pages that no call uses are never touched.
  std::unique_ptr<std::byte[]> larger(new (std::nothrow) std::byte[bytes]);
  if (!larger) return false;
  vector_ = std::move(larger);
  vector_bytes_ = bytes;
  return true;
}

int RootedChannel::run(const PreparedSchedule& prepared, Executor::Call call) {
  const int span = prepared.schedule().tag_span;
  // Calls take turns in the tags, so that a message can only match within its own call, even after a fault.
  const std::int64_t turns = std::clamp<std::int64_t>((std::int64_t{highest_tag_} + 1) / span, 1, kMostTurns);
  call.communicator = private_;
  call.first_tag = static_cast<int>(executed_calls_++ % turns) * span;
  call.clock = &clock_;
  const int code = executor_.run(prepared, call);
  if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(communicator_, code);
  return code;
}

bool RootedChannel::takeExchange(PeriodExchange& exchange) {
  if (broken_ || !exchange.isOpen()) return false;
  if (const int code = exchange.finish(); code != MPI_SUCCESS) {
    breakDown(code);
    return false;
  }
  return true;
}

void RootedChannel::startExchange(PeriodExchange& exchange, const PeriodExchange::Figures& figures) {
  if (broken_) return;
  const int code = exchange.start(private_, figures);
  if (code != MPI_SUCCESS) breakDown(code);
}

void RootedChannel::breakDown(int code) {
  broken_ = true;
  logOnce(LogLevel::kWarning, "rooted exchange",
          "an exchange between ranks failed (MPI error " + std::to_string(code) +
              "); broadcasts and reductions pass through to the MPI library from now on");
}

}  // namespace starling
