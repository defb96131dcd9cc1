// A subject is what is measured: one way to make the call, under one setting.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/status.h"
#include "collective.h"
#include "forecast.h"
#include "mpi/execution/channel.h"
#include "mpi/execution/node_channel.h"
#include "simulator/simulator.h"
#include "subject_choice.h"
#include "workload.h"

namespace starling::bench {

// Tells what one rank sends in one call.
struct Traffic {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};

// The buffers of one call: `count` elements each, which do not overlap.
struct Buffers {
  const void* input = nullptr;
  void* result = nullptr;
  int count = 0;
};

// Tags of the shared channel that flags use.
inline constexpr int kSubjectTags = 2;

// What all subjects of a run share.
struct SubjectServices {
  MPI_Comm world = MPI_COMM_NULL;
  Channel* channel = nullptr;  // over the world, open, with kSubjectTags of its own
  Workload* workload = nullptr;
  CostModel model;   // for parameters that are times of the network
  CostModel probed;  // for predictions
  const Topology* topology = nullptr;
  NodeChannel* node = nullptr;  // null: the ranks of this node share none
  Collective collective = Collective::kAllreduce;
};

// One way to make the call. All ranks call all functions alike. THREADS: not thread-safe.
class Subject {
 public:
  virtual ~Subject() = default;

  // Returns the name for records, as "slt", "native:ompi", "tuned"; choice() adds the parameters, as "slt:segments=64".
  virtual std::string algorithm() const = 0;
  virtual std::string choice() const = 0;

  // Gets ready for the next call, outside the measured time. Returns false when memory is short.
  virtual bool prepare(const Forecast& /*forecast*/) { return true; }
  // Returns an MPI error code.
  virtual int run(const Buffers& buffers) = 0;

  // Returns whether starling_edge() in the middle of the computation means something to it.
  virtual bool wantsAnnouncements() const { return false; }

  // Returns true until what is measured has reached its steady state; these calls come before those that the user asks
  // for.
  virtual bool needsMoreWarmup() const { return false; }
  // Returns what this rank sends; empty where the MPI library alone knows.
  virtual std::optional<Traffic> traffic() const { return std::nullopt; }
  // Returns the post-arrival time of the call that was prepared, by the cost model; `lateness` has the latenesses by
  // rank, as they will be. Empty where the MPI library or the tuner alone knows what will be done.
  virtual std::optional<Seconds> predict(std::span<const Seconds> /*lateness*/) const { return std::nullopt; }
  // Returns whether nothing will change any more.
  virtual bool isSettled() const { return true; }
  // Returns what the tuner has chosen; empty for all but `tuned`.
  virtual std::optional<std::string> chosen() const { return std::nullopt; }
};

// Checks that every one of the MPI library's own algorithms among these names can be selected.
Status checkNatives(Collective collective, std::span<const std::string> algorithms);

// REQUIRES: `count` and the workload's operation allow the algorithm.
std::unique_ptr<Subject> makeSubject(const SubjectChoice& choice, std::int64_t count, const std::string& label,
                                     const SubjectServices& services);

}  // namespace starling::bench
