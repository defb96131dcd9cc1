// A communicator in one process whose calls take the simulator's time.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "call_summaries.h"
#include "learning_loop.h"
#include "simulator/simulated_choice.h"
#include "tracked_ranks.h"
#include "tuner/communicator_tuner.h"
#include "tuner/virtual_ranks.h"

namespace starling {

inline Choice choiceOf(std::string_view text) { return parseChoice(text).value(); }

// What calls take in truth; the tuner sees stamps only.
struct SimulatedMachine {
  CostModel model{.alpha = {2e-6}, .beta = 1e-9, .gamma = 1e-10, .ports = 1, .overhead = {1e-6}};
  Choice native = choiceOf("ring");         // what the MPI library runs ...
  double native_factor = 1.0;               // ... and how its time compares with that
  double others_factor = 1.0;               // the same for every other choice
  double moved_factor = 1.0;                // once more, where they run with a table other than the identity
  double scatter = 0.0;                     // largest share by which a call takes longer than simulated, drawn per call
  std::vector<Seconds> clock_offsets = {};  // by rank; empty = one clock
  Seconds tick{};                           // of the clocks: stamps are multiples of it; 0 = exact
  unsigned seed = 1;                        // of scatter and arrivals
};

class SimulatedCommunicator {
 public:
  using Pattern = std::function<std::vector<Seconds>(std::mt19937&)>;  // lateness by rank of the next call

  SimulatedCommunicator(std::int32_t ranks, TunerSettings settings, SimulatedMachine machine,
                        std::vector<PolicyRecord> policies = {})
      : machine_(std::move(machine)),
        random_(machine_.seed),
        loop_(ranks, std::move(settings), std::move(policies)),
        pattern_([ranks](std::mt19937&) { return std::vector<Seconds>(static_cast<std::size_t>(ranks)); }) {}

  void setPattern(Pattern pattern) { pattern_ = std::move(pattern); }
  SimulatedMachine& machine() { return machine_; }

  void call(LocalSite line, const Signature& signature, bool tunable = true) {
    const gym::LearningLoop::NextCall next = loop_.begin(line, signature, tunable);
    choices_.push_back(next.planned);
    std::optional<CallSummary> seen;
    if (next.isTimed()) seen = timed(next.planned.choice, next.plan == nullptr ? KeyPlan{} : *next.plan, signature);
    loop_.end(seen);
  }

  void calls(int count, LocalSite line, const Signature& signature) {
    for (int i = 0; i < count; ++i) call(line, signature);
  }

  // Mean exit after the last arrival, in truth and without scatter.
  Seconds timeOf(const Choice& choice, const KeyPlan& plan, const Signature& signature,
                 const std::vector<Seconds>& arrivals) const {
    const std::vector<Seconds> exits = exitsOf(choice, plan, signature, arrivals);
    Seconds sum;
    for (const Seconds exit : exits) sum += exit;
    return Seconds{sum.value / ranks()} - *std::max_element(arrivals.begin(), arrivals.end());
  }

  CommunicatorTuner& tuner() { return loop_.tuner(); }
  const KeyTable& keys() const { return loop_.keys(); }
  // What each call ran, in order.
  const std::vector<PlannedChoice>& choices() const { return choices_; }
  std::int64_t explorationCalls() const {
    return std::count_if(choices_.begin(), choices_.end(), [](const PlannedChoice& one) { return one.exploration; });
  }
  // Lengths of the epochs so far.
  const std::vector<std::int32_t>& epochLengths() const { return loop_.epochLengths(); }
  std::int32_t ranks() const { return loop_.ranks(); }
  // Updates that took force so far.
  std::int64_t updates() const { return loop_.updates(); }

