#include "schedule/step_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace starling {
namespace {

bool contains(const Block& outer, const Block& inner) {
  return inner.offset >= outer.offset && inner.offset - outer.offset <= outer.count - inner.count;
}

// What may be wrong with a step as such.
enum class Fault : std::uint8_t {
  kNone,
  kUnknownKind,
  kNoElements,
  kBeyondVector,
  kUnknownSlot,
  kUnknownSource,
  kBeyondSlots,
  kUnknownLane,
  kNotReduceLane,
  kNoPeer,
  kUnknownTag,
  kCombinesWithItself,
  kBeyondDependencies,
  kNotBefore,
};

Fault messageFaultOf(const Schedule& schedule, const Step& step) {
  if (step.lane >= kMaxLanes) return Fault::kUnknownLane;
  if (step.kind == StepKind::kReduce && step.lane != kReduceLane) return Fault::kNotReduceLane;
  if (step.peer < 0 || step.peer >= schedule.ranks || step.peer == schedule.virtual_rank) return Fault::kNoPeer;
  return step.tag < 0 || step.tag >= schedule.tag_span ? Fault::kUnknownTag : Fault::kNone;
}

bool hasSlot(const Schedule& schedule, std::int32_t slot) { return slot >= 0 && slot <= schedule.side_slots; }

Fault slotFaultOf(const Schedule& schedule, const Step& step) {
  if (!hasSlot(schedule, step.slot)) return Fault::kUnknownSlot;
  if (!isMessage(step) && !hasSlot(schedule, step.source_slot)) return Fault::kUnknownSource;
  const bool is_at_side = step.slot > 0 || (!isMessage(step) && step.source_slot > 0);
  return is_at_side && !contains(schedule.side_extent, step.block) ? Fault::kBeyondSlots : Fault::kNone;
}

Fault faultOf(const Schedule& schedule, std::size_t index) {
  const Step& step = schedule.steps[index];
  if (step.kind > StepKind::kCombine) return Fault::kUnknownKind;
  if (step.block.count <= 0) return Fault::kNoElements;
  if (!contains({0, schedule.count}, step.block)) return Fault::kBeyondVector;
  if (const Fault fault = slotFaultOf(schedule, step); fault != Fault::kNone) return fault;
  if (isMessage(step)) {
    if (const Fault fault = messageFaultOf(schedule, step); fault != Fault::kNone) return fault;
  } else if (step.slot == step.source_slot) {
    return Fault::kCombinesWithItself;
  }
  const std::size_t known = schedule.dependencies.size();
  if (step.first_dependency > known || step.dependency_count > known - step.first_dependency) {
    return Fault::kBeyondDependencies;
  }
  const auto is_before = [index](std::uint32_t dependency) { return dependency < index; };
  return std::ranges::all_of(schedule.dependenciesOf(step), is_before) ? Fault::kNone : Fault::kNotBefore;
}

// Says it of the step, for people.
std::string describe(Fault fault, const Schedule& schedule, std::size_t index) {
  const Step& step = schedule.steps[index];
  const auto unknown_slot = [&](std::int32_t slot) {
    return fmt::format("names slot {}, and there are {} beside the work vector", slot, schedule.side_slots);
  };
  switch (fault) {
    case Fault::kNone:
      break;
    case Fault::kUnknownKind:
      return "has an unknown kind";
    case Fault::kNoElements:
      return "moves no elements; leave such steps out";
    case Fault::kBeyondVector:
      return fmt::format("leaves the work vector of {} elements", schedule.count);
    case Fault::kUnknownSlot:
      return unknown_slot(step.slot);
    case Fault::kUnknownSource:
      return unknown_slot(step.source_slot);
    case Fault::kBeyondSlots:
      return "leaves the elements that side slots have";
    case Fault::kUnknownLane:
      return fmt::format("is in lane {}, and there are {}", step.lane, kMaxLanes);
    case Fault::kNotReduceLane:
      return fmt::format("reduces in lane {}, and only lane {} may", step.lane, kReduceLane);
    case Fault::kNoPeer:
      return fmt::format("has no other rank as its peer, there are {}", schedule.ranks);
    case Fault::kUnknownTag:
      return fmt::format("has a tag beyond {}", schedule.tag_span);
    case Fault::kCombinesWithItself:
      return "combines a block with itself";
    case Fault::kBeyondDependencies:
      return "has dependencies beyond the list of them";
    case Fault::kNotBefore: {
      const auto dependencies = schedule.dependenciesOf(step);
      const auto later = std::ranges::find_if(dependencies, [index](std::uint32_t one) { return one >= index; });
      return fmt::format("depends on step {}, which is not before it", *later);
    }
  }
  return {};
}

Status checkSchedules(std::span<const Schedule> schedules) {
  if (schedules.empty()) return Status::error("There are no schedules; one per virtual rank is needed.");
  for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
    const Schedule& schedule = schedules[rank];
    const Schedule& model = schedules.front();
    if (static_cast<std::size_t>(schedule.ranks) != schedules.size() ||
        static_cast<std::size_t>(schedule.virtual_rank) != rank || schedule.count != model.count ||
        schedule.tag_span != model.tag_span || schedule.tag_span < 1 || schedule.window < 1 || schedule.pacing < 1 ||
        schedule.count < 0 || schedule.side_slots < 0) {
      return Status::error(
          fmt::format("Schedule {} is for rank {} of {} with {} elements, tag span {}, window {} and pacing {}; it "
                      "must be for rank "
                      "{} of {} with {} elements and tag span {}.",
                      rank, schedule.virtual_rank, schedule.ranks, schedule.count, schedule.tag_span, schedule.window,
                      schedule.pacing, rank, schedules.size(), model.count, model.tag_span));
    }
    for (std::size_t index = 0; index < schedule.steps.size(); ++index) {
      const Fault fault = faultOf(schedule, index);
      if (fault == Fault::kNone) continue;
      return Status::error(fmt::format("{} {}.", describeStep(schedule, index), describe(fault, schedule, index)));
    }
  }
  return Status::ok();
}

}  // namespace

