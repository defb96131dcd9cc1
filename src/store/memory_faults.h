// A shortage of memory beside the program is a fault like any other: it is told once, and the program runs on.
#pragma once

#include <exception>

#include "base/log.h"

namespace starling {

// Calls `action` and returns whether it ended without an exception. THREADS: any.
template <typename Action>
bool runsToItsEnd(Action action) {
  try {
    action();
    return true;
  } catch (const std::exception&) {
    logOnce(LogLevel::kWarning, "database",
            "memory is short: the program runs on, what it teaches may not be stored; free some memory");
    return false;
  }
}

}  // namespace starling
