// The part of the runtime that attaches to communicators what they need, at their first calls.
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include "mpi/exchange/roll_call.h"
#include "mpi/exchange/share_bytes.h"
#include "mpi/execution/common_answers.h"
#include "mpi/execution/creations.h"
#include "mpi/machine/clock_domains.h"
#include "mpi/machine/world_ranks.h"
#include "mpi/one_build.h"
#include "mpi/runtime.h"
#include "tuner/epoch_lengths.h"

namespace starling {
namespace {

// Returns the ranks of the communicator that are of another MPI_COMM_WORLD.
std::vector<int> ranksBeyondWorld(MPI_Comm communicator) {
  const std::vector<int> world_ranks = worldRanksOf(communicator);
  std::vector<int> ranks(world_ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::erase_if(ranks, [&](int rank) { return world_ranks[static_cast<std::size_t>(rank)] != MPI_UNDEFINED; });
  return ranks;
}

bool isFirstRank(MPI_Comm communicator) {
  int rank = 0;
  PMPI_Comm_rank(communicator, &rank);
  return rank == 0;
}

}  // namespace

// What is remembered was found when MPI was usable, and is forgotten before it is not.
Attachment* Runtime::knownAttachment(MPI_Comm communicator) {
  if (Attachment* const remembered = attachments_.findRemembered(communicator)) return remembered;
  return communicator == MPI_COMM_NULL || !isUsable() ? nullptr : attachments_.find(communicator);
}

Session* Runtime::findSession(MPI_Comm communicator) {
  const Attachment* const known = knownAttachment(communicator);
  return known == nullptr ? nullptr : known->session.get();
}

AbsentSession* Runtime::absentSession(MPI_Comm communicator) {
  Attachment* const known = knownAttachment(communicator);
  return known == nullptr || !known->absent ? nullptr : &*known->absent;
}

bool Runtime::wouldAttach(MPI_Comm communicator) {
  return knownAttachment(communicator) == nullptr && communicator != MPI_COMM_NULL && isUsable();
}

Attachment* Runtime::attachment(MPI_Comm communicator) {
  if (Attachment* const known = knownAttachment(communicator)) return known;
  if (!wouldAttach(communicator)) return nullptr;
  // A program that links the library agrees at its first call on the world, or else per communicator.
  if (!started_ && communicator == MPI_COMM_WORLD) {
    start();
  }
  return makeAttachment(communicator, beginningOf(communicator));
}

Session* Runtime::session(MPI_Comm communicator) {
  Attachment* const attached = attachment(communicator);
  if (attached == nullptr) return nullptr;
  if (attached->early) addSession(communicator, *attached);
  return attached->session.get();
}

// Who links Starling, or has it observe, asks for the world at least; a preloaded library is asked for nothing.
Runtime::Beginning Runtime::beginningOf(MPI_Comm communicator) const {
  const Options& options = settings_.options;
  if (!isStartedEverywhere()) return Beginning::kSession;
  int is_inter = 0;
  int ranks = 0;
  PMPI_Comm_test_inter(communicator, &is_inter);
  PMPI_Comm_size(communicator, &ranks);
  if (is_inter != 0 || ranks == 1) return Beginning::kNothing;
  // Ranks of another world have to hear of it.
  if (options.mode == Mode::kOff) return isWithinWorld(communicator) ? Beginning::kNothing : Beginning::kSession;
  const bool is_early = options.prepare == Preparation::kWorthwhile && Session::callsBeforePreparation(options) > 0 &&
                        (communicator == MPI_COMM_WORLD ? is_started_in_init_ && options.mode == Mode::kTune
                                                        : isWithinWorld(communicator));
  return is_early ? Beginning::kEarlyCalls : Beginning::kSession;
}

// All other ranks attach the same, so the memory for it was taken beforehand, if it was there.
Attachment* Runtime::makeAttachment(MPI_Comm communicator, Beginning beginning) {
  if (beginning == Beginning::kSession) setSpareMemory(nullptr);
  Attachment* const attached = attachments_.attach(communicator);
  if (attached == nullptr) return nullptr;
  if (beginning == Beginning::kSession) addSession(communicator, *attached);
  if (beginning == Beginning::kEarlyCalls)
    attached->early.emplace(callsOfFirstEpoch(communicator), clock_.nanoseconds());
  return attached;
}

void Runtime::addSession(MPI_Comm communicator, Attachment& attached) {
  if (attached.session || attached.absent) return;
  try {
    attached.session = makeSession(communicator);
  } catch (const std::bad_alloc&) {
    // Where ranks have not agreed on settings this one cannot know when the others prepare.
    if (started_ && settings_.options.mode != Mode::kOff) attached.absent.emplace(callsOfFirstEpoch(communicator));
  }
}

std::unique_ptr<Session> Runtime::makeSession(MPI_Comm communicator) {
  setSpareMemory(nullptr);
  auto session = std::make_unique<Session>(communicator, servicesFor(communicator));
  parked_.expect();
  {
    const std::lock_guard lock(mutex_);
    sessions_.push_back(session.get());
  }
  setSpareMemory(new (std::nothrow) std::byte[kSpareBytes]);
  parked_.poll();
  return session;
}

// Of other communicators there may be many, in which little is called. Who asks for more calls than usual before
// anything is tuned has them.
bool Runtime::isPromising(MPI_Comm communicator) const {
  const Options& options = settings_.options;
  const bool is_free = options.mode == Mode::kTune && Session::callsBeforePreparation(options) > 0;
  const bool may_begin = is_free && options.minimum_calls <= Options{}.minimum_calls;
  return communicator == MPI_COMM_WORLD && may_begin && route_ && route_->promisesGain();
}

// Early calls are as many as its first epoch would have.
std::int32_t Runtime::callsOfFirstEpoch(MPI_Comm communicator) const {
  return EpochLengths::ofFirst(settings_.options, isPromising(communicator));
}

// A communicator that is not prepared has no epochs, after which others' records are taken.
void Runtime::prepareIfWorthIt(MPI_Comm communicator, Attachment& attached) {
  goOnBeside();
  int ranks = 0;
  PMPI_Comm_size(communicator, &ranks);
  // Of the world there is one alone, so that a program which does little else soon has the gain.
  const bool is_worth_it = isPromising(communicator) || preparations_.isWorthIt(ranks, attached.early->spent()) ||
                           (communicator == MPI_COMM_WORLD && attached.early->takeMostOfTheTime(clock_.nanoseconds()));
  if (!isTrueOnAny(communicator, is_worth_it)) return;
  // Later they may be over, unless they are lasting.
  if (isTrueOnAny(communicator, Creations::areUnderWay())) return;
  attached.early.reset();
  addSession(communicator, attached);
  if (attached.session) {
    attached.session->prepare(Channel::Creation::kMayBegin);
  } else if (attached.absent) {
    attached.absent->refuse(communicator);
  }
}

void Runtime::setSpareMemory(std::byte* memory) {
  const std::lock_guard lock(mutex_);
  spare_memory_.reset(memory);
}

SessionServices Runtime::servicesFor(MPI_Comm communicator) {
  SessionServices services;
  int is_inter = 0;
  PMPI_Comm_test_inter(communicator, &is_inter);
  const bool started = started_;  // another thread may be at it
  if (started) {
    services.settings = settings_;
    if (route_) services.policies = route_->policies();
    services.promises_gain = isPromising(communicator);
  }
  services.is_within_world = is_inter != 0 || isWithinWorld(communicator);
  const bool is_agreed = isStartedEverywhere() && services.is_within_world;
  services.clocks = clockKnowledge(is_agreed);
  services.shared = shared_knowledge_;
  if (services.is_within_world) services.probed_costs = &probed_costs_;
  if (is_agreed) {
    services.world_nodes = world_nodes_;
    services.preparations = &preparations_;
    if (!is_multithreaded_) services.node_memories = &node_memories_;
  }
  if (is_inter == 0 && !is_agreed) {
    RollCall call{parseEnvironment().options.watchdog, false, "the first tuned call on a communicator", {}};
    if (!services.is_within_world) call.suspects = ranksBeyondWorld(communicator);
    std::vector<std::uint8_t> bytes =
        started ? agreed_settings_ : encodeSettings(readSettings(isFirstRank(communicator)));
    static_cast<void>(awaitAllRanks(communicator, call, clock_));
    shareBytes(communicator, bytes);
    if (Result<Settings> agreed = decodeSettings(bytes); agreed.isOk()) services.settings = std::move(agreed).value();
    // All of a world is off where a part of it is.
    const bool is_off = isTrueOnAny(communicator, is_left_out_ || (started && !is_one_build_));
    if (!areOneBuild(communicator) || is_off) services.settings.options.mode = Mode::kOff;
  }
  int world_rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  const std::lock_guard lock(mutex_);
  services.communicator_id = std::to_string(world_rank) + ":" + std::to_string(created_++);
  return services;
}

ClockKnowledge Runtime::clockKnowledge(bool is_agreed) {
  const bool is_known = started_ && settings_.options.mode != Mode::kOff;
  ClockKnowledge knowledge;
  knowledge.clock = &clock_;
  knowledge.identity = is_known ? clock_identity_ : clockIdentity(clock_fault_);
  knowledge.is_one_in_world = is_known && is_one_clock_;
  knowledge.world = is_known && world_clock_.isOpen() ? &world_clock_ : nullptr;
  knowledge.is_agreed = is_agreed;
  return knowledge;
}

}  // namespace starling