std::string describeStep(const Schedule& schedule, std::size_t index) {
  const Step& step = schedule.steps[index];
  if (step.kind == StepKind::kCombine) {
    return fmt::format("rank {}, step {} (combine of [{}, {}) of slot {} into slot {})", schedule.virtual_rank, index,
                       step.block.offset, step.block.offset + step.block.count, step.source_slot, step.slot);
  }
  const bool is_send = step.kind == StepKind::kSend;
  const char* action = is_send ? "send" : step.kind == StepKind::kReceive ? "receive" : "reduce";
  return fmt::format("rank {}, step {} ({} of [{}, {}) {} rank {}, tag {})", schedule.virtual_rank, index, action,
                     step.block.offset, step.block.offset + step.block.count, is_send ? "to" : "from", step.peer,
                     step.tag);
}

StepGraph::StepGraph(std::span<const Schedule> schedules, std::pmr::memory_resource* memory)
    : schedules_(schedules),
      first_(memory),
      rank_of_(memory),
      steps_(memory),
      partner_(memory),
      first_dependent_(memory),
      dependents_(memory) {
  std::size_t steps = 0;
  for (const Schedule& schedule : schedules) steps += schedule.steps.size();
  first_.reserve(schedules.size());
  rank_of_.reserve(steps);
  steps_.reserve(steps);
  for (const Schedule& schedule : schedules) {
    first_.push_back(static_cast<StepId>(rank_of_.size()));
    rank_of_.insert(rank_of_.end(), schedule.steps.size(), schedule.virtual_rank);
    for (const Step& step : schedule.steps) steps_.push_back(&step);
  }
}

Result<StepGraph> StepGraph::make(std::span<const Schedule> schedules, std::pmr::memory_resource* memory) {
  const Status sane = checkSchedules(schedules);
  return sane.isOk() ? ofSane(schedules, memory) : sane;
}

Result<StepGraph> StepGraph::ofSane(std::span<const Schedule> schedules, std::pmr::memory_resource* memory) {
  StepGraph graph(schedules, memory);
  const Status matched = graph.matchMessages();
  if (!matched.isOk()) return matched;
  graph.linkDependents();
  return graph;
}

