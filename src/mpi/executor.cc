#include "mpi/executor.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace starling {

PreparedSchedule::PreparedSchedule(Schedule schedule) : schedule_(std::move(schedule)) {
  for (std::uint32_t i = 0; i < schedule_.steps.size(); ++i) {
    const Step& step = schedule_.steps[i];
    Queue& queue = queues_[step.lane];
    (step.kind == StepKind::kSend ? queue.sends : queue.receives).push_back(i);
  }
  largest_reduction_ = starling::largestReduction(schedule_);
  scratch_slots_ = reducesInFlight(schedule_, schedule_.window);
}

bool Executor::reserve(std::size_t bytes) {
  if (bytes <= capacity_) return true;
  // Not initialised: pages that no call uses are never touched.
  std::unique_ptr<std::byte[]> larger(new (std::nothrow) std::byte[bytes]);
  if (!larger) return false;
  scratch_ = std::move(larger);
  capacity_ = bytes;
  return true;
}

void Executor::begin(const PreparedSchedule& prepared, const Call& call) {
  done_.assign(prepared.schedule_.steps.size(), 0);
  steps_done_ = 0;
  requests_.clear();
  flights_.clear();
  sends_in_flight_ = 0;
  landed_.clear();
  lanes_.fill({});
  free_slots_.clear();
  if (prepared.largest_reduction_ == 0) return;
  slot_bytes_ = static_cast<std::size_t>(prepared.largest_reduction_) * call.reducer.element_size;
  const std::size_t slots = std::min(capacity_ / slot_bytes_, static_cast<std::size_t>(prepared.scratch_slots_));
  for (std::size_t slot = slots; slot > 0; --slot) free_slots_.push_back(static_cast<int>(slot) - 1);
}

int Executor::run(const PreparedSchedule& prepared, const Call& call) {
  begin(prepared, call);
  const int code = runSteps(prepared, call);
  if (code != MPI_SUCCESS) abandon(prepared.schedule_);
  return code;
}

// After a fault: no message may come into memory that is used for something else by then.
void Executor::abandon(const Schedule& schedule) {
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    if (schedule.steps[flights_[i].step].kind == StepKind::kSend) {
      PMPI_Request_free(&requests_[i]);
    } else {
      PMPI_Cancel(&requests_[i]);
      PMPI_Wait(&requests_[i], MPI_STATUS_IGNORE);
    }
  }
}

int Executor::runSteps(const PreparedSchedule& prepared, const Call& call) {
  const Schedule& schedule = prepared.schedule_;
  while (steps_done_ < schedule.steps.size()) {
    if (const int code = startWhatCan(prepared, call); code != MPI_SUCCESS) return code;
    int position = MPI_UNDEFINED;
    const int code = PMPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &position, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) return code;
    if (position == MPI_UNDEFINED) return MPI_ERR_INTERN;  // nothing in flight: the verifier rules it out
    if (const int fault = land(schedule, call, static_cast<std::size_t>(position)); fault != MPI_SUCCESS) return fault;
  }
  return MPI_SUCCESS;
}

bool Executor::isReady(const Schedule& schedule, const Step& step) const {
  const auto dependencies = schedule.dependenciesOf(step);
  return std::all_of(dependencies.begin(), dependencies.end(),
                     [this](std::uint32_t step_index) { return done_[step_index] != 0; });
}