 private:
  std::vector<Seconds> exitsOf(const Choice& choice, const KeyPlan& plan, const Signature& signature,
                               const std::vector<Seconds>& arrivals) const {
    const bool is_native = choice.algorithm == kNativeAlgorithm;
    const Shape shape{ranks(), signature.count, signature.commutative};
    const ExpandedPlacement placement = expanded(plan.placed, ranks());
    const bool has_table = !is_native && !placement.table.empty();
    const std::vector<std::int32_t> table = has_table ? placement.table : identityTable(ranks());
    std::vector<Seconds> virtual_arrivals;
    for (const std::int32_t rank : table) virtual_arrivals.push_back(arrivals[static_cast<std::size_t>(rank)]);
    const Result<SimulatedCall> simulated =
        simulateChoice(is_native ? machine_.native : choice, shape, Bytes{signature.element_size}, machine_.model,
                       virtual_arrivals, is_native ? std::vector<std::int64_t>{} : placement.lateness_ns);
    EXPECT_TRUE(simulated.isOk()) << simulated.status().message();
    const double moved_factor = has_table ? machine_.moved_factor : 1.0;
    const double factor = is_native ? machine_.native_factor : machine_.others_factor * moved_factor;
    const Seconds last = *std::max_element(arrivals.begin(), arrivals.end());
    std::vector<Seconds> exits(arrivals.size());
    for (std::size_t position = 0; position < table.size(); ++position) {
      const Seconds exit = simulated.value().exits[position];
      // Time after the last arrival is what differs between libraries; before it nothing can be gained or lost.
      exits[static_cast<std::size_t>(table[position])] = exit > last ? last + factor * (exit - last) : exit;
    }
    return exits;
  }

  CallSummary timed(const Choice& choice, const KeyPlan& plan, const Signature& signature) {
    const std::vector<Seconds> arrivals = pattern_(random_);
    const std::vector<Seconds> exits = exitsOf(choice, plan, signature, arrivals);
    const double share = machine_.scatter * std::uniform_real_distribution<double>(0.0, 1.0)(random_);
    const Seconds delay = share * timeOf(choice, plan, signature, arrivals);
    // Calls do not begin with a tick of the clock.
    const bool has_tick = machine_.tick > Seconds{};
    const Seconds start =
        has_tick ? std::uniform_real_distribution<double>(0.0, 1.0)(random_) * machine_.tick : Seconds{};
    std::vector<Seconds> arrival_stamps;
    std::vector<Seconds> exit_stamps;
    for (std::size_t rank = 0; rank < arrivals.size(); ++rank) {
      const Seconds offset = machine_.clock_offsets.empty() ? Seconds{} : machine_.clock_offsets[rank];
      arrival_stamps.push_back(shown(start + arrivals[rank] + offset));
      exit_stamps.push_back(shown(start + exits[rank] + delay + offset));
    }
    if (machine_.clock_offsets.empty()) return gym::summaryOf(arrival_stamps, exit_stamps);
    // Each rank counts from when it left the call, as EpochCalls::close() has it.
    CallSummary summary;
    for (std::size_t rank = 0; rank < arrivals.size(); ++rank) {
      const Seconds elapsed = exit_stamps[rank] - arrival_stamps[rank];
      summary.add(CallSummary::ofElapsed(static_cast<std::int32_t>(rank), toNanoseconds(elapsed)));
    }
    return summary;
  }

  Seconds shown(Seconds time) const {
    return machine_.tick > Seconds{} ? std::floor(time / machine_.tick) * machine_.tick : time;
  }

  SimulatedMachine machine_;
  std::mt19937 random_;
  gym::LearningLoop loop_;
  std::vector<PlannedChoice> choices_;
  Pattern pattern_;
};

// The virtual-rank table and latenesses of the first key's plan.
inline ExpandedPlacement placementIn(const SimulatedCommunicator& communicator) {
  return expanded(communicator.keys().entry(0).plan.placed, communicator.ranks());
}

// Of a key or communicator on the simulated machine.
inline TunerSettings settingsOf(const Options& options = {}) {
  TunerSettings settings;
  settings.options = options;
  settings.model = SimulatedMachine{}.model;
  return settings;
}

}  // namespace starling
