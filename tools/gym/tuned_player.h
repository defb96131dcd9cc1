// Starling's tuner as a player.
#pragma once

#include <memory>

#include "player.h"

namespace starling::gym {

std::unique_ptr<Player> enterTuner(const World& world, std::vector<PolicyRecord> policies);

}  // namespace starling::gym
