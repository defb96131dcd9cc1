#include "tuner/plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace starling {
namespace {

constexpr std::size_t kMostUpdates = 63;

// Whole numbers travel with seven bits in a byte, the lowest first; the highest bit says that more follow. Most are
// small, so that an update takes some ten bytes and one for each trial, and a few for each rank that is placed.
class Writer {
 public:
  explicit Writer(std::span<std::byte> buffer) : rest_(buffer) {}

  // Nothing more is written once a number did not fit.
  void put(std::int64_t value) {
    // Negative numbers are rare: the sign goes to the lowest bit.
    auto bits = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
    do {
      if (rest_.empty()) {
        fits_ = false;
        return;
      }
      const std::uint64_t more = bits > 0x7f ? 0x80 : 0;
      rest_.front() = static_cast<std::byte>((bits & 0x7f) | more);
      rest_ = rest_.subspan(1);
      bits >>= 7;
    } while (bits != 0);
  }
  bool fits() const { return fits_; }
  std::span<std::byte> rest() const { return rest_; }

 private:
  std::span<std::byte> rest_;
  bool fits_ = true;
};

class Parser {
 public:
  explicit Parser(std::span<const std::byte> buffer) : rest_(buffer) {}

  // Leaves `value` as it is where the message ends, or has no such number.
  template <typename Value>
  bool take(Value& value) {
    std::uint64_t bits = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) return false;
      const auto byte = std::to_integer<std::uint64_t>(rest_.front());
      rest_ = rest_.subspan(1);
      bits |= (byte & 0x7f) << shift;
      if ((byte & 0x80) != 0) continue;
      const auto number = static_cast<std::int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
      value = static_cast<Value>(number);
      return static_cast<std::int64_t>(value) == number;
    }
    return false;
  }
  std::span<const std::byte> rest() const { return rest_; }

 private:
  std::span<const std::byte> rest_;
};

// Most parameters are 0, because an algorithm has few: bits tell which are not.
void encodeChoice(const Choice& choice, Writer& writer) {
  std::int64_t given = 0;
  for (std::size_t i = 0; i < choice.parameters.size(); ++i) {
    given |= std::int64_t{choice.parameters[i] != 0 ? 1 : 0} << i;
  }
  writer.put(choice.algorithm);
  writer.put(given);
  for (const std::int64_t value : choice.parameters) {
    if (value != 0) writer.put(value);
  }
}

bool decodeChoice(Parser& parser, Choice& choice) {
  std::uint32_t given = 0;
  if (!parser.take(choice.algorithm) || findAlgorithm(choice.algorithm) == nullptr || !parser.take(given)) return false;
  for (std::size_t i = 0; i < choice.parameters.size(); ++i) {
    choice.parameters[i] = 0;
    if ((given >> i & 1) != 0 && !parser.take(choice.parameters[i])) return false;
  }
  return true;
}

// Leaves out the first `omitted` of the placed ranks, which are the least late.
void encodeUpdate(const PlanUpdate& update, std::size_t omitted, Writer& writer) {
  const KeyPlan& plan = update.plan;
  writer.put(update.key);
  writer.put(static_cast<std::int64_t>(plan.state));
  writer.put(plan.limit.slow_ns);
  writer.put(plan.limit.cold);
  writer.put(plan.limit.every);
  writer.put(plan.limit.known);
  encodeChoice(plan.incumbent, writer);
  writer.put(static_cast<std::int64_t>(plan.trials.size()));
  for (const Choice& trial : plan.trials) encodeChoice(trial, writer);
  const std::span<const PlacedRank> placed = std::span(plan.placed).subspan(std::min(omitted, plan.placed.size()));
  writer.put(static_cast<std::int64_t>(placed.size()));
  for (const PlacedRank& one : placed) {
    writer.put(one.rank);
    writer.put(one.place);
    writer.put(one.lateness_ns);
  }
  writer.put(plan.cycle.period);
  if (!plan.cycle.isNone()) writer.put(static_cast<std::int64_t>(plan.cycle.special));
}

