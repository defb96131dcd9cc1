#include "player.h"

#include <algorithm>
#include <array>

#include "rivals.h"
#include "tuned_player.h"

namespace starling::gym {
namespace {

// Rules remember nothing from run to run.
auto byRule(RulePlayer::MakeRule make) {
  return [make](const World& world, const std::vector<PolicyRecord>&) {
    return std::make_unique<RulePlayer>(world, make);
  };
}

}  // namespace

std::span<const Entrant> entrants() {
  static const std::array kEntrants{
      Entrant{"tuned", "is Starling's tuner", enterTuner},
      Entrant{"native", "always runs native", byRule([](std::uint64_t) { return alwaysNative(); })},
      Entrant{"star-mpi", "runs each 10 times, then the best mean, and watches it (Faraj, Yuan, Lowenthal 2006)",
              byRule([](std::uint64_t) { return starMpi(10); })},
      Entrant{"one-each", "runs each once and keeps the fastest, as Intel MPI's autotuner does by default",
              byRule([](std::uint64_t) { return oneCallEach(); })},
      Entrant{"epsilon", "runs each once, then the best mean but for one call in ten (epsilon-greedy)",
              byRule([](std::uint64_t seed) { return epsilonGreedy(0.1, seed); })},
      Entrant{"ucb1", "runs what may be the fastest by its confidence bound (Auer, Cesa-Bianchi, Fischer 2002)",
              byRule([](std::uint64_t) { return upperConfidence(); })},
      Entrant{"thompson", "runs what is drawn to be the fastest (Thompson 1933)",
              byRule([](std::uint64_t seed) { return thompsonSampling(seed); })},
      Entrant{"halving", "leaves the slower half after each 28 calls (successive halving; Karnin, Koren, Somekh 2013)",
              byRule([](std::uint64_t) { return successiveHalving(28); })},
  };
  return kEntrants;
}

const Entrant* findEntrant(std::string_view name) {
  const auto found = std::ranges::find(entrants(), name, [](const Entrant& one) { return std::string_view(one.name); });
  return found == entrants().end() ? nullptr : &*found;
}

}  // namespace starling::gym
