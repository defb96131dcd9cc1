// What the tests of this folder share: schedules by name, lateness vectors, and an interpreter that runs schedules on
// real values in one process.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "simulator/simulated_choice.h"

namespace starling {

// All ranks' schedules of a choice as users write it. REQUIRES: the text is right.
inline std::vector<Schedule> schedulesOf(std::string_view choice, std::int32_t ranks, std::int64_t count,
                                         std::span<const std::int64_t> lateness_ns = {}) {
  return buildAll(parseChoice(choice).value(), {.ranks = ranks, .count = count}, lateness_ns);
}

inline std::vector<std::int64_t> randomLateness(std::int32_t ranks, std::int64_t longest_ns, std::mt19937& random) {
  std::uniform_int_distribution<std::int64_t> lateness(0, longest_ns);
  std::vector<std::int64_t> result;
  for (std::int32_t i = 0; i < ranks; ++i) result.push_back(lateness(random));
  return result;
}

inline std::vector<Seconds> arrivalsOf(std::span<const std::int64_t> lateness_ns) {
  std::vector<Seconds> arrivals;
  for (const std::int64_t lateness : lateness_ns) arrivals.push_back(fromNanoseconds(lateness));
  return arrivals;
}

// Runs every rank's steps in program order, sends buffered: an order of execution that owes nothing to the code under
// test. Returns the work vectors, by rank; ranks that wait for ever leave theirs unfinished.
template <typename Value>
std::vector<std::vector<Value>> interpret(std::span<const Schedule> schedules, std::vector<std::vector<Value>> vectors,
                                          const std::function<Value(const Value&, const Value&)>& operation) {
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::vector<Value>> in_flight;
  std::vector<std::size_t> next(schedules.size(), 0);
  // Slot 0 of a rank is its work vector; side slots are as long, and start as nobody's value.
  std::vector<std::map<std::int32_t, std::vector<Value>>> side_slots(schedules.size());
  const auto slot_of = [&](std::size_t rank, std::int32_t slot) -> std::vector<Value>& {
    if (slot == 0) return vectors[rank];
    return side_slots[rank].try_emplace(slot, vectors[rank].size()).first->second;
  };
  bool has_moved = true;
  while (std::exchange(has_moved, false)) {
    for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
      const auto self = static_cast<std::int32_t>(rank);
      for (; next[rank] < schedules[rank].steps.size(); ++next[rank], has_moved = true) {
        const Step& step = schedules[rank].steps[next[rank]];
        const auto begin = slot_of(rank, step.slot).begin() + step.block.offset;
        const auto end = begin + step.block.count;
        const auto combine = [&](const Value* incoming) {
          const bool is_left = step.order == OperandOrder::kIncomingLeft;
          std::transform(begin, end, incoming, begin, [&](const Value& local, const Value& other) {
            return is_left ? operation(other, local) : operation(local, other);
          });
        };
        if (step.kind == StepKind::kCombine) {
          combine(slot_of(rank, step.source_slot).data() + step.block.offset);
          continue;
        }
        if (step.kind == StepKind::kSend) {
          in_flight[{self, step.peer, step.tag}].assign(begin, end);
          continue;
        }
        const auto message = in_flight.find({step.peer, self, step.tag});
        if (message == in_flight.end()) break;
        if (step.kind == StepKind::kReceive) {
          std::copy(message->second.begin(), message->second.end(), begin);
        } else {
          combine(message->second.data());
        }
        in_flight.erase(message);
      }
    }
  }
  return vectors;
}

}  // namespace starling
