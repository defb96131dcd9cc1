// A communicator in one process whose calls take the simulator's time. Sites, keys, plans and the tuner are driven at
// the ends of epochs as mpi/epoch_loop.cc drives them, agreement messages included.
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
#include "decoded_decisions.h"
#include "simulator/simulated_choice.h"
#include "tracked_ranks.h"
#include "tuner/communicator_tuner.h"
#include "tuner/key_table.h"
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
      : ranks_(ranks),
        minimum_calls_(settings.options.minimum_calls),
        machine_(std::move(machine)),
        random_(machine_.seed),
        policies_(std::move(policies)),
        tuner_(std::move(settings), ranks),
        epoch_length_(static_cast<std::int32_t>(minimum_calls_)),
        pattern_([ranks](std::mt19937&) { return std::vector<Seconds>(static_cast<std::size_t>(ranks)); }) {}

  void setPattern(Pattern pattern) { pattern_ = std::move(pattern); }
  SimulatedMachine& machine() { return machine_; }

  void call(LocalSite line, const Signature& signature, bool tunable = true) {
    const SiteId predicted = tracker_.predict(signature);
    EpochCall& call = open_.emplace_back();
    call.bytes = signature.bytes();
    call.tunable = tunable;
    call.planned_key = keys_.find(keyOf(predicted, signature)).value_or(-1);
    KeyPlan plan;
    bool is_watched = false;
    if (call.planned_key >= 0) {
      KeyTable::Entry& entry = keys_.entry(call.planned_key);
      plan = entry.plan;
      call.planned = choiceOfCall(plan, entry.calls_since_plan);
      if (entry.is_stopped) call.planned.choice = kNativeChoice;
      is_watched = call.planned.choice.algorithm != kNativeAlgorithm && !call.planned.exploration && entry.isWatched();
      ++entry.calls_since_plan;
    }
    if (!tunable) call.planned.choice = kNativeChoice;
    tracker_.record(line, signature, predicted);
    const bool is_stamped = open_.size() % stretch() == 0;
    if (is_stamped || is_watched) {
      const Stamps stamps = stampsOf(call, plan, signature);
      if (is_stamped) stamp(call, stamps);
      watch(is_watched ? std::optional(stamps) : std::nullopt, call.planned_key);
    } else {
      watch(std::nullopt, call.planned_key);
    }
    choices_.push_back(call.planned);
    if (static_cast<std::int32_t>(open_.size()) >= epoch_length_) endEpoch();
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
    return Seconds{sum.value / ranks_} - *std::max_element(arrivals.begin(), arrivals.end());
  }

  CommunicatorTuner& tuner() { return tuner_; }
  const KeyTable& keys() const { return keys_; }
  // What each call ran, in order.
  const std::vector<PlannedChoice>& choices() const { return choices_; }
  std::int64_t explorationCalls() const {
    return std::count_if(choices_.begin(), choices_.end(), [](const PlannedChoice& one) { return one.exploration; });
  }
  // Lengths of the epochs so far.
  const std::vector<std::int32_t>& epochLengths() const { return lengths_; }
  std::int32_t ranks() const { return ranks_; }
  // Updates that took force so far.
  std::int64_t updates() const { return updates_; }

 private:
  static constexpr std::size_t kMaxUpdates = 8;
  static constexpr std::size_t kDecisionBytes = 512;
  static constexpr std::size_t kMaxSamples = 32;

  std::size_t stretch() const {
    return std::max<std::size_t>(1, (static_cast<std::size_t>(epoch_length_) + kMaxSamples - 1) / kMaxSamples);
  }

  std::vector<Seconds> exitsOf(const Choice& choice, const KeyPlan& plan, const Signature& signature,
                               const std::vector<Seconds>& arrivals) const {
    const bool is_native = choice.algorithm == kNativeAlgorithm;
    const Shape shape{ranks_, signature.count, signature.commutative};
    const ExpandedPlacement placement = expanded(plan.placed, ranks_);
    const bool has_table = !is_native && !placement.table.empty();
    const std::vector<std::int32_t> table = has_table ? placement.table : identityTable(ranks_);
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

  struct Stamps {
    std::vector<Seconds> arrivals, exits;  // by rank
  };

  Stamps stampsOf(const EpochCall& call, const KeyPlan& plan, const Signature& signature) {
    const std::vector<Seconds> arrivals = pattern_(random_);
    const std::vector<Seconds> exits = exitsOf(call.planned.choice, plan, signature, arrivals);
    const double share = machine_.scatter * std::uniform_real_distribution<double>(0.0, 1.0)(random_);
    const Seconds delay = share * timeOf(call.planned.choice, plan, signature, arrivals);
    // Calls do not begin with a tick of the clock.
    const bool has_tick = machine_.tick > Seconds{};
    const Seconds start =
        has_tick ? std::uniform_real_distribution<double>(0.0, 1.0)(random_) * machine_.tick : Seconds{};
    Stamps stamps;
    for (std::size_t rank = 0; rank < arrivals.size(); ++rank) {
      const Seconds offset = machine_.clock_offsets.empty() ? Seconds{} : machine_.clock_offsets[rank];
      stamps.arrivals.push_back(shown(start + arrivals[rank] + offset));
      stamps.exits.push_back(shown(start + exits[rank] + delay + offset));
    }
    return stamps;
  }

  void stamp(EpochCall& call, const Stamps& stamps) {
    call.sample = static_cast<std::int32_t>(open_samples_.size());
    open_samples_.push_back(summaryOf(stamps.arrivals, stamps.exits));
  }

  // As EpochLoop::watch() does it.
  void watch(const std::optional<Stamps>& stamps, std::int32_t key) {
    if (watched_) {
      KeyTable::Entry& entry = keys_.entry(watched_->key);
      if (entry.plans == watched_->plans && entry.noteWatched(watched_->shortest_ns)) {
        tuner_.noteStop(watched_->key, entry.plan.incumbent, fromNanoseconds(watched_->shortest_ns));
      }
      watched_.reset();
    }
    if (!stamps) return;
    Seconds shortest = stamps->exits[0] - stamps->arrivals[0];
    for (std::size_t rank = 1; rank < stamps->exits.size(); ++rank) {
      shortest = std::min(shortest, stamps->exits[rank] - stamps->arrivals[rank]);
    }
    watched_ = Watched{key, keys_.entry(key).plans, toNanoseconds(shortest)};
  }

  Seconds shown(Seconds time) const {
    return machine_.tick > Seconds{} ? std::floor(time / machine_.tick) * machine_.tick : time;
  }

  void endEpoch() {
    if (decisions_are_open_) applyDecisions();
    if (epoch_is_open_) {
      takeEpoch();
      buffer_.assign(kDecisionBytes, std::byte{});
      const Decisions decisions = tuner_.decide(kMaxUpdates);
      tuner_.postpone(decisions, encodeDecisions(decisions, buffer_));
      decisions_are_open_ = true;
    }
    tracker_.closeEpoch();
    lengths_.push_back(static_cast<std::int32_t>(open_.size()));
    closed_.swap(open_);
    closed_samples_.swap(open_samples_);
    open_.clear();
    open_samples_.clear();
    epoch_is_open_ = true;
    ++epoch_;
  }

  void applyDecisions() {
    const Result<Decisions> decisions = decodeDecisions(buffer_, ranks_);
    ASSERT_TRUE(decisions.isOk()) << decisions.status().message();
    for (const PlanUpdate& update : decisions.value().updates) keys_.apply(update);
    updates_ += static_cast<std::int64_t>(decisions.value().updates.size());
    if (decisions.value().next_epoch_length > 0) epoch_length_ = decisions.value().next_epoch_length;
    tuner_.tookForce();
  }

  void takeEpoch() {
    const std::span<const SiteTracker::Call> calls = tracker_.resolve(true);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const Key key = keyOf(calls[i].site, calls[i].signature);
      const std::int32_t known = keys_.size();
      closed_[i].key = keys_.findOrAdd(key, calls[i].signature);
      if (closed_[i].key < known) continue;
      const Shape shape{ranks_, calls[i].signature.count, calls[i].signature.commutative};
      const std::string site = "line" + std::to_string(tracker_.localSite(calls[i].site));
      tuner_.addKey({"world", site, key.size_class, "double", "sum"}, shape, Bytes{calls[i].signature.element_size},
                    closed_[i].tunable, policies_);
    }
    tuner_.digest({epoch_ - 1, closed_, closed_samples_});
  }

  struct Watched {
    std::int32_t key = 0;
    std::int32_t plans = 0;
    std::int64_t shortest_ns = 0;
  };

  std::int32_t ranks_;
  std::optional<Watched> watched_;  // the call before
  std::int64_t minimum_calls_;
  SimulatedMachine machine_;
  std::mt19937 random_;
  std::vector<PolicyRecord> policies_;
  CommunicatorTuner tuner_;
  SiteTracker tracker_;
  KeyTable keys_;
  std::int32_t epoch_length_;
  std::int64_t epoch_ = 0;
  std::int64_t updates_ = 0;
  bool decisions_are_open_ = false;
  bool epoch_is_open_ = false;
  std::vector<std::byte> buffer_;
  std::vector<EpochCall> open_, closed_;
  std::vector<CallSummary> open_samples_, closed_samples_;
  std::vector<PlannedChoice> choices_;
  std::vector<std::int32_t> lengths_;
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
