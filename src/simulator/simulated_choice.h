// Runs one choice of the catalogue on virtual time, and sets the parameters that follow from the cost model.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "algos/catalogue.h"
#include "simulator/simulator.h"

namespace starling {

// Builds all ranks' schedules of one choice, in memory that outlives them. REQUIRES: what buildSchedule() requires.
std::vector<Schedule> buildAll(const Choice& choice, const Shape& shape, std::span<const std::int64_t> lateness_ns,
                               std::pmr::memory_resource* memory = std::pmr::get_default_resource());

// Simulates one call of the choice: builds its schedules for the predicted latenesses (by virtual rank; empty: on
// time), or, where it has late ranks named, exchanges flags first, with virtual rank 0 as the coordinator. REQUIRES:
// what buildSchedule() requires. Errors: those of simulate().
Result<SimulatedCall> simulateChoice(const Choice& choice, const Shape& shape, Bytes element_size,
                                     const CostModel& model, std::span<const Seconds> arrivals,
                                     std::span<const std::int64_t> lateness_ns, const SimulationScope& scope = {});

// By this parameter arrival-aware rows ask for the time of one step: of a P-th part of the vector to a neighbour.
inline constexpr std::string_view kStepTimeParameter = "tau_ns";

// By this one they ask for the time to transfer a whole vector and combine it.
inline constexpr std::string_view kVectorTimeParameter = "step_ns";

// Tells whether a choice, as users write it, gives such a time.
bool namesStepTime(std::string_view choice);

// Sets these times from the model, where the algorithm has such parameters.
void setStepTime(Choice& choice, const Shape& shape, Bytes element_size, const CostModel& model);

// Returns what the vector takes on the wire, in latencies: n b / a. REQUIRES: the model has a latency.
double transfersOf(const Shape& shape, Bytes element_size, const CostModel& model);

// Sets the segments by the row's closed form, where it has one, within the parameter's range, to no more than there are
// elements, and so that the schedule takes no more than kMostScheduleBytes; to the default where the other parameters
// leave none.
void setBestSegments(Choice& choice, const Shape& shape, Bytes element_size, const CostModel& model);

// Sets the chunks that are worth it by the row's closed form, where it has one, the ranks of each node share memory,
// and each has a core for itself; as many as leave a schedule of no more than kMostScheduleBytes.
void setBestChunks(Choice& choice, const Shape& shape, Bytes element_size, const CostModel& model);

// Makes what each rank owns one chunk.
void leaveWhole(Choice& choice);

}  // namespace starling
