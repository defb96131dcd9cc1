// Planted faults: each must be caught, and the sentence must say where.
#include "schedule/verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedule/schedule_writer.h"
#include "schedules.h"

namespace starling {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr OperandOrder kLeft = OperandOrder::kIncomingLeft;
constexpr OperandOrder kRight = OperandOrder::kIncomingRight;

std::string faultOf(std::span<const Schedule> schedules, bool keeps_rank_order = false) {
  const Status status = verify(schedules, {.keeps_rank_order = keeps_rank_order});
  return status.isOk() ? "no fault" : status.message();
}

// Two ranks' schedules by hand: `write` gets the writer and the rank.
template <typename Write>
std::vector<Schedule> twoRanks(std::int64_t count, const Write& write) {
  std::vector<Schedule> schedules;
  for (const std::int32_t rank : {0, 1}) {
    ScheduleWriter writer({2, rank, count}, 10);
    write(writer, rank);
    schedules.push_back(std::move(writer).finish());
  }
  return schedules;
}

TEST(Verifier, acceptsAnExchangeOfTheSameBlock) {
  const auto schedules = twoRanks(8, [](ScheduleWriter& writer, std::int32_t rank) {
    writer.send({0, 8}, 1 - rank, 0);
    writer.reduce({0, 8}, 1 - rank, rank == 0 ? kRight : kLeft, 0);
  });
  EXPECT_EQ(faultOf(schedules, true), "no fault");
}

TEST(Verifier, catchesASendWithoutReceiver) {
  auto schedules = schedulesOf("ring", 4, 8);
  ASSERT_EQ(schedules[2].steps.back().kind, StepKind::kReceive);
  schedules[2].steps.pop_back();
  EXPECT_THAT(faultOf(schedules), AllOf(HasSubstr("rank 1, step"), HasSubstr("has no receiver")));
}

TEST(Verifier, catchesAReceiveWithoutSender) {
  auto schedules = schedulesOf("slt", 4, 8);
  ASSERT_EQ(schedules[3].steps.back().kind, StepKind::kSend);
  schedules[3].steps.pop_back();
  EXPECT_THAT(faultOf(schedules), AllOf(HasSubstr("rank 0, step"), HasSubstr("has no sender")));
}

TEST(Verifier, catchesAMessageDroppedOnBothSides) {
  auto schedules = schedulesOf("slt:segments=1", 4, 8);
  schedules[1].steps.pop_back();  // the last hop of the distribution
  schedules[2].steps.pop_back();
  EXPECT_THAT(faultOf(schedules), HasSubstr("Rank 2 ends without the input of rank 3 in elements [0, 8)"));
}

TEST(Verifier, catchesATagUsedTwice) {
  const auto schedules = twoRanks(8, [](ScheduleWriter& writer, std::int32_t rank) {
    for (const Block block : {Block{0, 4}, Block{4, 4}}) {
      if (rank == 0) {
        writer.send(block, 1, 0);
      } else {
        writer.reduce(block, 0, kLeft, 0);
      }
    }
  });
  EXPECT_THAT(faultOf(schedules), HasSubstr("tags must differ"));
}

TEST(Verifier, catchesBlocksThatDiffer) {
  const auto schedules = twoRanks(8, [](ScheduleWriter& writer, std::int32_t rank) {
    writer.send({0, 8}, 1 - rank, 0);
    writer.reduce({0, rank == 0 ? 8 : 7}, 1 - rank, kLeft, 0);
  });
  EXPECT_THAT(faultOf(schedules), HasSubstr("different blocks"));
}

TEST(Verifier, catchesADoubledContribution) {
  const auto schedules = twoRanks(8, [](ScheduleWriter& writer, std::int32_t rank) {
    for (const std::int32_t tag : {0, 1}) {
      writer.send({0, 8}, 1 - rank, tag);
      writer.reduce({0, 8}, 1 - rank, rank == 0 ? kRight : kLeft, tag);
    }
  });
  EXPECT_THAT(faultOf(schedules), AllOf(HasSubstr("step 3"), HasSubstr("a second time in elements [0, 8)")));
}

TEST(Verifier, catchesOperandsSwappedOnBothPartnersOnlyWhereRankOrderIsClaimed) {
  auto schedules = schedulesOf("recursive_doubling", 4, 8);
  schedules[0].steps[1].order = kLeft;
  schedules[1].steps[1].order = kRight;
  EXPECT_EQ(schedules[0].steps[1].kind, StepKind::kReduce);
  EXPECT_THAT(faultOf(schedules, true), AllOf(HasSubstr("rank 0, step 1"), HasSubstr("out of rank order")));
  EXPECT_THAT(faultOf(schedules, false), HasSubstr("no fault"));
}

TEST(Verifier, catchesDifferentOperandOrderOnTwoRanks) {
  auto schedules = schedulesOf("recursive_doubling", 4, 8);
  schedules[3].steps.back().order = kRight;
  EXPECT_THAT(faultOf(schedules), HasSubstr("Ranks 0 and 3 combine elements [0, 8) in different operand trees"));
}

TEST(Verifier, catchesAWaitForEachOther) {
  const auto schedules = twoRanks(8, [](ScheduleWriter& writer, std::int32_t rank) {
    writer.receive({0, 8}, 1 - rank, 0);
    writer.send({0, 8}, 1 - rank, 0);
  });
  EXPECT_THAT(faultOf(schedules),
              AllOf(HasSubstr("Deadlock"), HasSubstr("rank 0, step 0"), HasSubstr("rank 1, step 0")));
}

// A window of two would let it pass, so the verifier must not use one.
TEST(Verifier, catchesMessagesCrossedWithinALane) {
  const Block first{0, 4};
  const Block second{4, 4};
  const auto crossed = [&](std::uint8_t lane_of_second) {
    return twoRanks(8, [&](ScheduleWriter& writer, std::int32_t rank) {
      if (rank == 0) {
        writer.reduce({0, 8}, 1, OperandOrder::kIncomingRight, 2);
        writer.send(first, 1, 0);
        writer.send(second, 1, 1, lane_of_second);
      } else {
        writer.send({0, 8}, 0, 2);
        writer.receive(second, 0, 1, lane_of_second);
        writer.receive(first, 0, 0);
      }
    });
  };
  EXPECT_THAT(faultOf(crossed(0)), HasSubstr("Deadlock"));
  EXPECT_EQ(faultOf(crossed(1)), "no fault");
}

TEST(Verifier, catchesStepsThatOverlapUnordered) {
  for (const char* choice : {"ring", "rabenseifner", "recursive_doubling:segments=2", "slt", "reduce_bcast"}) {
    auto schedules = schedulesOf(choice, 5, 11);
    Schedule& victim = schedules[1];
    const auto dependent = std::find_if(victim.steps.begin(), victim.steps.end(),
                                        [](const Step& step) { return step.dependency_count > 0; });
    ASSERT_NE(dependent, victim.steps.end());
    dependent->dependency_count = 0;
    EXPECT_THAT(faultOf(schedules), AllOf(HasSubstr("rank 1"), HasSubstr("neither waits for the other"))) << choice;
  }
}

TEST(Verifier, acceptsOrderThroughOtherSteps) {
  auto schedules = twoRanks(8, [](ScheduleWriter& writer, std::int32_t rank) {
    if (rank == 0) {
      writer.send({0, 8}, 1, 0);
      writer.receive({0, 8}, 1, 1);
    } else {
      writer.reduce({0, 8}, 0, kLeft, 0);
      writer.send({0, 8}, 0, 1);
    }
  });
  EXPECT_EQ(faultOf(schedules, true), "no fault");
}

// Faults of single steps and of the schedules' frames; every one breaks a valid ring.
TEST(Verifier, catchesMalformedSchedules) {
  struct Case {
    void (*plant)(std::vector<Schedule>&);
    const char* sentence;
  };
  const Case cases[] = {
      {[](auto& s) { s.pop_back(); }, "Schedule 0"},
      {[](auto& s) { s[1].virtual_rank = 2; }, "Schedule 1"},
      {[](auto& s) { s[2].count = 9; }, "Schedule 2"},
      {[](auto& s) { s[3].tag_span += 1; }, "Schedule 3"},
      {[](auto& s) { s[0].window = 0; }, "Schedule 0"},
      {[](auto& s) { s.clear(); }, "no schedules"},
      {[](auto& s) { s[1].steps[2].lane = kMaxLanes; }, "lane 4"},
      {[](auto& s) { s[1].steps[1].lane = 1, s[1].steps[1].kind = StepKind::kReduce; }, "reduces in lane 1"},
      {[](auto& s) { s[1].steps[2].peer = 1; }, "no other rank"},
      {[](auto& s) { s[1].steps[2].peer = 4; }, "no other rank"},
      {[](auto& s) { s[1].steps[2].tag = -1; }, "tag"},
      {[](auto& s) { s[1].steps[2].tag = s[1].tag_span; }, "tag"},
      {[](auto& s) { s[1].steps[2].block.count = 0; }, "no elements"},
      {[](auto& s) {
         s[1].steps[2].block = {7, 2};
       },
       "leaves the work vector"},
      {[](auto& s) { s[1].steps[2].block.offset = -1; }, "leaves the work vector"},
      {[](auto& s) { s[1].steps[2].dependency_count = 1000; }, "beyond the list"},
      {[](auto& s) { s[1].dependencies[0] = 1000; }, "not before it"},
      {[](auto& s) { s[1].steps[2].kind = static_cast<StepKind>(9); }, "unknown kind"},
  };
  for (const Case& planted : cases) {
    auto schedules = schedulesOf("ring", 4, 8);
    planted.plant(schedules);
    EXPECT_THAT(faultOf(schedules), HasSubstr(planted.sentence));
  }
}

// Each rank takes the other's half into a side slot and combines there or in the work vector.
std::vector<Schedule> withSideSlots() {
  return twoRanks(8, [](ScheduleWriter& writer, std::int32_t rank) {
    const Block own{rank * 4, 4};
    const Block other{4 - rank * 4, 4};
    writer.addSideSlots(1, own);
    writer.send(other, 1 - rank, 0);
    writer.receive(own, 1 - rank, 0, 0, 1);
    writer.combine(own, 1, 0, rank == 0 ? kRight : kLeft);
    writer.send(own, 1 - rank, 1);
    writer.receive(other, 1 - rank, 1);
  });
}

TEST(Verifier, acceptsCombiningFromSideSlots) { EXPECT_EQ(faultOf(withSideSlots(), true), "no fault"); }

TEST(Verifier, catchesFaultsWithSideSlots) {
  struct Case {
    void (*plant)(std::vector<Schedule>&);
    const char* sentence;
  };
  const Case cases[] = {
      {[](auto& s) { s[0].steps[1].slot = 2; }, "names slot 2"},
      {[](auto& s) { s[0].steps[2].source_slot = -1; }, "names slot -1"},
      {[](auto& s) { s[0].steps[2].source_slot = 0; }, "with itself"},
      {[](auto& s) { s[0].side_extent.count = 3; }, "leaves the elements that side slots have"},
      {[](auto& s) { s[0].side_slots = -1; }, "Schedule 0"},
      {[](auto& s) { s[0].steps[2].dependency_count = 0; }, "neither waits for the other"},
      {[](auto& s) { std::swap(s[0].steps[2].slot, s[0].steps[2].source_slot); }, "out of rank order"},
      {[](auto& s) { s[0].steps[3].slot = 1; }, "sends what nothing was written to"},
      {[](auto& s) { s[1].steps[2].order = kRight; }, "out of rank order"},
  };
  for (const Case& planted : cases) {
    std::vector<Schedule> schedules = withSideSlots();
    planted.plant(schedules);
    EXPECT_THAT(faultOf(schedules, true), HasSubstr(planted.sentence));
  }
}

TEST(Verifier, catchesReadingASlotThatNothingWasWrittenTo) {
  const auto sending = twoRanks(8, [](ScheduleWriter& writer, std::int32_t rank) {
    writer.addSideSlots(2, {0, 8});
    if (rank == 0) writer.combine({0, 8}, 1, 0, kLeft);
  });
  EXPECT_THAT(faultOf(sending), HasSubstr("combines what nothing was written to"));
}

TEST(Verifier, catchesUsingABlockAfterItWasCombined) {
  const auto schedules = twoRanks(8, [](ScheduleWriter& writer, std::int32_t rank) {
    writer.addSideSlots(1, {0, 8});
    writer.send({0, 8}, 1 - rank, 0);
    writer.receive({0, 8}, 1 - rank, 0, 0, 1);
    writer.combine({0, 8}, 1, 0, rank == 0 ? kRight : kLeft);
    writer.combine({0, 8}, 1, 0, kLeft);
  });
  EXPECT_THAT(faultOf(schedules), HasSubstr("combines what nothing was written to"));
}

// Rank 0 gives rank 1 its vector.
std::vector<Schedule> oneCopy() {
  return twoRanks(8, [](ScheduleWriter& writer, std::int32_t rank) {
    if (rank == 0) writer.send({0, 8}, 1, 0);
    if (rank == 1) writer.receive({0, 8}, 0, 0);
  });
}

// Rank 1 gives rank 0 its vector to be combined.
std::vector<Schedule> oneReduction() {
  return twoRanks(8, [](ScheduleWriter& writer, std::int32_t rank) {
    if (rank == 0) writer.reduce({0, 8}, 1, kRight, 0);
    if (rank == 1) writer.send({0, 8}, 0, 0);
  });
}

std::string faultOf(std::span<const Schedule> schedules, Collective collective, std::int32_t root) {
  const Status status = verify(schedules, {.keeps_rank_order = true, .collective = collective, .root = root});
  return status.isOk() ? "no fault" : status.message();
}

TEST(Verifier, provesBroadcasts) {
  EXPECT_EQ(faultOf(oneCopy(), Collective::kBroadcast, 0), "no fault");
  EXPECT_THAT(faultOf(oneCopy(), Collective::kAllreduce, 0), HasSubstr("without the input of rank 1"));
  EXPECT_THAT(faultOf(oneCopy(), Collective::kBroadcast, 1), HasSubstr("sends what nothing was written to"));
  EXPECT_THAT(faultOf(oneReduction(), Collective::kBroadcast, 1), HasSubstr("combines what nothing was written to"));
  auto part = oneCopy();
  for (Schedule& schedule : part) schedule.steps[0].block.count = 7;
  EXPECT_THAT(faultOf(part, Collective::kBroadcast, 0),
              HasSubstr("Rank 1 ends without the input of root 0 in elements [7, 8)"));
}

TEST(Verifier, provesReductions) {
  EXPECT_EQ(faultOf(oneReduction(), Collective::kReduce, 0), "no fault");
  EXPECT_THAT(faultOf(oneReduction(), Collective::kReduce, 1), HasSubstr("Rank 1 ends without the input of rank 0"));
  EXPECT_THAT(faultOf(oneCopy(), Collective::kReduce, 1), HasSubstr("Rank 1 ends without the input of rank 1"));
  auto reversed = oneReduction();
  reversed[0].steps[0].order = kLeft;
  EXPECT_THAT(faultOf(reversed, Collective::kReduce, 0), HasSubstr("out of rank order"));
}

TEST(Verifier, catchesARootThatIsNoRank) {
  for (const std::int32_t root : {-1, 2}) {
    EXPECT_THAT(faultOf(oneReduction(), Collective::kReduce, root), HasSubstr("cannot be the root"));
  }
}

TEST(Verifier, acceptsOneRankAndNoElements) {
  EXPECT_EQ(faultOf(schedulesOf("ring", 1, 8), true), "no fault");
  EXPECT_EQ(faultOf(schedulesOf("ring", 3, 0), true), "no fault");
}

TEST(Verifier, catchesSchedulesThatDoNothing) {
  const auto schedules = twoRanks(8, [](ScheduleWriter&, std::int32_t) {});
  EXPECT_THAT(faultOf(schedules), HasSubstr("Rank 0 ends without the input of rank 1 in elements [0, 8)"));
}

}  // namespace
}  // namespace starling
