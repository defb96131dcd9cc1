// The steps of all ranks as one graph: which send meets which receive, and which step waits for which.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "schedule/schedule.h"

namespace starling {

// Numbers a step among those of all ranks: ascending by rank, then in program order.
using StepId = std::uint32_t;

// Names a step for people: "rank 3, step 17 (send of [0, 10) to rank 4, tag 2)".
std::string describeStep(const Schedule& schedule, std::size_t index);

// The schedules outlive the graph. THREADS: const once it is made.
class StepGraph {
 public:
  // Checks that every schedule is sane in itself and that every message has exactly one sender and one receiver, of the
  // same block. Time: linear in the steps, times the logarithm of one rank's.
  static Result<StepGraph> make(std::span<const Schedule> schedules,
                                std::pmr::memory_resource* memory = std::pmr::get_default_resource());
  // The same for schedules that make() is known to find nothing wrong with, as those that the catalogue's builders make
  // for all ranks of a call. Only that every message has both its sides is checked.
  static Result<StepGraph> ofSane(std::span<const Schedule> schedules,
                                  std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  std::int32_t ranks() const { return static_cast<std::int32_t>(schedules_.size()); }
  std::size_t size() const { return rank_of_.size(); }
  const Schedule& schedule(std::int32_t rank) const { return schedules_[rank]; }
  const Step& step(StepId id) const { return *steps_[id]; }
  std::int32_t rankOf(StepId id) const { return rank_of_[id]; }
  StepId firstOf(std::int32_t rank) const { return first_[rank]; }
  // Returns the step on the other side of the step's message. REQUIRES: it has one.
  StepId partnerOf(StepId id) const { return partner_[id]; }
  // Returns the steps of the same rank that wait for this one.
  std::span<const StepId> dependentsOf(StepId id) const {
    return std::span(dependents_).subspan(first_dependent_[id], first_dependent_[id + 1] - first_dependent_[id]);
  }
  std::string describe(StepId id) const;

 private:
  // Holds one side of a message of a given sender; sides are ordered by receiver and tag.
  struct Side {
    std::int32_t receiver;
    std::int32_t tag;
    StepId step;

    std::uint64_t key() const {
      return std::uint64_t{static_cast<std::uint32_t>(receiver)} << 32 | static_cast<std::uint32_t>(tag);
    }
    bool operator<(const Side& other) const { return key() < other.key(); }
  };

  // Holds the sides of one kind, those of each sender together.
  struct Sides {
    Sides(std::size_t senders, std::pmr::memory_resource* memory) : all(memory), ends(senders + 2, memory) {}

    std::span<Side> of(std::size_t sender) {
      return std::span(all).subspan(ends[sender], ends[sender + 1] - ends[sender]);
    }

    std::pmr::vector<Side> all;
    std::pmr::vector<std::size_t> ends;  // by sender: where those of the senders before it end; and two more
  };

  StepGraph(std::span<const Schedule> schedules, std::pmr::memory_resource* memory);
  Status matchMessages();
  Status checkUnique(std::span<const Side> sorted) const;
  void findSides(Sides& sends, Sides& receives) const;
  Status matchOneSender(std::span<Side> sends, std::span<Side> receives);
  void linkDependents();

  std::span<const Schedule> schedules_;
  std::pmr::vector<StepId> first_;  // by rank
  std::pmr::vector<std::int32_t> rank_of_;
  std::pmr::vector<const Step*> steps_;
  std::pmr::vector<StepId> partner_;
  std::pmr::vector<std::uint32_t> first_dependent_;  // one more than there are steps
  std::pmr::vector<StepId> dependents_;
};

}  // namespace starling
