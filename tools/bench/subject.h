// What is measured: one way to make the call, under one setting.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "algos/simulator.h"
#include "base/status.h"
#include "collective.h"
#include "forecast.h"
#include "mpi/executor.h"
#include "subject_choice.h"
#include "workload.h"

namespace starling::bench {

// What one rank sends in one call.
struct Traffic {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};

// One call's buffers: `count` elements each, no overlap.
struct Buffers {
  const void* input = nullptr;
  void* result = nullptr;
  int count = 0;
};

// What all subjects of a run share.
struct SubjectServices {
  // Nothing else sends point to point messages on it: schedules have its tags for themselves.
  MPI_Comm world = MPI_COMM_NULL;
  Executor* executor = nullptr;
  Workload* workload = nullptr;
  CostModel model;   // for parameters that are times of the network's
  CostModel probed;  // for predictions
  const Topology* topology = nullptr;
  Collective collective = Collective::kAllreduce;
};

// THREADS: not thread-safe. All functions are called by all ranks alike.
class Subject {
 public:
  virtual ~Subject() = default;

  // For records: "slt", "native:ompi", "tuned"; and with its parameters: "slt:segments=64".
  virtual std::string algorithm() const = 0;
  virtual std::string choice() const = 0;

  // Told before each call, outside the measured time. False: memory is short.
  virtual bool prepare(const Forecast& /*forecast*/) { return true; }
  // Returns an MPI error code.
  virtual int run(const Buffers& buffers) = 0;

  // starling_edge() in the middle of the computation means something to it.
  virtual bool wantsAnnouncements() const { return false; }

  // Calls until what is measured has reached its steady state, beyond those that the user asks for.
  virtual bool needsMoreWarmup() const { return false; }
  // What this rank sends; empty where the MPI library alone knows.
  virtual std::optional<Traffic> traffic() const { return std::nullopt; }
  // Post-arrival time of the call that was prepared, by the cost model; `lateness` by rank, as it will be. Empty where
  // the MPI library or the tuner alone knows what will be done.
  virtual std::optional<Seconds> predict(std::span<const Seconds> /*lateness*/) const { return std::nullopt; }
  // Nothing will change any more.
  virtual bool isSettled() const { return true; }
  // What the tuner has chosen; empty for all but `tuned`.
  virtual std::optional<std::string> chosen() const { return std::nullopt; }
};

// Every one of the MPI library's own algorithms among these names can be selected.
Status checkNatives(std::span<const std::string> algorithms);

// REQUIRES: `count` and the workload's operation allow the algorithm.
std::unique_ptr<Subject> makeSubject(const SubjectChoice& choice, std::int64_t count, const std::string& label,
                                     const SubjectServices& services);

}  // namespace starling::bench
