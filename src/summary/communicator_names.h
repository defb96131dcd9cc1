// Tells the communicators of a run apart.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "store/reader.h"

namespace starling {

// Returns the name of each key's communicator, in the order of the keys, which are those of one run. Programs seldom
// give names, and MPI libraries give some of their own: where a name is not given, or stands for several, the
// communicator's number in the run is in it. All are empty where there is one communicator.
std::vector<std::string> communicatorNames(std::span<const KeyRow> keys);

}  // namespace starling
