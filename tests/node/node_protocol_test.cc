// Explores every order in which the ranks' steps may follow each other, in a model of what src/node/node_allreduce.h,
// node_chunks.h and node_reads.h say of their flags: that nothing is read before it is there, nothing overwritten that
// somebody still reads, and nobody waits for ever.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "node/node_layout.h"

namespace starling {
namespace {

constexpr std::int32_t kRanks = 3;

// One step of a rank's program. Places hold the number of the call or chunk that was written there last.
struct Operation {
  enum class Kind : std::uint8_t { kWrite, kRaise, kWait, kBeginReading, kEndReading };
  Kind kind;
  std::size_t object = 0;  // a place or a flag
  std::int32_t value = 0;  // that is written, waited for, or expected
};
using Program = std::vector<Operation>;
using Kind = Operation::Kind;

struct State {
  std::vector<std::size_t> next = std::vector<std::size_t>(kRanks);  // step of each rank
  std::vector<std::int32_t> places;
  std::vector<std::int32_t> flags;

  // What the programs have written follows from where they are.
  std::uint64_t code() const {
    std::uint64_t code = 0;
    for (const std::size_t step : next) code = code << 16 | step;
    return code;
  }
};

// Returns what goes wrong in some order of steps; "" where nothing does.
class Explorer {
 public:
  Explorer(std::vector<Program> programs, std::size_t places, std::size_t flags) : programs_(std::move(programs)) {
    State first;
    first.places.resize(places);
    first.flags.resize(flags);
    explore(first);
  }
  const std::string& fault() const { return fault_; }
  std::size_t states() const { return seen_.size(); }

 private:
  void explore(const State& first) {
    std::vector<State> open{first};
    while (!open.empty() && fault_.empty()) {
      const State state = std::move(open.back());
      open.pop_back();
      if (!seen_.insert(state.code()).second) continue;
      bool is_stuck = true;
      bool is_over = true;
      for (std::size_t rank = 0; rank < kRanks; ++rank) {
        if (state.next[rank] == programs_[rank].size()) continue;
        is_over = false;
        State after = state;
        if (!take(after, rank)) continue;
        is_stuck = false;
        open.push_back(std::move(after));
      }
      if (is_stuck && !is_over) fault_ = "the ranks wait for ever";
    }
  }

  // Takes the rank's next step; returns false where it has to wait.
  bool take(State& state, std::size_t rank) {
    const Operation& operation = programs_[rank][state.next[rank]];
    switch (operation.kind) {
      case Kind::kWrite:
        state.places[operation.object] = operation.value;
        break;
      case Kind::kRaise:
        state.flags[operation.object] = operation.value;
        break;
      case Kind::kWait:
        if (state.flags[operation.object] < operation.value) return false;
        break;
      case Kind::kBeginReading:
      case Kind::kEndReading:
        if (state.places[operation.object] != operation.value) {
          fault_ = "rank " + std::to_string(rank) + " reads what belongs to " +
                   std::to_string(state.places[operation.object]) + ", not " + std::to_string(operation.value);
        }
    }
    ++state.next[rank];
    return true;
  }

