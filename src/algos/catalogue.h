// In the catalogue every algorithm is one row. Verifier, tests, documentation, CLI, exports and tuner read it from
// here. A new algorithm is one file that holds its row (row.h) and one line of catalogue_rows.inc that names it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "algos/topology.h"
#include "base/status.h"
#include "schedule/schedule.h"
#include "schedule/schedule_writer.h"

namespace starling {

struct BuildNotes;

inline constexpr int kMaxParameters = 7;

// Holds values of an algorithm's parameters, in the order of its row; entries beyond the row's are 0.
using ParameterValues = std::array<std::int64_t, kMaxParameters>;

struct Parameter {
  const char* name;  // lower_snake
  std::int64_t minimum;
  std::int64_t maximum;
  std::int64_t fallback;
  const char* unit;  // "" when it has none
  const char* help;
  // The tuner simulates these values beside the default, where the row has no closed form for the parameter.
  std::span<const std::int64_t> worth_trying{};
  const char* former_name = "";  // read in texts, too, that were written before the parameter was renamed
  std::span<const std::int64_t> worth_trying_late{};  // simulated as well where a rank is predicted to be late
};

// An algorithm's validity may depend on this; nothing else is equal on all ranks.
struct Shape {
  std::int32_t ranks = 1;
  std::int64_t count = 0;  // elements
  bool commutative = true;
  const Topology* topology = nullptr;  // for as long as the shape is used; null: not known
  // The table maps virtual ranks to ranks of the topology; where it is empty, the topology is by virtual rank.
  std::span<const std::int32_t> table{};
  // What sizesOfNodes() says of this topology and so many ranks, where that is asked often; for as long as the shape is
  // used. Null: not known.
  const NodeSizes* node_sizes = nullptr;
  // What is asked about the shape takes its memory from here.
  std::pmr::memory_resource* memory = std::pmr::get_default_resource();
};

// A builder needs this for one rank's schedule.
struct BuildRequest {
  Shape shape;
  std::int32_t virtual_rank = 0;
  ParameterValues parameters{};
  // These are the predicted latenesses by virtual rank in nanoseconds, ascending when the table is sorted; empty means
  // all on time.
  std::span<const std::int64_t> lateness_ns;
  // The ranks of each node share memory, which a schedule may use by Schedule::shares. Else all is messages.
  bool nodes_share_memory = false;

  // All that is allocated comes from here, and what the schedule keeps is given back to it.
  std::pmr::memory_resource* memory = std::pmr::get_default_resource();

  // What builders have found for other ranks of the call, with memory of its own (build_notes.h). Null: buildSchedule()
  // gives the builder empty ones, in `memory`.
  BuildNotes* notes = nullptr;

