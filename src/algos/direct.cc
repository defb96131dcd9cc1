// Runs directly, in rank order: each rank sends its contribution to every block straight to the block's owner, which
// keeps them apart until it can combine them in a fixed binary association of the ranks. Who is late changes when
// something is combined, never with what. Siblings that are there are combined while the owner waits, so that after the
// last contribution only the path from its leaf to the root is left. Results go round a ring.
//
// Owners stand in a circle, and everybody serves them from its own place on: in each step every owner has one sender.
// Ranks that come late own less or nothing (ownership.h), and serve from places spread evenly over the circle. Their
// contributions follow each other in small segments round the circle, one segment of every block and then the next, so
// that segments of the result go out while later ones come.
#include <algorithm>
#include <compare>
#include <limits>
#include <span>
#include <vector>

#include "algos/fold.h"
#include "algos/ownership.h"
#include "algos/row.h"
#include "schedule/schedule_writer.h"

namespace starling {
namespace {

constexpr std::int64_t kLongestVector = 1'000'000'000'000'000;  // ns

// Without the time of a block nobody counts as late, and nothing is cut.
std::int64_t directSegments(const Shape& shape, const ParameterValues& parameters) {
  return parameters[1] == 0 ? 1 : Ownership::maxSegments(shape.ranks, shape.count, parameters[0]);
}

// Each segment goes to every owner, comes from every rank and is combined with all; results come and are passed on.
std::int64_t directSteps(const Shape& shape, const ParameterValues& parameters) {
  return 5 * (shape.ranks - 1) * directSegments(shape, parameters);
}

class Direct {
 public:
  Direct(const BuildRequest& request, std::int32_t segments, std::int64_t tau_ns)
      : ranks_(request.shape.ranks),
        self_(request.virtual_rank),
        lateness_ns_(request.lateness_ns),
        vector_ns_(std::min(ranks_ * tau_ns, kLongestVector)),
        ownership_(ranks_, request.shape.count, segments, lateness_ns_, vector_ns_, request.memory),
        segments_(ownership_.segments()),
        fold_(ranks_),
        memory_(request.memory),
        owners_(ownersIn(ownership_, ranks_, memory_)),
        writer_(request.seat(), segments_ * (1 + ranks_), request.room(steps(), ranks_ - 1)),
        places_(memory_),
        ring_(memory_),
        last_(memory_) {
    placeRanks();
    // All contributions have a place of their own, so whoever comes first is taken first.
    writer_.setLaneWindow(kReduceLane, std::numeric_limits<std::int32_t>::max());
    writer_.setLanePacing(kDistributeLane, 1);
    writer_.keepInStep(kDistributeLane);
    if (ownedBy(self_).count > 0) writer_.addSideSlots(ranks_ - 1, ownedBy(self_));
  }

  Schedule build() && {
    contribute();
    exchange();
    return std::move(writer_).finish();
  }

 private:
  // Stands for the combination of consecutive ranks' contributions to this rank's block.
  struct Operand {
    std::int32_t slot;
    bool in_segments;
  };

  bool isInSegments(std::int32_t rank) const { return ownership_.contributionOf(rank) != Contribution::kWhole; }
  bool isLast(std::int32_t rank) const { return ownership_.contributionOf(rank) == Contribution::kLast; }
  Block ownedBy(std::int32_t rank) const { return ownership_.blockOf(rank); }
  Block segment(std::int32_t owner, std::int32_t index) const { return ownership_.blockOf(owner, index); }
  // Returns how many messages the rank sends to each owner.
  std::int32_t messagesFrom(std::int32_t rank) const { return isInSegments(rank) ? segments_ : 1; }

  static std::pmr::vector<std::int32_t> ownersIn(const Ownership& ownership, std::int32_t ranks,
                                                 std::pmr::memory_resource* memory) {
    std::pmr::vector<std::int32_t> owners(memory);
    owners.reserve(static_cast<std::size_t>(ranks));
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      if (ownership.blockOf(rank).count > 0) owners.push_back(rank);
    }
    return owners;
  }

  enum class Senders : std::uint8_t { kBeforeLast, kAll };