  std::vector<Program> programs_;
  std::unordered_set<std::uint64_t> seen_;
  std::string fault_;
};

void read(Program& program, std::size_t place, std::int32_t value) {
  program.push_back({Kind::kBeginReading, place, value});
  program.push_back({Kind::kEndReading, place, value});
}

// Every rank writes its slot and reads all others.
Explorer exploreSlots(std::int32_t calls, std::size_t sets) {
  const auto slot = [&](std::int32_t rank, std::int32_t call) {
    return static_cast<std::size_t>(rank) * sets + static_cast<std::size_t>(call) % sets;
  };
  std::vector<Program> programs(kRanks);
  for (std::int32_t rank = 0; rank < kRanks; ++rank) {
    Program& program = programs[static_cast<std::size_t>(rank)];
    for (std::int32_t call = 1; call <= calls; ++call) {
      program.push_back({Kind::kWrite, slot(rank, call), call});
      program.push_back({Kind::kRaise, slot(rank, call), call});
      for (std::int32_t other = 0; other < kRanks; ++other) {
        if (other == rank) continue;
        program.push_back({Kind::kWait, slot(other, call), call});
        read(program, slot(other, call), call);
      }
    }
  }
  return {programs, kRanks * sets, kRanks * sets};
}

// The way of many ranks, with small groups: rank 0 combines its own slot and that of rank 1, then that with the slot of
// rank 2, and hands the result to all.
Explorer exploreGroups(std::int32_t calls, std::size_t sets) {
  const auto slot = [&](std::int32_t index, std::int32_t call) {
    return static_cast<std::size_t>(index) * sets + static_cast<std::size_t>(call) % sets;
  };
  constexpr std::int32_t kPartial = 3;  // of ranks 0 and 1, which rank 0 combines
  constexpr std::int32_t kResult = 4;
  std::vector<Program> programs(kRanks);
  const auto post = [&](Program& program, std::int32_t index, std::int32_t call) {
    program.push_back({Kind::kWrite, slot(index, call), call});
    program.push_back({Kind::kRaise, slot(index, call), call});
  };
  const auto take = [&](Program& program, std::int32_t index, std::int32_t call) {
    program.push_back({Kind::kWait, slot(index, call), call});
    read(program, slot(index, call), call);
  };
  for (std::int32_t call = 1; call <= calls; ++call) {
    for (std::int32_t rank = 0; rank < kRanks; ++rank) post(programs[static_cast<std::size_t>(rank)], rank, call);
    take(programs[0], 1, call);
    post(programs[0], kPartial, call);
    take(programs[0], 2, call);
    post(programs[0], kResult, call);
    for (Program& program : programs) take(program, kResult, call);
  }
  return {programs, 5 * sets, 5 * sets};
}

using Ranks = std::vector<std::int32_t>;
const Ranks kAll{0, 1, 2};
const Ranks kNone;

bool isAmong(const Ranks& ranks, std::int32_t rank) { return std::ranges::find(ranks, rank) != ranks.end(); }

// One pass of a call, as in NodeChunks.
struct Pass {
  Ranks contributors;
  bool hands_out = true;
};

// The steps of NodeChunks::run(), and of its halves. The owners have a part of each chunk.
class ChunkModel {
 public:
  ChunkModel(std::int32_t calls, std::int32_t chunks, const std::vector<Pass>& passes, Ranks owners = kAll,
             std::size_t sets = NodeLayout::kSets)
      : chunks_(chunks), owners_(std::move(owners)), sets_(sets) {
    std::vector<Program> programs(kRanks);
    std::int32_t next = 1;
    for (std::int32_t call = 0; call < calls; ++call) {
      first_of_call_ = next;
      for (const Pass& pass : passes) {
        for (std::int32_t rank = 0; rank < kRanks; ++rank)
          run(programs[static_cast<std::size_t>(rank)], rank, pass, next);
        next += chunks;
      }
    }
    const std::size_t contributions = kRanks * sets_;
    explorer_.emplace_back(programs, contributions + kRanks * sets_, 2 * kRanks);
  }
  const Explorer& explorer() const { return explorer_.front(); }

