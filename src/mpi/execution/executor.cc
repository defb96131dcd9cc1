#include "mpi/execution/executor.h"

#include <algorithm>
#include <limits>
#include <span>
#include <type_traits>

#include "base/copies.h"
#include "mpi/execution/abandoned_requests.h"
#include "mpi/execution/wait_any.h"

namespace starling {

namespace {

constexpr std::uint32_t kDone = std::numeric_limits<std::uint32_t>::max();

// Empties the vector and gives it room. What it has is given back before more is taken, so that both never count at
// once.
template <typename Value>
void makeRoomIn(std::pmr::vector<Value>& values, std::size_t wanted) {
  values.clear();
  if (values.capacity() >= wanted) return;
  std::pmr::vector<Value>(values.get_allocator()).swap(values);
  values.reserve(wanted);
}

}  // namespace

Executor::Executor(std::pmr::memory_resource* memory)
    : free_landings_(memory),
      pending_(memory),
      requests_(memory),
      flights_(memory),
      landed_(memory),
      combinable_(memory) {}

void Executor::releaseMemory() {
  const auto release = [](auto& values) {
    std::remove_reference_t<decltype(values)>(values.get_allocator()).swap(values);
  };
  release(free_landings_);
  release(pending_);
  release(requests_);
  release(flights_);
  release(landed_);
  release(combinable_);
}

// Makes room for the most of everything that the schedule may need: nothing grows once messages are on their way.
void Executor::makeRoom(const PreparedSchedule& prepared) {
  static_assert(sizeof(std::uint32_t) <= PreparedSchedule::kRunBytesPerStep);
  static_assert(sizeof(MPI_Request) + sizeof(Flight) <= PreparedSchedule::kRunBytesPerFlight);
  static_assert(sizeof(Flight) <= PreparedSchedule::kRunBytesPerCombine);
  static_assert(sizeof(int) + 2 * sizeof(Flight) <= PreparedSchedule::kRunBytesPerLanding);
  const auto landings = static_cast<std::size_t>(prepared.landings());
  makeRoomIn(free_landings_, landings);
  makeRoomIn(pending_, prepared.schedule().steps.size());
  makeRoomIn(requests_, prepared.maxFlights());
  makeRoomIn(flights_, prepared.maxFlights());
  makeRoomIn(landed_, landings);
  makeRoomIn(combinable_, prepared.combines() + landings);
}

void Executor::begin(const PreparedSchedule& prepared, const Call& call) {
  makeRoom(prepared);
  for (const Step& step : prepared.schedule().steps) pending_.push_back(step.dependency_count);
  steps_done_ = 0;
  oldest_ = 0;
  input_before_ = call.input != nullptr ? call.input->inputBefore() : std::numeric_limits<std::int64_t>::max();
  first_receipt_.reset();
  sends_in_flight_ = 0;
  for (const std::uint32_t step : prepared.independentCombines()) combinable_.push_back({step});
  lanes_.fill({});
  side_begin_ = 0;
  if (prepared.largestReduction() == 0) return;
  landing_bytes_ = static_cast<std::size_t>(prepared.largestReduction()) * call.reducer.element_size;
  const std::size_t room =
      scratch_.size() - static_cast<std::size_t>(prepared.sideElements()) * call.reducer.element_size;
  const std::size_t landings = std::min(room / landing_bytes_, static_cast<std::size_t>(prepared.landings()));
  for (std::size_t landing = landings; landing > 0; --landing) free_landings_.push_back(static_cast<int>(landing) - 1);
  side_begin_ = landings * landing_bytes_;
}

int Executor::run(const PreparedSchedule& prepared, const Call& call) {
  begin(prepared, call);
  const int code = runSteps(prepared, call);
  if (code != MPI_SUCCESS) abandon(prepared.schedule());
  return code;
}

void Executor::abandon(const Schedule& schedule) {
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    const std::span one(&requests_[i], 1);
    if (schedule.steps[flights_[i].step].kind == StepKind::kSend)
      abandonSends(one);
    else
      abandonReceives(one);
  }
}

int Executor::runSteps(const PreparedSchedule& prepared, const Call& call) {
  const Schedule& schedule = prepared.schedule();
  if (const int code = combineWhatCan(prepared, call); code != MPI_SUCCESS) return code;
  while (steps_done_ < schedule.steps.size()) {
    if (const int code = startWhatCan(prepared, call); code != MPI_SUCCESS) return code;
    int position = MPI_UNDEFINED;
    const bool is_idle = call.input == nullptr || call.input->isIdle(schedule.steps[oldest_]);
    const int code = is_idle ? awaitMessage(position) : awaitMessageOrInput(prepared, call, position);
    if (code != MPI_SUCCESS) return code;
    if (position == MPI_UNDEFINED) continue;
    if (const int fault = land(prepared, call, static_cast<std::size_t>(position)); fault != MPI_SUCCESS) return fault;
  }
  return MPI_SUCCESS;
}

