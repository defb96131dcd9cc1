#include "mpi/rooted/rooted_channel.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/address_space.h"
#include "base/log.h"
#include "mpi/machine/probe.h"

namespace starling {
namespace {

constexpr double kDearest = 1e9;  // nothing costs more, per message in nanoseconds, per byte in picoseconds

std::int64_t wholeNumber(double cost) { return static_cast<std::int64_t>(std::clamp(cost, 0.0, kDearest)); }

}  // namespace

LinkCosts linkCostsOf(const CostModel& model) {
  return {wholeNumber(1e9 * model.alpha.value), wholeNumber(1e12 * model.beta), wholeNumber(1e12 * model.gamma)};
}

RootedChannel::RootedChannel(MPI_Comm communicator, const Options& options, const ClockKnowledge& clocks)
    : options_(options), clocks_(clocks), channel_(communicator, 0, &schedule_reserve_) {}

bool RootedChannel::countsAsWorthIt(const RootedCounter::Call& call, AgreedMemory& memory) {
  if (passesThrough()) return false;
  const bool is_worth_it = counter_.admits(call, ranks(), options_.minimum_calls);
  if (counter_.countsLatest()) memory.want(call.bytes);
  return is_worth_it;
}

bool RootedChannel::opensFor(AgreedMemory& memory) {
  if (!channel_.isOpen()) open();
  if (channel_.isBroken()) return false;
  if (!memory.isAgreed()) memory.agree(channel_.leastOfAll(memory.reserve()));
  return true;
}

void RootedChannel::open() {
  // The probe takes buffers while other ranks wait for its messages: where they are short, nothing is begun.
  if (!channel_.open(hasHeap(kProbeMemory), Channel::Creation::kIsToBeAsked)) return;
  stamp_clock_ = agreeOnStamps(channel_.communicator(), clocks_);
  costs_ = linkCostsOf(probeCosts(channel_.communicator(), Topology{}, clock(), nullptr));
}

int RootedChannel::run(const PreparedSchedule& prepared, Executor::Call call) {
  call.clock = clocks_.clock;
  const int code = channel_.run(prepared, call);
  if (code != MPI_SUCCESS) tellError(code);
  return code;
}

void RootedChannel::advanceExchange(PeriodExchange& exchange) {
  if (channel_.isBroken()) return;
  if (const int code = exchange.advance(); code != MPI_SUCCESS) breakDown(code);
}

bool RootedChannel::takeExchange(PeriodExchange& exchange) {
  if (channel_.isBroken() || !exchange.isOpen()) return false;
  if (const int code = exchange.finish(); code != MPI_SUCCESS) {
    breakDown(code);
    return false;
  }
  return true;
}

bool RootedChannel::endExchange(PeriodExchange& exchange, bool may_wait) {
  if (channel_.isBroken() || !exchange.isOpen()) return true;
  if (!may_wait) return exchange.isComplete();
  takeExchange(exchange);
  return true;
}

void RootedChannel::startExchange(PeriodExchange& exchange, const PeriodExchange::Figures& figures) {
  if (channel_.isBroken()) return;
  const int code = exchange.start(channel_.communicator(), figures);
  if (code != MPI_SUCCESS) breakDown(code);
  stamp_clock_.keepUp();
}

void RootedChannel::breakDown(int code) {
  channel_.breakDown();
  logOnce(LogLevel::kWarning, "rooted exchange",
          "an exchange between ranks failed (MPI error " + std::to_string(code) +
              "); broadcasts and reductions pass through to the MPI library from now on");
}

}  // namespace starling
