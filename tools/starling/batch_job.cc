#include "batch_job.h"

#include <fmt/format.h>

#include <utility>

namespace starling::cli {
namespace {

std::string slurmJob(const Entries& environment, const std::string& id) {
  const auto array = valueOf(environment, "SLURM_ARRAY_JOB_ID");
  const auto task = valueOf(environment, "SLURM_ARRAY_TASK_ID");
  if (!array || !task) return "Slurm job " + id;
  return fmt::format("Slurm job {}, task {} of array {}", id, *task, *array);
}

}  // namespace

std::optional<std::string> batchJob(const Entries& environment) {
  if (const auto id = valueOf(environment, "SLURM_JOB_ID")) return slurmJob(environment, *id);
  for (const auto& [variable, system] :
       {std::pair{"PBS_JOBID", "PBS"}, {"LSB_JOBID", "LSF"}, {"JOB_ID", "Grid Engine"}}) {
    if (const auto id = valueOf(environment, variable)) return fmt::format("{} job {}", system, *id);
  }
  return std::nullopt;
}

}  // namespace starling::cli