// Something is in flight, as the verifier proves.
int Executor::awaitMessage(int& position) {
  const int code = waitAny(static_cast<int>(requests_.size()), requests_.data(), &position);
  return code == MPI_SUCCESS && position == MPI_UNDEFINED ? MPI_ERR_INTERN : code;
}

// Leaves `position` as it is where no message has come. A message that has landed may have waited for input alone.
int Executor::awaitMessageOrInput(const PreparedSchedule& prepared, const Call& call, int& position) {
  int code = MPI_SUCCESS;
  auto is_message_there = [&] {
    int is_there = 0;
    code = PMPI_Testany(static_cast<int>(requests_.size()), requests_.data(), &position, &is_there, MPI_STATUS_IGNORE);
    return code != MPI_SUCCESS || position != MPI_UNDEFINED;
  };
  const std::pmr::vector<Step>& steps = prepared.schedule().steps;
  call.input->await(
      steps[oldest_], [](void* context) { return (*static_cast<decltype(is_message_there)*>(context))(); },
      &is_message_there);
  if (code != MPI_SUCCESS || position != MPI_UNDEFINED) return code;
  input_before_ = call.input->inputBefore();
  std::erase_if(landed_, [&](const Flight& flight) {
    const bool may_combine = pending_[flight.step] == 0 && mayTouch(steps[flight.step]);
    if (may_combine) combinable_.push_back(flight);
    return may_combine;
  });
  return combineWhatCan(prepared, call);
}

