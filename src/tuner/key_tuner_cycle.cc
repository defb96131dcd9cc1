// This part of a key's tuner follows a cycle: calls that are unlike the others come again and again at the same place
// of a repeating sequence, and are tuned by themselves.
#include <optional>

#include "tuner/decision_text.h"
#include "tuner/key_tuner.h"

namespace starling {

// Where plans cannot follow a cycle nothing is spent on finding one.
void KeyTuner::observeSequence(std::int64_t index, const CallTimes& times, bool is_own) {
  if (!isFree() || settings_.options.mode != Mode::kTune) return;
  const std::optional<Seconds> other_error = is_own ? std::optional(arrivals_.tracked().latestError()) : std::nullopt;
  sequence_.observe(index, times.pattern, times.clock_error, other_error);
}

// Calls that belong to a cycle are all counted.
void KeyTuner::forgetSequence() {
  if (plan_.cycle.isNone()) sequence_.forget();
}

bool KeyTuner::hasSettledOnNative() const {
  return plan_.state == KeyState::kSettled && plan_.incumbent.algorithm == kNativeAlgorithm &&
         !transition_.awaitsForce();
}

// Special calls are few: what they were like before they had a key is to serve them.
void KeyTuner::beginBeside(const KeyTuner& usual) {
  if (usual.sequence_.special().isKnown()) arrivals_.expect(usual.sequence_.special(), Seconds{});
}

void KeyTuner::followCycle(KeyPlan& plan, Occasion& occasion) const {
  plan.cycle = cycle_is_useless_ ? Cycle{} : sequence_.cycle();
  if (plan.cycle == plan_.cycle) return;
  occasion.must_tell = true;
  occasion.text += plan.cycle.isNone() ? describeNoCycle(cycle_is_useless_) : describeCycle(plan.cycle, sequence_);
}

}  // namespace starling