  // Counts the messages of this rank with the contributions of such ranks.
  std::int64_t contributions(Senders senders) const {
    const auto counts = [&](std::int32_t rank) { return senders == Senders::kAll || !isLast(rank); };
    const bool owns = ownedBy(self_).count > 0;
    std::int64_t messages = counts(self_) ? (std::ssize(owners_) - (owns ? 1 : 0)) * messagesFrom(self_) : 0;
    for (std::int32_t rank = 0; rank < ranks_ && owns; ++rank) {
      if (rank != self_ && counts(rank)) messages += messagesFrom(rank);
    }
    return messages;
  }

  // Returns an upper bound. Only those combinations are made in segments that have a contribution in segments below
  // them.
  std::int64_t steps() const {
    std::int64_t in_segments = 0;
    for (std::int32_t rank = 0; rank < ranks_; ++rank) in_segments += isInSegments(rank) ? 1 : 0;
    const std::int64_t others = ranks_ - 1;
    const std::int64_t combined_in_segments = std::min(others, in_segments * (ceilLog2(ranks_) + 1));
    return contributions(Senders::kAll) + others + (segments_ - 1) * combined_in_segments + 2 * others * segments_;
  }

  void placeRanks() {
    places_.reserve(static_cast<std::size_t>(ranks_));
    const std::int64_t owners = std::ssize(owners_);
    const std::int64_t others = ranks_ - owners;
    std::int64_t owners_before = 0;
    for (std::int32_t rank = 0; rank < ranks_; ++rank) {
      const bool owns = ownedBy(rank).count > 0;
      places_.push_back(owns ? owners_before : (rank - owners_before) * owners / others);
      if (owns) ++owners_before;
    }
  }

  // Returns in which step round the circle, from 0 on, the rank serves that owner. An owner comes to itself last.
  std::int64_t stepTo(std::int32_t owner, std::int32_t rank) const {
    const std::int64_t owners = std::ssize(owners_);
    return (places_[owner] - places_[rank] - 1 + owners) % owners;
  }

  // A contribution that comes before the last ranks do.
  struct Message {
    std::int64_t time;  // when it is expected to go: once both are there, and in the order round the circle
    std::int32_t source;
    std::int32_t owner;
    std::int32_t index;

    auto operator<=>(const Message&) const = default;
  };

  void expect(std::int32_t source, std::int32_t owner, std::pmr::vector<Message>& messages) const {
    if (source == owner) return;
    const std::int64_t both_there =
        lateness_ns_.empty() || segments_ == 1 ? 0 : std::max(lateness_ns_[source], lateness_ns_[owner]);
    const std::int64_t steps = messagesFrom(source) * std::ssize(owners_);
    for (std::int32_t index = 0; index < messagesFrom(source); ++index) {
      const std::int64_t step = index * std::ssize(owners_) + stepTo(owner, source);
      messages.push_back({both_there + step * (vector_ns_ / steps), source, owner, index});
    }
  }

  // Writes the messages in one order of all of them that every rank follows, so that there is no deadlock.
  void contribute() {
    std::pmr::vector<Message> messages(memory_);
    messages.reserve(static_cast<std::size_t>(contributions(Senders::kBeforeLast)));
    if (!isLast(self_)) {
      for (const std::int32_t owner : owners_) expect(self_, owner, messages);
    }
    if (ownedBy(self_).count > 0) {
      for (std::int32_t rank = 0; rank < ranks_; ++rank) {
        if (!isLast(rank)) expect(rank, self_, messages);
      }
    }
    std::sort(messages.begin(), messages.end());
    for (const auto& [time, source, owner, index] : messages) {
      const Block block = isInSegments(source) ? segment(owner, index) : ownedBy(owner);
      if (source == self_) {
        writer_.send(block, owner, index, kReduceLane);
      } else {
        writer_.receive(block, source, index, kReduceLane, slotOf(source));
      }
    }
  }

  std::int32_t slotOf(std::int32_t rank) const { return rank == self_ ? 0 : rank < self_ ? rank + 1 : rank; }

  // Combines one segment of everybody's contributions; with the first segment, all of what did not come in segments.
  void combinePart(std::int32_t index) { combineLeaves(0, fold_.power(), index); }

  // Combines in the association of recursive doubling: pairs where the fold has them, then a balanced tree over its
  // positions.
  Operand combineLeaves(std::int32_t first, std::int32_t last, std::int32_t index) {
    if (last - first > 1) {
      const std::int32_t middle = (first + last) / 2;
      const Operand left = combineLeaves(first, middle, index);
      return combine(left, combineLeaves(middle, last, index), index);
    }
    const std::int32_t rank = fold_.rankAt(first);
    return fold_.isInPair(rank) ? combine(leaf(rank - 1), leaf(rank), index) : leaf(rank);
  }