 private:
  void run(Program& program, std::int32_t rank, const Pass& pass, std::int32_t first) const {
    if (!pass.hands_out && !isAmong(pass.contributors, rank)) return;
    copyIn(program, rank, pass, first, 0);
    if (chunks_ > 1) copyIn(program, rank, pass, first, 1);
    for (std::int32_t i = 0; i <= chunks_; ++i) {
      if (i < chunks_) combine(program, rank, pass, first + i);
      if (i > 0 && pass.hands_out) copyOut(program, rank, first + i - 1);
      if (i + 2 < chunks_) copyIn(program, rank, pass, first, i + 2);
    }
  }
  void copyIn(Program& program, std::int32_t rank, const Pass& pass, std::int32_t first, std::int32_t index) const {
    const auto sets = static_cast<std::int32_t>(sets_);
    const std::int32_t chunk = first + index;
    const bool puts_something = !pass.contributors.empty();
    if (puts_something && (!pass.hands_out || index < sets) && chunk - sets >= first_of_call_) {
      for (const std::int32_t owner : owners_) program.push_back({Kind::kWait, combined(owner), chunk - sets});
    }
    if (isAmong(pass.contributors, rank)) program.push_back({Kind::kWrite, contribution(rank, chunk), chunk});
    program.push_back({Kind::kRaise, copiedIn(rank), chunk});
  }
  void combine(Program& program, std::int32_t rank, const Pass& pass, std::int32_t chunk) const {
    if (!isAmong(owners_, rank)) return;
    for (const std::int32_t other : pass.hands_out ? kAll : pass.contributors) {
      if (other != rank) program.push_back({Kind::kWait, copiedIn(other), chunk});
    }
    for (const std::int32_t other : pass.contributors) {
      if (other != rank) read(program, contribution(other, chunk), chunk);
    }
    if (pass.hands_out) program.push_back({Kind::kWrite, part(rank, chunk), chunk});
    program.push_back({Kind::kRaise, combined(rank), chunk});
  }
  void copyOut(Program& program, std::int32_t rank, std::int32_t chunk) const {
    for (const std::int32_t other : owners_) {
      if (other == rank) continue;
      program.push_back({Kind::kWait, combined(other), chunk});
      read(program, part(other, chunk), chunk);
    }
  }

  std::size_t setOf(std::int32_t rank, std::int32_t chunk) const {
    return static_cast<std::size_t>(rank) * sets_ + static_cast<std::size_t>(chunk) % sets_;
  }
  std::size_t contribution(std::int32_t rank, std::int32_t chunk) const { return setOf(rank, chunk); }
  std::size_t part(std::int32_t rank, std::int32_t chunk) const { return kRanks * sets_ + setOf(rank, chunk); }
  static std::size_t copiedIn(std::int32_t rank) { return static_cast<std::size_t>(rank); }
  static std::size_t combined(std::int32_t rank) { return static_cast<std::size_t>(kRanks + rank); }

