// Times calls that follow each other at once: --back-to-back and --overhead.
#pragma once

#include <functional>

#include "arguments.h"
#include "base/clock.h"
#include "loop_figures.h"
#include "workload.h"

namespace starling::bench {

// These measure every count, and hand over its figures on rank 0 as soon as it is done. Collective over MPI_COMM_WORLD.
// They return an MPI error code.
int timeBackToBack(const Arguments& arguments, const Clock& clock, Workload& workload,
                   const std::function<void(const LoopFigures&)>& report);
int timeOverhead(const Arguments& arguments, const Clock& clock, Workload& workload,
                 const std::function<void(const OverheadFigures&)>& report);

}  // namespace starling::bench
