// What players come to over many worlds.
#pragma once

#include <string>
#include <vector>

#include "game.h"

namespace starling::gym {

// The figures of one player in all worlds.
struct Standing {
  std::string player;
  std::vector<Figures> worlds;
};

// Returns the standings as a table for people: a row for each player.
std::string describe(const std::vector<Standing>& standings);

}  // namespace starling::gym