  std::int32_t chunks_;  // of a pass
  Ranks owners_;
  std::size_t sets_;
  std::int32_t first_of_call_ = 1;
  std::vector<Explorer> explorer_;
};

// The steps of NodeReads::allreduce(). Each rank's program writes its vector before the call, and over its result after
// it.
Explorer exploreReads(std::int32_t calls, std::int32_t pieces, bool waits_at_the_end) {
  const auto vector = [](std::int32_t rank) { return static_cast<std::size_t>(rank); };
  const auto part = [&](std::int32_t rank, std::int32_t piece) {
    return static_cast<std::size_t>(kRanks + rank * pieces + piece);
  };
  const std::int32_t steps = pieces + 3;
  std::vector<Program> programs(kRanks);
  for (std::int32_t rank = 0; rank < kRanks; ++rank) {
    Program& program = programs[static_cast<std::size_t>(rank)];
    const auto say = [&](std::int32_t step) { program.push_back({Kind::kRaise, vector(rank), step}); };
    const auto await = [&](std::int32_t other, std::int32_t step) {
      if (other != rank) program.push_back({Kind::kWait, vector(other), step});
    };
    for (std::int32_t call = 1; call <= calls; ++call) {
      const std::int32_t said = (call - 1) * steps;
      program.push_back({Kind::kWrite, vector(rank), call});
      for (const std::int32_t step : {1, 2}) {
        say(said + step);
        for (const std::int32_t other : kAll) await(other, said + step);
      }
      for (std::int32_t piece = 0; piece <= pieces; ++piece) {
        if (piece < pieces) {
          for (const std::int32_t other : kAll) read(program, vector(other), call);
          program.push_back({Kind::kWrite, part(rank, piece), call});
          say(said + 3 + piece);
        }
        for (std::int32_t other = 0; piece > 0 && other < kRanks; ++other) {
          await(other, said + 2 + piece);
          read(program, part(other, piece - 1), call);
        }
      }
      say(said + steps);
      for (std::int32_t other = 0; waits_at_the_end && other < kRanks; ++other) await(other, said + steps);
      for (std::int32_t piece = 0; piece < pieces; ++piece) program.push_back({Kind::kWrite, part(rank, piece), -call});
    }
  }
  return {programs, static_cast<std::size_t>(kRanks + kRanks * pieces), kRanks};
}

TEST(NodeProtocol, isSafeWhereVectorsAreReadInPlace) {
  for (const std::int32_t pieces : {1, 2}) {
    const Explorer explorer = exploreReads(2, pieces, true);
    EXPECT_EQ(explorer.fault(), "") << pieces;
    EXPECT_GT(explorer.states(), 1000u) << pieces;
  }
}

TEST(NodeProtocol, wouldNotBeSafeWhereRanksLeaveBeforeTheirResultsAreRead) {
  EXPECT_NE(exploreReads(2, 1, false).fault(), "");
}

TEST(NodeProtocol, isSafeWithTwoSetsOfSlots) {
  const Explorer explorer = exploreSlots(4, 2);
  EXPECT_EQ(explorer.fault(), "");
  EXPECT_GT(explorer.states(), 1000u);
}

// The model can fail: it does where a rank may overtake another one.
TEST(NodeProtocol, wouldNotBeSafeWithOneSetOfSlots) { EXPECT_NE(exploreSlots(4, 1).fault(), ""); }

TEST(NodeProtocol, isSafeWhereGroupsAreCombined) {
  const Explorer explorer = exploreGroups(4, 2);
  EXPECT_EQ(explorer.fault(), "");
  EXPECT_GT(explorer.states(), 500u);
}

TEST(NodeProtocol, isSafeWithThreeSetsOfBuffers) {
  const ChunkModel model(2, 4, {{kAll}});
  EXPECT_EQ(model.explorer().fault(), "");
  EXPECT_GT(model.explorer().states(), 10'000u);
}

TEST(NodeProtocol, isSafeForCallsOfOneChunk) {
  const ChunkModel model(5, 1, {{kAll}});
  EXPECT_EQ(model.explorer().fault(), "");
}

TEST(NodeProtocol, wouldNotBeSafeWithTwoSetsOfBuffers) {
  const ChunkModel model(1, 4, {{kAll}}, kAll, 2);
  EXPECT_NE(model.explorer().fault(), "");
}

// Ranks in time combine before the late one comes.
TEST(NodeProtocol, isSafeWhereARankIsLate) {
  for (const std::int32_t chunks : {1, 2, 4}) {
    const ChunkModel model(2, chunks, {{{0, 1}, false}, {{2}}}, {0, 1});
    EXPECT_EQ(model.explorer().fault(), "") << chunks;
    EXPECT_GT(model.explorer().states(), 200u) << chunks;
  }
}

TEST(NodeProtocol, isSafeInTwoHalves) {
  for (const std::int32_t chunks : {1, 2, 4}) {
    for (const Ranks& owners : {kAll, Ranks{1}, Ranks{2, 0}}) {
      const ChunkModel model(2, chunks, {{kAll, false}, {kNone}}, owners);
      EXPECT_EQ(model.explorer().fault(), "") << chunks << ", " << owners.size();
    }
  }
}

TEST(NodeProtocol, wouldNotBeSafeInTwoHalvesWithTwoSetsOfBuffers) {
  const ChunkModel model(1, 4, {{kAll, false}, {kNone}}, kAll, 2);
  EXPECT_NE(model.explorer().fault(), "");
}

}  // namespace
}  // namespace starling