std::string StepGraph::describe(StepId id) const {
  return describeStep(schedules_[rank_of_[id]], id - first_[rank_of_[id]]);
}

Status StepGraph::matchMessages() {
  std::pmr::memory_resource* const memory = partner_.get_allocator().resource();
  Sides sends(schedules_.size(), memory);
  Sides receives(schedules_.size(), memory);
  findSides(sends, receives);
  partner_.resize(size());
  for (std::size_t sender = 0; sender < schedules_.size(); ++sender) {
    const Status matched = matchOneSender(sends.of(sender), receives.of(sender));
    if (!matched.isOk()) return matched;
  }
  return Status::ok();
}

void StepGraph::findSides(Sides& sends, Sides& receives) const {
  const auto visit = [&](const auto& action) {
    for (StepId id = 0; id < size(); ++id) {
      const Step& side = step(id);
      if (side.kind == StepKind::kSend) {
        action(sends, rank_of_[id], Side{side.peer, side.tag, id});
      } else if (isMessage(side)) {
        action(receives, side.peer, Side{rank_of_[id], side.tag, id});
      }
    }
  };
  // While sides are put in their places the end of a sender's is where its next one goes.
  visit([](Sides& sides, std::int32_t sender, const Side&) { ++sides.ends[sender + 2]; });
  for (Sides* sides : {&sends, &receives}) {
    std::partial_sum(sides->ends.begin(), sides->ends.end(), sides->ends.begin());
    sides->all.resize(sides->ends.back());
  }
  visit([](Sides& sides, std::int32_t sender, const Side& side) { sides.all[sides.ends[sender + 1]++] = side; });
}

Status StepGraph::checkUnique(std::span<const Side> sorted) const {
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i - 1].key() == sorted[i].key()) {
      return Status::error(fmt::format("{} and {} are of the same message; their tags must differ.",
                                       describe(sorted[i - 1].step), describe(sorted[i].step)));
    }
  }
  return Status::ok();
}

Status StepGraph::matchOneSender(std::span<Side> sends, std::span<Side> receives) {
  for (const std::span<Side> sides : {sends, receives}) {
    const auto is_not_before = [](const Side& one, const Side& next) { return !(one < next); };
    if (std::adjacent_find(sides.begin(), sides.end(), is_not_before) == sides.end()) continue;
    std::sort(sides.begin(), sides.end());
    const Status unique = checkUnique(sides);
    if (!unique.isOk()) return unique;
  }
  for (std::size_t i = 0; i < std::max(sends.size(), receives.size()); ++i) {
    if (i == receives.size() || (i < sends.size() && sends[i] < receives[i])) {
      return Status::error(fmt::format("{} has no receiver.", describe(sends[i].step)));
    }
    if (i == sends.size() || receives[i] < sends[i]) {
      return Status::error(fmt::format("{} has no sender.", describe(receives[i].step)));
    }
    const StepId send = sends[i].step;
    const StepId receive = receives[i].step;
    if (step(send).block != step(receive).block) {
      return Status::error(
          fmt::format("{} and {} are one message but name different blocks.", describe(send), describe(receive)));
    }
    partner_[send] = receive;
    partner_[receive] = send;
  }
  return Status::ok();
}

void StepGraph::linkDependents() {
  first_dependent_.assign(size() + 1, 0);
  const auto visit = [&](const auto& action) {
    for (StepId id = 0; id < size(); ++id) {
      const Schedule& own = schedules_[rank_of_[id]];
      for (const std::uint32_t dependency : own.dependenciesOf(step(id))) action(first_[rank_of_[id]] + dependency, id);
    }
  };
  visit([&](StepId before, StepId) { ++first_dependent_[before + 1]; });
  std::partial_sum(first_dependent_.begin(), first_dependent_.end(), first_dependent_.begin());
  dependents_.resize(first_dependent_.back());
  std::pmr::vector<std::uint32_t> filled(first_dependent_.begin(), first_dependent_.end() - 1,
                                         dependents_.get_allocator());
  visit([&](StepId before, StepId after) { dependents_[filled[before]++] = after; });
}

}  // namespace starling