int Executor::startWhatCan(const PreparedSchedule& prepared, const Call& call) {
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    // Receives start first: a message that finds its receive posted is not copied twice.
    int code = startReceives(prepared, call, lane);
    if (code == MPI_SUCCESS) code = startSends(prepared, call, lane);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

int Executor::startReceives(const PreparedSchedule& prepared, const Call& call, std::size_t lane_index) {
  Lane& lane = lanes_[lane_index];
  const std::span<const std::uint32_t> receives = prepared.receivesOf(lane_index);
  while (lane.next_receive < receives.size() && lane.receives_in_flight < windowOf(prepared.schedule(), lane_index)) {
    const std::uint32_t index = receives[lane.next_receive];
    const Step& step = prepared.schedule().steps[index];
    Flight flight{index};
    if (step.kind == StepKind::kReduce) {
      // The message goes to scratch, so it need not wait for the step's dependencies; combining does.
      if (free_landings_.empty()) break;
      flight.landing = free_landings_.back();
      free_landings_.pop_back();
    } else if (pending_[index] > 0 || !mayTouch(step)) {
      break;
    }
    ++lane.next_receive;
    ++lane.receives_in_flight;
    if (const int code = start(prepared.schedule(), flight, call); code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

int Executor::startSends(const PreparedSchedule& prepared, const Call& call, std::size_t lane_index) {
  Lane& lane = lanes_[lane_index];
  const std::span<const std::uint32_t> sends = prepared.sendsOf(lane_index);
  while (lane.next_send < sends.size() && lane.sends_in_flight < pacingOf(prepared.schedule(), lane_index)) {
    const std::uint32_t index = sends[lane.next_send];
    if (pending_[index] > 0 || !mayTouch(prepared.schedule().steps[index])) break;
    ++lane.next_send;
    ++lane.sends_in_flight;
    if (const int code = start(prepared.schedule(), {index}, call); code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

int Executor::start(const Schedule& schedule, const Flight& flight, const Call& call) {
  const Step& step = schedule.steps[flight.step];
  const auto peer = static_cast<std::size_t>(step.peer);
  const int rank = call.table.empty() ? step.peer : call.table[peer];
  const int count = static_cast<int>(step.block.count);
  const int tag = call.first_tag + step.tag;
  std::byte* block = blockAddress(schedule, step.block, step.slot, call);
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  if (step.kind == StepKind::kSend) {
    const auto send = schedule.synchronous[step.lane] ? PMPI_Issend : PMPI_Isend;
    code = send(block, count, call.reducer.datatype, rank, tag, call.communicator, &request);
  } else {
    code = PMPI_Irecv(flight.landing >= 0 ? landingAddress(flight.landing) : block, count, call.reducer.datatype, rank,
                      tag, call.communicator, &request);
  }
  if (code != MPI_SUCCESS) return code;
  // MPI_Waitany takes the first that is complete. Sends come first: one that is done lets the next one go, which would
  // else wait for all combining that has to be done. Receives come in program order, in which results are sent on.
  const bool is_send = step.kind == StepKind::kSend;
  const auto place = static_cast<std::ptrdiff_t>(is_send ? sends_in_flight_++ : requests_.size());
  requests_.insert(requests_.begin() + place, request);
  flights_.insert(flights_.begin() + place, flight);
  return MPI_SUCCESS;
}

int Executor::land(const PreparedSchedule& prepared, const Call& call, std::size_t position) {
  const Flight flight = flights_[position];
  if (position < sends_in_flight_) {
    --sends_in_flight_;
  } else if (call.clock != nullptr && !first_receipt_) {
    first_receipt_ = call.clock->now();
  }
  requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(position));
  flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(position));
  if (flight.landing < 0) {
    finish(prepared, flight);
  } else {
    const bool may_combine = pending_[flight.step] == 0 && mayTouch(prepared.schedule().steps[flight.step]);
    (may_combine ? combinable_ : landed_).push_back(flight);
  }
  return combineWhatCan(prepared, call);
}

// Combines until nothing more can be: what is combined may make other steps combinable.
int Executor::combineWhatCan(const PreparedSchedule& prepared, const Call& call) {
  const Schedule& schedule = prepared.schedule();
  for (std::size_t i = 0; i < combinable_.size(); ++i) {
    const Flight flight = combinable_[i];
    const Step& step = schedule.steps[flight.step];
    std::byte* incoming = flight.landing >= 0 ? landingAddress(flight.landing)
                                              : blockAddress(schedule, step.block, step.source_slot, call);
    std::byte* local = blockAddress(schedule, step.block, step.slot, call);
    if (const int code = combine(step, incoming, local, call); code != MPI_SUCCESS) return code;
    finish(prepared, flight);
  }
  combinable_.clear();
  return MPI_SUCCESS;
}

void Executor::finish(const PreparedSchedule& prepared, const Flight& flight) {
  const std::pmr::vector<Step>& steps = prepared.schedule().steps;
  const Step& step = steps[flight.step];
  if (isMessage(step)) {
    Lane& lane = lanes_[step.lane];
    --(step.kind == StepKind::kSend ? lane.sends_in_flight : lane.receives_in_flight);
  }
  if (flight.landing >= 0) free_landings_.push_back(flight.landing);
  ++steps_done_;
  pending_[flight.step] = kDone;
  while (oldest_ < pending_.size() && pending_[oldest_] == kDone) ++oldest_;
  for (const std::uint32_t dependent : prepared.dependentsOf(flight.step)) {
    if (--pending_[dependent] > 0) continue;
    if (steps[dependent].kind == StepKind::kCombine) combinable_.push_back({dependent});
    const auto landed = std::find_if(landed_.begin(), landed_.end(),
                                     [dependent](const Flight& other) { return other.step == dependent; });
    if (landed == landed_.end() || !mayTouch(steps[dependent])) continue;
    combinable_.push_back(*landed);
    landed_.erase(landed);
  }
}

int Executor::combine(const Step& step, std::byte* incoming, std::byte* local, const Call& call) {
  const bool incoming_left = step.order == OperandOrder::kIncomingLeft;
  if (call.reducer.kernel != nullptr) {
    call.reducer.kernel(incoming_left ? incoming : local, incoming_left ? local : incoming, local, step.block.count);
    return MPI_SUCCESS;
  }
  // MPI_Reduce_local leaves (first op second) in its second buffer. What came in is not used again.
  const int count = static_cast<int>(step.block.count);
  if (incoming_left) {
    return PMPI_Reduce_local(incoming, local, count, call.reducer.datatype, call.reducer.operation);
  }
  const int code = PMPI_Reduce_local(local, incoming, count, call.reducer.datatype, call.reducer.operation);
  copyBytes(incoming, local, static_cast<std::size_t>(step.block.count) * call.reducer.element_size);
  return code;
}

std::byte* Executor::blockAddress(const Schedule& schedule, const Block& block, std::int32_t slot, const Call& call) {
  const std::size_t size = call.reducer.element_size;
  if (slot == 0) return static_cast<std::byte*>(call.work) + static_cast<std::size_t>(block.offset) * size;
  const Block& extent = schedule.side_extent;
  const std::int64_t element = (slot - 1) * extent.count + block.offset - extent.offset;
  return scratch_.data() + side_begin_ + static_cast<std::size_t>(element) * size;
}

}  // namespace starling
