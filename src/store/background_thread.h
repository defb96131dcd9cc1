// Starts threads for work beside the program.
#pragma once

#include <functional>
#include <thread>

#include "base/status.h"

namespace starling {

// A thread is started by such a function. Tests put one that fails in its place.
using ThreadStarter = Result<std::thread> (*)(std::function<void()> body);

// Starts a thread on which no signal handler of the program ever runs, and whose exceptions end it with one warning
// instead of ending the program. It is an error if the system grants no thread.
Result<std::thread> startThread(std::function<void()> body);

}  // namespace starling