  Operand leaf(std::int32_t rank) const { return {slotOf(rank), isInSegments(rank) && rank != self_}; }

  // Combines into the left one's slot, but into the work vector where that holds the right one.
  Operand combine(const Operand& left, const Operand& right, std::int32_t index) {
    const bool in_segments = left.in_segments || right.in_segments;
    const bool keeps_right = right.slot == 0;
    const std::int32_t target = keeps_right ? right.slot : left.slot;
    if (in_segments || index == 0) {
      writer_.combine(in_segments ? segment(self_, index) : ownedBy(self_), keeps_right ? left.slot : right.slot,
                      target, keeps_right ? OperandOrder::kIncomingLeft : OperandOrder::kIncomingRight);
    }
    return {target, in_segments};
  }

  // Once the last ranks are there, the others stand in a ring, round which the results go, and each of the last ranks
  // steps into one gap of it after another: there it gives its contribution to the rank that comes next on the ring and
  // takes the result of the one before, while these two have nothing for each other. A round is P - 1 steps, in each of
  // which a rank on the ring has one message to send and one to receive: m with the last ranks and P - m - 1 along the
  // ring. The results of a segment follow in the round after its contributions. All keep in step: where one runs ahead
  // several meet at one receiver. The ring has two ranks at least: Ownership lets two fifths be last at most.
  void exchange() {
    ring_.reserve(static_cast<std::size_t>(ranks_));
    last_.reserve(static_cast<std::size_t>(ranks_));
    for (std::int32_t rank = 0; rank < ranks_; ++rank) {
      std::pmr::vector<std::int32_t>& group = isLast(rank) ? last_ : ring_;
      if (rank == self_) place_ = static_cast<std::int32_t>(std::ssize(group));
      group.push_back(rank);
    }
    const std::int32_t first = last_.empty() ? 1 : 0;
    for (std::int32_t round = first; round <= segments_; ++round) {
      if (round > 0 && !isLast(self_)) combinePart(round - 1);
      for (std::int32_t step = 0; step < ranks_ - 1; ++step) exchangeIn(round, step);
    }
  }

  std::int32_t after(std::int32_t place) const { return place + 1 == ringSize() ? 0 : place + 1; }
  std::int32_t before(std::int32_t place) const { return (place == 0 ? ringSize() : place) - 1; }
  std::int32_t ringSize() const { return static_cast<std::int32_t>(std::ssize(ring_)); }

  void exchangeIn(std::int32_t round, std::int32_t step) {
    if (isLast(self_)) {
      const std::int32_t place = step - place_;
      if (place < 0 || place >= ringSize()) return;
      contributeLast(round, self_, ring_[place]);
      giveResult(round, ring_[before(place)], self_);
    } else {
      meet(round, step, place_, after(place_));
      meet(round, step, before(place_), place_);
    }
  }

  // Writes what passes between two neighbours on the ring in a step, or between them and the rank that stands in the
  // gap.
  void meet(std::int32_t round, std::int32_t step, std::int32_t from, std::int32_t to) {
    const std::int32_t late = step - to;
    if (late >= 0 && late < std::ssize(last_)) {
      if (ring_[to] == self_) contributeLast(round, last_[late], self_);
      if (ring_[from] == self_) giveResult(round, self_, last_[late]);
      return;
    }
    const std::int32_t hop = step < to ? step : step - static_cast<std::int32_t>(std::ssize(last_));
    const std::int32_t owner = (from - hop + ringSize()) % ringSize();
    if (round > 0) pass(ring_[owner], round - 1, ring_[from], ring_[to], hop + 1);
  }

  // Writes the message from one of the last ranks to an owner.
  void contributeLast(std::int32_t index, std::int32_t source, std::int32_t owner) {
    if (index == segments_) return;
    if (source == self_) {
      writer_.send(segment(owner, index), owner, index, kDistributeLane);
    } else {
      writer_.receive(segment(self_, index), source, index, kDistributeLane, slotOf(source));
    }
  }