  Seat seat() const { return {shape.ranks, virtual_rank, shape.count}; }
  WriterRoom room(std::int64_t steps, std::int64_t side_slots = 0) const { return {memory, steps, side_slots}; }
};

struct Algorithm {
  std::int32_t id;        // stable: stored in databases and policies
  const char* name;       // lower_snake
  const char* what;       // it does: a sentence without its subject
  const char* trade_off;  // one line
  std::span<const Parameter> parameters;
  bool keeps_rank_order;  // legal for non-commutative operations (with the identity table)
  // The row combines as recursive_doubling does, whatever the parameters and arrivals: with the identity table all such
  // rows give the same bits. Through shared memory `node` does so in reproducible mode, or where nobody is late.
  bool fixed_association = false;
  bool uses_arrivals;               // its schedule depends on lateness_ns
  bool uses_only_any_late = false;  // ... only on whether anybody is late
  // The schedule depends on Shape::topology, and is worth trying where this holds. Null: it does not depend on it.
  bool (*suits_topology)(const Topology* topology) = nullptr;
  // Returns whether the number of messages that follow each other grows with the ranks, as along a ring or chain. Null:
  // it does not, but at most with their logarithm.
  bool (*chains_ranks)(const ParameterValues& parameters) = nullptr;
  bool takes_turns_in_nodes = false;  // as many messages follow each other within a node as it has ranks
  std::int64_t (*scratch_elements)(const Shape& shape) = nullptr;  // as scratchElements(); null: one vector
  bool (*is_valid)(const Shape& shape) = nullptr;                  // null: always valid
  Schedule (*build)(const BuildRequest& request);                  // null: `native`, which has no schedule
  // Returns the most steps that any rank's schedule has, whoever is late; equal on all ranks. Null where `build` is.
  std::int64_t (*max_steps)(const Shape& shape, const ParameterValues& parameters) = nullptr;
  // Returns whether some of its sends wait for their receivers: Schedule::synchronous. Null: none does.
  bool (*keeps_in_step)(const ParameterValues& parameters) = nullptr;
  bool has_side_slots = false;  // at most one less than there are ranks
  // Returns the most bytes that the builder needs beside its writer, equal on all ranks as max_steps is. Null: none to
  // speak of.
  std::int64_t (*work_bytes)(const Shape& shape, const ParameterValues& parameters) = nullptr;
  // Returns the segments by the closed form of the cost, for n b / a of the vector; nothing where there are none with
  // these parameters. Null: the default is as good as any.
  std::optional<double> (*best_segments)(const Shape& shape, const ParameterValues& parameters,
                                         double transfers) = nullptr;
  // Returns the chunks (kChunksParameter) that are worth their messages, where n b / a of the vector is `transfers`,
  // and `copies` what copying it in and out, and combining it, takes in the memory of a node, over a. Null: there is no
  // such parameter.
  double (*best_chunks)(const Shape& shape, const ParameterValues& parameters, double transfers,
                        double copies) = nullptr;
  const char* valid_text;  // is_valid for people
  const char* cost;        // steps and bytes on the wire; P ranks, n bytes, S segments, a/b/g = alpha/beta/gamma
  const char* source;      // paper, section
  // The algorithm of Open MPI's coll_tuned_allreduce_algorithm that does the same, or comes nearest; "ignore" is its
  // own choice.
  const char* openmpi_nearest;
  bool openmpi_is_same = false;
};

inline constexpr std::int32_t kNativeAlgorithm = 0;
// These need no schedule where ranks share memory.
inline constexpr std::int32_t kNodeAlgorithm = 15;
inline constexpr std::int32_t kNodeReadAlgorithm = 16;
inline bool runsInMemory(std::int32_t algorithm) {
  return algorithm == kNodeAlgorithm || algorithm == kNodeReadAlgorithm;
}
// Returns whether the ranks may do what the row wants of them where all share the memory of one node.
bool isAllowed(const Algorithm& algorithm, const Topology& topology);

// Returns all rows, ascending by id. The first is `native`. THREADS: any.
std::span<const Algorithm> catalogue();

// These return the most elements of scratch memory that a rank needs for this row, or for any row.
std::int64_t scratchElements(const Algorithm& algorithm, const Shape& shape);
std::int64_t mostScratchElements(const Shape& shape);

// Returns nullptr when there is no such row.
const Algorithm* findAlgorithm(std::string_view name);
const Algorithm* findAlgorithm(std::int32_t id);

// A row that has this parameter goes through the memory of a node where its ranks share it and this is not 0.
inline constexpr const char* kMemoryParameter = "memory";

// A row that has this parameter cuts what each rank owns into so many parts, which follow each other.
inline constexpr const char* kChunksParameter = "chunks";

// Returns the parameter's place in the row; empty where the row has none of that name.
std::optional<std::size_t> findParameter(const Algorithm& algorithm, std::string_view name);

// Rows that cut the vector into parts which follow each other have this parameter.
inline constexpr std::string_view kSegmentsParameter = "segments";

// Returns whether the row has such parts with these parameters.
bool hasSegments(const Algorithm& algorithm, const ParameterValues& parameters);

ParameterValues defaultParameters(const Algorithm& algorithm);

// Returns what the row's schedule depends on of these latenesses: all, nothing, or one that says that somebody is late.
std::span<const std::int64_t> relevantLateness(const Algorithm& algorithm, std::span<const std::int64_t> lateness_ns);

// Returns whether the row may run on this shape: it keeps rank order where the operation needs that, and its own
// condition holds.
bool isValid(const Algorithm& algorithm, const Shape& shape);

// An algorithm with parameter values, as users write it: "slt:segments=64,window=8". Parameters not named have their
// defaults. Errors name the unknown word and list the known ones.
struct Choice {
  std::int32_t algorithm = kNativeAlgorithm;
  ParameterValues parameters{};

  bool operator==(const Choice&) const = default;
};
inline constexpr Choice kNativeChoice{};
Result<Choice> parseChoice(std::string_view text);
// Writes what parseChoice() reads; parameters at their defaults are left out.
std::string formatChoice(const Choice& choice);

// Returns whether some of the choice's sends wait for their receivers.
bool keepsInStep(const Choice& choice);

// Returns whether the choice goes through the memory of nodes where BuildRequest::nodes_share_memory holds.
bool usesMemoryOfNodes(const Choice& choice);

// Builds one rank's schedule. REQUIRES: the row has a builder, isValid(), parameters within their ranges.
// Memory and time are linear in the steps of this rank. Count 0 and one rank give a schedule without steps.
Schedule buildSchedule(const Algorithm& algorithm, const BuildRequest& request);

}  // namespace starling
