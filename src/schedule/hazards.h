// Finds data hazards within one rank.
#pragma once

#include "base/status.h"
#include "schedule/schedule.h"

namespace starling {

// Checks that of any two steps that touch the same elements, one of them writing, one waits for the other (directly or
// through others). REQUIRES: a schedule that is sane in itself, see StepGraph::make().
Status checkHazards(const Schedule& schedule);

}  // namespace starling
