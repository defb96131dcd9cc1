// Finds the job of a batch system that this process belongs to.
#pragma once

#include <optional>
#include <string>

#include "environment_entries.h"

namespace starling::cli {

// Returns the job in words, as "Slurm job 12, task 3 of array 10", from its environment; empty outside of
// jobs. In a job mpirun knows which slots are given to it.
std::optional<std::string> batchJob(const Entries& environment);

}  // namespace starling::cli
