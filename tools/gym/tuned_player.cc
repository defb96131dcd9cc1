#include "tuned_player.h"

#include <fmt/format.h>

#include "learning_loop.h"
#include "random.h"
#include "tuner/epoch_messages.h"

namespace starling::gym {
namespace {

class TunedPlayer : public Player {
 public:
  TunedPlayer(const World& world, std::vector<PolicyRecord> policies)
      : world_(world), earlier_(std::move(policies)), policies_(earlier_) {}

  Move next(const WorldCall& call) override {
    if (!loop_ || call.communicator != communicator_) enterCommunicator(call.communicator);
    const WorldKey& key = world_.keys[static_cast<std::size_t>(call.key)];
    const LearningLoop::NextCall next = loop_->begin(key.line, key.signature);
    Move move;
    move.plan.choice = next.planned.choice;
    if (next.plan != nullptr) move.plan.placed = next.plan->placed;
    move.explores = next.planned.exploration;
    move.is_timed = next.isTimed();
    if (next.follows != AgreementStep::kNone) move.disturbance = disturbance();
    return move;
  }

  void took(const std::optional<CallSummary>& seen) override {
    const std::size_t epochs = loop_->epochLengths().size();
    loop_->end(seen);
    // Of decisions that nobody asks for the oldest give way.
    if (loop_->epochLengths().size() > epochs) drain();
  }

  std::optional<Claim> claim(std::int32_t key) const override {
    const std::optional<std::int32_t> learned = loop_->latestKeyOf(world_.keys[static_cast<std::size_t>(key)].line);
    if (!learned) return std::nullopt;
    const KeyTuner& tuner = loop_->tuner().key(*learned);
    const std::optional<double> gain = tuner.gain();
    const std::optional<double> error = tuner.gainError();
    return gain && error ? std::optional(Claim{*gain, *error}) : std::nullopt;
  }

  std::vector<Belief> beliefs(std::int32_t key) const override {
    const std::optional<std::int32_t> learned = loop_->latestKeyOf(world_.keys[static_cast<std::size_t>(key)].line);
    if (!learned) return {};
    const KeyCosts& costs = loop_->tuner().key(*learned).costs();
    std::vector<Belief> beliefs;
    for (std::size_t i = 0; i < costs.arms().size(); ++i) {
      const KeyCosts::Arm& arm = costs.arms()[i];
      if (!arm.is_available) continue;
      beliefs.push_back({arm.choice, costs.expected(i), costs.residualOf(i).deviation, arm.samples});
    }
    return beliefs;
  }

  std::string story() override {
    drain();
    return told_;
  }

  std::vector<PolicyRecord> policies() override {
    drain();
    return policies_;
  }

 private:
  void drain() {
    if (!loop_) return;
    const Batch batch = loop_->tuner().drain();
    for (const DecisionRecord& one : batch.decisions) {
      told_ += fmt::format("  communicator {}, call {} of {}: {} {}\n", communicator_, one.call, one.key.site,
                           one.choice, one.reason);
    }
    for (const PolicyRecord& policy : batch.policies) {
      std::erase_if(policies_, [&](const PolicyRecord& one) {
        return one.site == policy.site && one.size_class == policy.size_class;
      });
      policies_.push_back(policy);
    }
  }

  // How much longer a call takes before which an agreement went on. Both steps at once made the first calls of epochs
  // take 5 to 35 us longer, as measured with 2 and 4 ranks on one machine.
  Seconds disturbance() { return {2.5e-6 + 15e-6 * random_.uniform()}; }

  void enterCommunicator(std::int32_t communicator) {
    drain();
    const bool is_shape_known = communicator_ >= 0;
    communicator_ = communicator;
    TunerSettings settings;
    settings.model = world_.belief;
    settings.stamps_compare = world_.noise.kind != NoiseKind::kElapsedOnly;
    settings.shared = shared_;
    settings.samples_per_epoch = samplesPerEpoch(world_.ranks);
    loop_ = std::make_unique<LearningLoop>(world_.ranks, settings, earlier_, is_shape_known);
  }

  const World& world_;
  std::shared_ptr<SharedKnowledge> shared_ = std::make_shared<SharedKnowledge>();
  Random random_{seedOf(world_.seed, 2000)};
  std::int32_t communicator_ = -1;
  std::unique_ptr<LearningLoop> loop_;
  std::string told_;  // so far
  const std::vector<PolicyRecord> earlier_;
  std::vector<PolicyRecord> policies_;  // for later runs, one for each key
};

}  // namespace

std::unique_ptr<Player> enterTuner(const World& world, std::vector<PolicyRecord> policies) {
  return std::make_unique<TunedPlayer>(world, std::move(policies));
}

}  // namespace starling::gym