  void giveResult(std::int32_t round, std::int32_t owner, std::int32_t target) {
    if (round > 0) pass(owner, round - 1, owner, target, 0);
  }

  // Writes the message that passes on an owner's segment of the result.
  void pass(std::int32_t owner, std::int32_t index, std::int32_t source, std::int32_t target, std::int32_t hop) {
    const std::int32_t tag = segments_ + index * ranks_ + hop;
    if (source == self_) {
      writer_.send(segment(owner, index), target, tag, kDistributeLane);
    } else {
      writer_.receive(segment(owner, index), source, tag, kDistributeLane);
    }
  }

  std::int32_t ranks_;
  std::int32_t self_;
  std::span<const std::int64_t> lateness_ns_;
  std::int64_t vector_ns_;
  Ownership ownership_;
  std::int32_t segments_;
  Fold fold_;
  std::pmr::memory_resource* memory_;
  std::pmr::vector<std::int32_t> owners_;
  ScheduleWriter writer_;
  std::pmr::vector<std::int64_t> places_;  // on the circle of owners, by rank
  std::pmr::vector<std::int32_t> ring_;
  std::pmr::vector<std::int32_t> last_;
  std::int32_t place_ = 0;  // in ring_ or last_
};

std::int64_t directWorkBytes(const Shape& shape, const ParameterValues& parameters) {
  const std::int64_t segments = directSegments(shape, parameters);
  constexpr std::int64_t kBytesPerMessage = 24;
  const std::int64_t by_rank = 3 * sizeof(std::int32_t) + sizeof(std::int64_t) + 2 * segments * kBytesPerMessage;
  return Ownership::bytesFor(shape.ranks, segments) + shape.ranks * by_rank;
}

Schedule buildDirect(const BuildRequest& request) {
  return Direct(request, static_cast<std::int32_t>(request.parameters[0]), request.parameters[1]).build();
}

// Returns the S for which (S + 1) (P a + n b / S) is least.
std::optional<double> bestDirectSegments(const Shape& shape, const ParameterValues&, double transfers) {
  return std::sqrt(transfers / shape.ranks);
}

// An owner holds everybody's segment of its share. Shares of a short vector are rounded up, to so many elements at
// most.
std::int64_t directScratch(const Shape& shape) {
  constexpr std::int64_t kSideElementsPerRank = 5;
  return std::max(3 * shape.count, kSideElementsPerRank * shape.ranks);
}

// With more ranks a schedule takes too much memory, whatever the segments.
bool hasFewEnoughRanksForDirect(const Shape& shape) { return shape.ranks <= 4096; }

constexpr Parameter kDirectParameters[] = {
    {"segments", 1, 1024, 16, "",
     "segments of the vector that late ranks send one after another; best: sqrt(n b/(a P))"},
    {"tau_ns", 0, 1'000'000'000'000, 0, "ns", "time to transfer one of P equal blocks; 0 = equal owners, all in time"},
    {"window", 1, 64, 1, "", "receives posted ahead once the last ranks are there; all contributions before that are"},
    {"pacing", 1, 64, 4, "", "contributions in flight before the last ranks are there"},
    kFlagged};

}  // namespace

constexpr Algorithm kDirectRow{
    .id = 9,
    .name = "direct",
    .what =
        "lets each rank send its segment of every block straight to the block's owner, which combines the segments in "
        "a "
        "fixed order of ranks; results go round a ring.",
    .trade_off =
        "in rank order and with the same bits whoever is late, at about one vector's time after any number of "
        "late ranks; P messages per rank and segment, and memory for up to three vectors more",
    .parameters = kDirectParameters,
    .keeps_rank_order = true,
    .fixed_association = true,
    .uses_arrivals = true,
    .chains_ranks = always,
    .scratch_elements = directScratch,
    .is_valid = hasFewEnoughRanksForDirect,
    .build = buildDirect,
    .max_steps = directSteps,
    .keeps_in_step = always,
    .has_side_slots = true,
    .work_bytes = directWorkBytes,
    .best_segments = bestDirectSegments,
    .valid_text = "up to 4096 ranks, any count",
    .cost = "as ring when nobody is late; after m late ranks (S + 1) (P a + n b/S (P-1)/(P-m))",
    .source = "own; balanced the all-to-all reduction of Marendic 2012, section 5, with an allgather",
    .openmpi_nearest = "ring"};

}  // namespace starling
