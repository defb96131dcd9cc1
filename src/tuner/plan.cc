#include "tuner/plan.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace starling {
namespace {

// An update in a message has this header. All integers have a fixed width; the machines of one job share a byte order.
struct WireUpdate {
  std::int32_t key = 0;
  std::int32_t trial_calls = 0;
  std::uint8_t state = 0;
  std::uint8_t trials = 0;
  std::uint8_t has_table = 0;
  std::uint8_t has_lateness = 0;
  std::int32_t probation_calls = 0;
  CallLimit limit;
  Choice incumbent;
  std::array<Choice, kMaxTrials> trial{};
};
static_assert(std::is_trivially_copyable_v<WireUpdate>);

class Writer {
 public:
  explicit Writer(std::span<std::byte> buffer) : rest_(buffer) {}

  template <typename Value>
  void put(std::span<const Value> values) {
    if (values.empty()) return;  // memcpy takes no null pointer, not even for 0 bytes
    std::memcpy(rest_.data(), values.data(), values.size_bytes());
    rest_ = rest_.subspan(values.size_bytes());
  }
  template <typename Value>
  void put(const Value& value) {
    put(std::span<const Value>(&value, 1));
  }

 private:
  std::span<std::byte> rest_;
};

class Parser {
 public:
  explicit Parser(std::span<const std::byte> buffer) : rest_(buffer) {}

  template <typename Value>
  bool take(std::span<Value> values) {
    if (values.empty()) return true;
    if (rest_.size() < values.size_bytes()) return false;
    std::memcpy(values.data(), rest_.data(), values.size_bytes());
    rest_ = rest_.subspan(values.size_bytes());
    return true;
  }
  template <typename Value>
  bool take(Value& value) {
    return take(std::span<Value>(&value, 1));
  }
  std::span<const std::byte> rest() const { return rest_; }

 private:
  std::span<const std::byte> rest_;
};

std::size_t updateBytes(const KeyPlan& plan) {
  return sizeof(WireUpdate) + plan.table.size() * sizeof(std::int32_t) + plan.lateness_ns.size() * sizeof(std::int64_t);
}

void encodeUpdate(const PlanUpdate& update, Writer& writer) {
  WireUpdate wire;
  wire.key = update.key;
  wire.trial_calls = update.plan.trial_calls;
  wire.probation_calls = update.plan.probation_calls;
  wire.limit = update.plan.limit;
  wire.state = static_cast<std::uint8_t>(update.plan.state);
  wire.trials = static_cast<std::uint8_t>(update.plan.trials.size());
  wire.has_table = !update.plan.table.empty();
  wire.has_lateness = !update.plan.lateness_ns.empty();
  wire.incumbent = update.plan.incumbent;
  std::copy(update.plan.trials.begin(), update.plan.trials.end(), wire.trial.begin());
  writer.put(wire);
  writer.put(std::span<const std::int32_t>(update.plan.table));
  writer.put(std::span<const std::int64_t>(update.plan.lateness_ns));
}

// Marks the place of each value in the table itself, by the complement, and takes the marks away again, so that the
// check needs no memory.
bool isPermutation(std::span<std::int32_t> table) {
  const auto size = static_cast<std::int32_t>(table.size());
  const auto value_at = [&](std::size_t place) { return table[place] < 0 ? ~table[place] : table[place]; };
  bool is_permutation = std::all_of(table.begin(), table.end(), [size](auto rank) { return rank >= 0 && rank < size; });
  for (std::size_t place = 0; is_permutation && place < table.size(); ++place) {
    std::int32_t& mark = table[static_cast<std::size_t>(value_at(place))];
    is_permutation = mark >= 0;
    mark = ~mark;
  }
  for (std::int32_t& rank : table) rank = rank < 0 ? ~rank : rank;
  return is_permutation;
}

bool decodeUpdate(Parser& parser, std::int32_t ranks, PlanUpdate& update) {
  WireUpdate wire;
  if (!parser.take(wire) || wire.trials > kMaxTrials) return false;
  update.key = wire.key;
  update.plan.trial_calls = wire.trial_calls;
  update.plan.probation_calls = wire.probation_calls;
  update.plan.limit = wire.limit;
  update.plan.state = static_cast<KeyState>(wire.state);
  update.plan.incumbent = wire.incumbent;
  update.plan.trials.assign(wire.trial.begin(), wire.trial.begin() + wire.trials);
  update.plan.table.resize(wire.has_table ? static_cast<std::size_t>(ranks) : 0);
  update.plan.lateness_ns.resize(wire.has_lateness ? static_cast<std::size_t>(ranks) : 0);
  if (!parser.take(std::span(update.plan.table)) || !parser.take(std::span(update.plan.lateness_ns))) return false;
  bool known = findAlgorithm(wire.incumbent.algorithm) != nullptr;
  for (const Choice& trial : update.plan.trials) known = known && findAlgorithm(trial.algorithm) != nullptr;
  return known && isPermutation(update.plan.table);
}

}  // namespace

const char* keyStateName(KeyState state) {
  switch (state) {
    case KeyState::kObserving:
      return "observing";
    case KeyState::kExploring:
      return "exploring";
    case KeyState::kSettled:
      return "settled";
    case KeyState::kPassesThrough:
      return "passes_through";
  }
  return "unknown";
}

PlannedChoice choiceOfCall(const KeyPlan& plan, std::int64_t calls_since_plan) {
  const auto trials = static_cast<std::int64_t>(plan.trials.size());
  const std::int64_t calls_of_incumbent = calls_since_plan - trials * plan.trial_calls;
  if (plan.probation_calls > 0 && calls_of_incumbent >= plan.probation_calls) return {kNativeChoice, false};
  if (calls_of_incumbent >= 0) return {plan.incumbent, false};
  return {plan.trials[static_cast<std::size_t>(calls_since_plan % trials)], true};
}

std::size_t maximumUpdateBytes(std::int32_t ranks) {
  return sizeof(WireUpdate) + static_cast<std::size_t>(ranks) * (sizeof(std::int32_t) + sizeof(std::int64_t));
}

std::size_t encodeDecisions(const Decisions& decisions, std::span<std::byte> buffer) {
  std::size_t fitting = 0;
  std::size_t used = kDecisionHeaderBytes;
  for (const PlanUpdate& update : decisions.updates) {
    used += updateBytes(update.plan);
    if (used > buffer.size()) break;
    ++fitting;
  }
  Writer writer(buffer);
  writer.put(decisions.next_epoch_length);
  writer.put(static_cast<std::int32_t>(fitting));
  for (std::size_t i = 0; i < fitting; ++i) encodeUpdate(decisions.updates[i], writer);
  return fitting;
}

Status DecisionReader::start() {
  Parser parser(rest_);
  if (!parser.take(next_epoch_length_) || !parser.take(left_) || left_ < 0) {
    left_ = 0;
    return Status::error("an agreement message is shorter than its header");
  }
  rest_ = parser.rest();
  return Status::ok();
}

Status DecisionReader::next(PlanUpdate& update) {
  --left_;
  Parser parser(rest_);
  if (!decodeUpdate(parser, ranks_, update)) {
    left_ = 0;
    return Status::error("update " + std::to_string(read_) + " of an agreement message is damaged");
  }
  ++read_;
  rest_ = parser.rest();
  return Status::ok();
}

}  // namespace starling