bool decodePlaced(Parser& parser, std::int32_t ranks, std::vector<PlacedRank>& placed) {
  std::size_t size = 0;
  if (!parser.take(size) || size > kMostPlaced) return false;
  placed.resize(size);
  for (PlacedRank& one : placed) {
    if (!parser.take(one.rank) || !parser.take(one.place) || !parser.take(one.lateness_ns)) return false;
  }
  return isPlacement(placed, ranks);
}

bool decodeCycle(Parser& parser, Cycle& cycle) {
  cycle = {};
  if (!parser.take(cycle.period)) return false;
  return (cycle.isNone() || parser.take(cycle.special)) && cycle.isSound();
}

bool decodeUpdate(Parser& parser, std::int32_t ranks, PlanUpdate& update) {
  KeyPlan& plan = update.plan;
  std::uint8_t state = 0;
  std::size_t trials = 0;
  if (!parser.take(update.key) || !parser.take(state) || state > static_cast<std::uint8_t>(KeyState::kPassesThrough) ||
      !parser.take(plan.limit.slow_ns) || !parser.take(plan.limit.cold) || !parser.take(plan.limit.every) ||
      plan.limit.cold < 0 || plan.limit.cold > CallLimit::kMostCold || plan.limit.every < 1 ||
      !parser.take(plan.limit.known) || !decodeChoice(parser, plan.incumbent) || !parser.take(trials) ||
      trials > kMaxTrials) {
    return false;
  }
  plan.state = static_cast<KeyState>(state);
  plan.trials.resize(trials);
  return std::ranges::all_of(plan.trials, [&](Choice& trial) { return decodeChoice(parser, trial); }) &&
         decodePlaced(parser, ranks, plan.placed) && decodeCycle(parser, plan.cycle);
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

// To look at a call takes a message for each time that the ranks can be halved, which other messages hide in part.
CallLimit CallLimit::beside(Seconds native, std::int32_t ranks, Seconds alpha) {
  const auto rounds = std::bit_width(static_cast<std::uint32_t>(ranks - 1));
  // A coarse clock may find that native takes no time.
  const double allowed = kShare * native.value;
  const double wanted = allowed > 0.0 ? rounds * alpha.value / allowed : kRarest;
  return {.slow_ns = std::max<std::int64_t>(toNanoseconds(kSlowFactor * native), 1),
          .every = static_cast<std::int32_t>(std::clamp(std::ceil(wanted), 1.0, kRarest))};
}

PlannedChoice choiceOfCall(const KeyPlan& plan, std::int64_t calls_since_plan) {
  const auto call = static_cast<std::size_t>(calls_since_plan);
  if (call < plan.trials.size()) return {plan.trials[call], plan.trials[call] != plan.incumbent};
  return {plan.incumbent, false};
}

std::size_t encodeDecisions(const Decisions& decisions, std::span<std::byte> buffer) {
  // The number of updates has a byte of its own, which is written when it is known: there are fewer than 64.
  Writer header(buffer);
  header.put(decisions.next_epoch_length);
  const std::span<std::byte> number = header.rest();
  std::span<std::byte> rest = number.subspan(1);
  std::size_t fitting = 0;
  while (fitting < decisions.updates.size() && fitting < kMostUpdates) {
    const PlanUpdate& update = decisions.updates[fitting];
    Writer writer(rest);
    encodeUpdate(update, 0, writer);
    for (std::size_t omitted = 1; !writer.fits() && fitting == 0 && omitted <= update.plan.placed.size(); ++omitted) {
      writer = Writer(rest);
      encodeUpdate(update, omitted, writer);
    }
    if (!writer.fits()) break;
    rest = writer.rest();
    ++fitting;
  }
  Writer(number).put(static_cast<std::int64_t>(fitting));
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