int Executor::startWhatCan(const PreparedSchedule& prepared, const Call& call) {
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    // Receives first: a message that finds its receive posted is not copied twice.
    int code = startReceives(prepared, call, lane);
    if (code == MPI_SUCCESS) code = startSends(prepared, call, lane);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

int Executor::startReceives(const PreparedSchedule& prepared, const Call& call, std::size_t lane_index) {
  Lane& lane = lanes_[lane_index];
  const std::vector<std::uint32_t>& receives = prepared.queues_[lane_index].receives;
  while (lane.next_receive < receives.size() && lane.receives_in_flight < prepared.schedule_.window) {
    const std::uint32_t index = receives[lane.next_receive];
    const Step& step = prepared.schedule_.steps[index];
    int slot = -1;
    if (step.kind == StepKind::kReduce) {
      // The message goes to scratch, so it need not wait for the step's dependencies; combining does.
      if (free_slots_.empty()) break;
      slot = free_slots_.back();
      free_slots_.pop_back();
    } else if (!isReady(prepared.schedule_, step)) {
      break;
    }
    ++lane.next_receive;
    ++lane.receives_in_flight;
    if (const int code = start(step, index, slot, call); code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

int Executor::startSends(const PreparedSchedule& prepared, const Call& call, std::size_t lane_index) {
  Lane& lane = lanes_[lane_index];
  const std::vector<std::uint32_t>& sends = prepared.queues_[lane_index].sends;
  while (lane.next_send < sends.size() && lane.sends_in_flight < prepared.schedule_.pacing) {
    const std::uint32_t index = sends[lane.next_send];
    const Step& step = prepared.schedule_.steps[index];
    if (!isReady(prepared.schedule_, step)) break;
    ++lane.next_send;
    ++lane.sends_in_flight;
    if (const int code = start(step, index, -1, call); code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

int Executor::start(const Step& step, std::uint32_t index, int slot, const Call& call) {
  const auto peer = static_cast<std::size_t>(step.peer);
  const int rank = call.table.empty() ? step.peer : call.table[peer];
  const int count = static_cast<int>(step.block.count);
  const int tag = call.first_tag + step.tag;
  std::byte* block = blockAddress(step, call);
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  if (step.kind == StepKind::kSend) {
    code = PMPI_Isend(block, count, call.reducer.datatype, rank, tag, call.communicator, &request);
  } else {
    code = PMPI_Irecv(slot >= 0 ? slotAddress(slot) : block, count, call.reducer.datatype, rank, tag, call.communicator,
                      &request);
  }
  if (code != MPI_SUCCESS) return code;
  // MPI_Waitany takes the first that is complete. Sends come first: one that is done lets the next one go, which would
  // else wait for all combining that has to be done. Receives come in program order, in which results are sent on.
  const bool is_send = step.kind == StepKind::kSend;
  const auto place = static_cast<std::ptrdiff_t>(is_send ? sends_in_flight_++ : requests_.size());
  requests_.insert(requests_.begin() + place, request);
  flights_.insert(flights_.begin() + place, {index, slot});
  return MPI_SUCCESS;
}

int Executor::land(const Schedule& schedule, const Call& call, std::size_t position) {
  const Flight flight = flights_[position];
  if (position < sends_in_flight_) --sends_in_flight_;
  requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(position));
  flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(position));
  if (flight.slot >= 0) {
    landed_.push_back(flight);
  } else {
    finish(schedule, flight);
  }
  // What has landed in scratch is combined as soon as nothing it waits for is open; that may free others.
  for (std::size_t i = 0; i < landed_.size();) {
    const Flight waiting = landed_[i];
    const Step& step = schedule.steps[waiting.step];
    if (!isReady(schedule, step)) {
      ++i;
      continue;
    }
    landed_.erase(landed_.begin() + static_cast<std::ptrdiff_t>(i));
    if (const int code = combine(step, waiting.slot, call); code != MPI_SUCCESS) return code;
    finish(schedule, waiting);
    i = 0;
  }
  return MPI_SUCCESS;
}

void Executor::finish(const Schedule& schedule, const Flight& flight) {
  const Step& step = schedule.steps[flight.step];
  Lane& lane = lanes_[step.lane];
  --(step.kind == StepKind::kSend ? lane.sends_in_flight : lane.receives_in_flight);
  if (flight.slot >= 0) free_slots_.push_back(flight.slot);
  done_[flight.step] = 1;
  ++steps_done_;
}

int Executor::combine(const Step& step, int slot, const Call& call) {
  std::byte* local = blockAddress(step, call);
  std::byte* incoming = slotAddress(slot);
  const bool incoming_left = step.order == OperandOrder::kIncomingLeft;
  if (call.reducer.kernel != nullptr) {
    call.reducer.kernel(incoming_left ? incoming : local, incoming_left ? local : incoming, local, step.block.count);
    return MPI_SUCCESS;
  }
  // MPI_Reduce_local leaves (first op second) in its second buffer.
  const int count = static_cast<int>(step.block.count);
  if (incoming_left) {
    return PMPI_Reduce_local(incoming, local, count, call.reducer.datatype, call.reducer.operation);
  }
  const int code = PMPI_Reduce_local(local, incoming, count, call.reducer.datatype, call.reducer.operation);
  std::memcpy(local, incoming, static_cast<std::size_t>(step.block.count) * call.reducer.element_size);
  return code;
}

std::byte* Executor::blockAddress(const Step& step, const Call& call) {
  return static_cast<std::byte*>(call.work) + static_cast<std::size_t>(step.block.offset) * call.reducer.element_size;
}

}  // namespace starling
