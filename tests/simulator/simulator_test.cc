#include "simulator/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "schedule/schedule_writer.h"
#include "schedules.h"

namespace starling {
namespace {

using testing::HasSubstr;

// One element takes one second, and nothing else takes any: times below are in tau.
constexpr CostModel kTau{.alpha = {0.0}, .beta = 1.0, .gamma = 0.0, .ports = 1};
constexpr CostModel kTauTwoPorts{.alpha = {0.0}, .beta = 1.0, .gamma = 0.0, .ports = 2};
constexpr Bytes kByte{1};

SimulatedCall simulated(std::span<const Schedule> schedules, const CostModel& model, std::span<const Seconds> arrivals,
                        std::int32_t window = 0) {
  const Result<SimulatedCall> call = simulate(schedules, kByte, model, arrivals, {}, {.window = window});
  EXPECT_TRUE(call.isOk()) << call.status().message();
  return call.isOk() ? call.value() : SimulatedCall{};
}

std::vector<Seconds> onTime(std::size_t ranks) { return std::vector<Seconds>(ranks); }

std::vector<Seconds> lateBy(double lateness, std::size_t late_rank, std::size_t ranks) {
  std::vector<Seconds> arrivals(ranks);
  arrivals[late_rank] = {lateness};
  return arrivals;
}

// When each rank got its last byte; it may still be sending then.
std::vector<double> lastReceipts(const SimulatedCall& call) {
  std::vector<double> receipts(call.exits.size(), 0.0);
  for (const Transfer& transfer : call.transfers) {
    receipts[transfer.target] = std::max(receipts[transfer.target], transfer.end.value);
  }
  return receipts;
}

// Schedules by hand: `write` gets the writer and the rank.
template <typename Write>
std::vector<Schedule> byHand(std::int32_t ranks, std::int64_t count, std::int32_t window, const Write& write) {
  std::vector<Schedule> schedules;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    ScheduleWriter writer({ranks, rank, count}, 10);
    write(writer, rank);
    schedules.push_back(std::move(writer).finish());
    schedules.back().window = window;
    schedules.back().pacing = window;
  }
  return schedules;
}

TEST(Simulator, ringTakesTwoPMinusTwoStepsWhenBalanced) {
  for (const std::int32_t ranks : {2, 3, 4, 7, 16, 64}) {
    for (const std::int32_t window : {1, 4}) {
      const auto call = simulated(schedulesOf("ring", ranks, ranks), kTau, onTime(ranks), window);
      for (const Seconds exit : call.exits) EXPECT_EQ(exit.value, 2.0 * ranks - 2.0) << ranks << " ranks";
    }
  }
}

TEST(Simulator, messagesInARowFollowEachOtherByOverheadAndBytes) {
  const CostModel model{.alpha = {1.0}, .beta = 0.5, .gamma = 0.0, .ports = 1, .overhead = {0.25}};
  const auto schedules = byHand(2, 4, 4, [](ScheduleWriter& writer, std::int32_t rank) {
    for (std::int32_t i = 0; i < 4; ++i) {
      if (rank == 0) writer.send({i, 1}, 1, i);
      if (rank == 1) writer.receive({i, 1}, 0, i);
    }
  });
  const auto call = simulated(schedules, model, onTime(2), 4);
  EXPECT_EQ(call.exits[0].value, 4 * 0.75);
  EXPECT_EQ(call.exits[1].value, 3 * 0.75 + 1.0 + 0.5);
}

// One send at a time, as a sender that is not buffered: of two messages in a row the second starts when the sender
// knows that the first has left.
TEST(Simulator, senderWaitsForTheReleaseBeforeItsNextMessage) {
  CostModel model{.alpha = {1.0}, .beta = 0.5, .gamma = 0.0, .ports = 1, .overhead = {0.25}, .release = {0.5}};
  const auto schedules = byHand(2, 2, 1, [](ScheduleWriter& writer, std::int32_t rank) {
    for (std::int32_t i = 0; i < 2; ++i) {
      if (rank == 0) writer.send({i, 1}, 1, i);
      if (rank == 1) writer.receive({i, 1}, 0, i);
    }
  });
  EXPECT_THAT(simulated(schedules, model, onTime(2), 4).exits, testing::ElementsAre(Seconds{2.0}, Seconds{2.25}));
  EXPECT_THAT(simulated(schedules, model, onTime(2), 1).exits, testing::ElementsAre(Seconds{2.75}, Seconds{3.0}));
  model.release = {7.0};  // no later than the message comes
  EXPECT_EQ(simulated(schedules, model, onTime(2), 1).exits[0].value, 3.0);
}

TEST(Simulator, senderInStepWaitsUntilItsMessageIsTakenHoweverItIsBuffered) {
  const CostModel model{.alpha = {1.0}, .beta = 0.5, .gamma = 0.0, .ports = 1, .overhead = {0.25}, .release = {0.0}};
  const auto schedules = byHand(2, 2, 1, [](ScheduleWriter& writer, std::int32_t rank) {
    writer.keepInStep(0);
    for (std::int32_t i = 0; i < 2; ++i) {
      if (rank == 0) writer.send({i, 1}, 1, i);
      if (rank == 1) writer.receive({i, 1}, 0, i);
    }
  });
  EXPECT_THAT(simulated(schedules, model, onTime(2)).exits, testing::ElementsAre(Seconds{3.0}, Seconds{3.0}));
}

TEST(Simulator, sharedPortsChangeNothingWhereNoneIsContended) {
  CostModel model{.alpha = {0.5}, .beta = 1.0, .gamma = 0.25, .ports = 1, .overhead = {0.125}};
  for (const std::string_view choice : {"ring", "recursive_doubling"}) {
    for (const std::int32_t ranks : {2, 5, 8}) {
      const auto schedules = schedulesOf(choice, ranks, 2 * ranks);
      const auto in_turn = simulated(schedules, model, onTime(ranks));
      model.shared = true;
      EXPECT_EQ(simulated(schedules, model, onTime(ranks)).exits, in_turn.exits) << choice << ", " << ranks << " ranks";
      model.shared = false;
    }
  }
}

TEST(Simulator, messagesOnASharedPortComeTogetherInsteadOfOneAfterTheOther) {
  const auto schedules = byHand(3, 2, 2, [](ScheduleWriter& writer, std::int32_t rank) {
    if (rank > 0) writer.send({rank - 1, 1}, 0, 0);
    if (rank == 0) {
      writer.receive({0, 1}, 1, 0);
      writer.receive({1, 1}, 2, 0);
    }
  });
  CostModel model{.alpha = {0.5}, .beta = 1.0, .gamma = 0.0, .ports = 1};
  const auto ends = [&] {
    std::vector<double> times;
    for (const Transfer& transfer : simulated(schedules, model, onTime(3)).transfers) {
      times.push_back(transfer.end.value);
    }
    return times;
  };
  EXPECT_THAT(ends(), testing::ElementsAre(1.5, 2.5));
  model.shared = true;
  EXPECT_THAT(ends(), testing::ElementsAre(2.5, 2.5));
}

TEST(Simulator, everyRowRunsOnSharedPorts) {
  CostModel model{.alpha = {4e-6}, .beta = 8e-9, .gamma = 1e-10, .ports = 1, .overhead = {1e-7}, .release = {3.9e-6}};
  model.shared = true;
  for (const Algorithm& row : catalogue()) {
    if (row.build == nullptr) continue;
    for (const std::int32_t ranks : {2, 3, 7, 16}) {
      const auto call = simulated(schedulesOf(row.name, ranks, 1000), model, lateBy(1e-4, 1, ranks));
      EXPECT_TRUE(std::is_sorted(call.transfers.begin(), call.transfers.end(),
                                 [](const Transfer& a, const Transfer& b) { return a.start < b.start; }));
      EXPECT_GT(call.lastExit().value, 1e-4) << row.name << ", " << ranks << " ranks";
    }
  }
}

// Rank 0 sends to four at a time, of which the last two come later: ends of transfers move to and fro.
TEST(Simulator, whenTheCallBeginsMakesNoDifferenceOnSharedPorts) {
  constexpr std::int64_t kCounts[] = {4, 2, 20, 20};
  constexpr std::int32_t kTargets = 4;
  const auto schedules = byHand(1 + kTargets, 20, kTargets, [&](ScheduleWriter& writer, std::int32_t rank) {
    writer.setLanePacing(0, kTargets);
    for (std::int32_t target = 1; target <= kTargets; ++target) {
      if (rank == 0) writer.send({0, kCounts[target - 1]}, target, target - 1);
      if (rank == target) writer.receive({0, kCounts[target - 1]}, 0, target - 1);
    }
  });
  CostModel model{.alpha = {0.0}, .beta = 1.0, .gamma = 0.0, .ports = 1};
  model.shared = true;
  const auto exitsFrom = [&](double begin) {
    const std::vector<Seconds> arrivals{{begin}, {begin}, {begin}, {begin + 5.0}, {begin + 5.0}};
    std::vector<double> exits;
    for (const Seconds exit : simulated(schedules, model, arrivals).exits) exits.push_back(exit.value - begin);
    return exits;
  };
  EXPECT_THAT(exitsFrom(0.0), testing::ElementsAre(46.0, 8.0, 4.0, 46.0, 46.0));
  EXPECT_EQ(exitsFrom(-20.0), exitsFrom(0.0));
  EXPECT_EQ(exitsFrom(100.0), exitsFrom(0.0));
}

TEST(Simulator, recursiveDoublingTakesLogPStepsAndCombinesBetween) {
  const CostModel model{.alpha = {0.25}, .beta = 1.0, .gamma = 0.5, .ports = 1};
  const auto call = simulated(schedulesOf("recursive_doubling", 8, 1), model, onTime(8));
  for (const Seconds exit : call.exits) EXPECT_EQ(exit.value, 3 * (0.25 + 1.0 + 0.5));
}

// Figure 6 of Proficz 2018: P = 4, one rank late by 4 tau. 5 segments are the only number that satisfies both its
// figures, D + 2 (P-1) + S - 1 = 14 and D + P + S - 1 = 12. One segment per link and phase at a time is a window of
// one; the two phases share the link from the first to the second rank, hence two ports.
TEST(Simulator, linearTreeTakesFourteenTauWhenTheFirstIsLateAndTwelveWhenSorted) {
  const auto schedules = schedulesOf("slt:segments=5", 4, 5);
  EXPECT_EQ(simulated(schedules, kTauTwoPorts, lateBy(4, 0, 4), 1).lastExit().value, 14.0);
  EXPECT_EQ(simulated(schedules, kTauTwoPorts, lateBy(4, 3, 4), 1).lastExit().value, 12.0);
}

TEST(Simulator, linearTreeNeedsOneTauMoreOnOnePortWhenTheFirstIsLate) {
  const auto schedules = schedulesOf("slt:segments=5", 4, 5);
  EXPECT_EQ(simulated(schedules, kTau, lateBy(4, 0, 4)).lastExit().value, 15.0);
  EXPECT_EQ(simulated(schedules, kTau, lateBy(4, 3, 4)).lastExit().value, 12.0);
}

// Figure 8 of Proficz 2018: P = 4, the last late by D = 2 tau. The figure's 7 tau for the pre-reduced ring cannot be
// the last exit: the block that the late rank starts has 2P - 2 hops to go from D on, and with one port the last of the
// P blocks that it must send leaves it by D + P and has P - 2 hops left; both make D + 2P - 2 = 8 tau. 7 tau is the
// mean time of the last receipt with two ports (7.25 with one). Exits come later, since a rank also waits for its
// sends.
TEST(Simulator, preReducedRingHasItsResultOneTauEarlierThanTheRingInTheMean) {
  const std::vector<std::int64_t> lateness{0, 0, 0, 2'000'000'000};
  const auto ring = schedulesOf("ring", 4, 4);
  const auto prr = schedulesOf("prr:tau_ns=1000000000,pacing=2", 4, 4, lateness);
  const auto arrivals = lateBy(2, 3, 4);

  EXPECT_THAT(lastReceipts(simulated(ring, kTau, arrivals)), testing::ElementsAre(8, 8, 8, 8));
  EXPECT_THAT(lastReceipts(simulated(prr, kTau, arrivals)), testing::ElementsAre(7, 8, 8, 6));
  EXPECT_THAT(lastReceipts(simulated(prr, kTauTwoPorts, arrivals)), testing::ElementsAre(7, 8, 7, 6));

  EXPECT_EQ(simulated(ring, kTau, arrivals).lastExit().value, 8.0);
  EXPECT_EQ(simulated(ring, kTau, arrivals).meanExit().value, 8.0);
  EXPECT_EQ(simulated(prr, kTau, arrivals).meanExit().value, 7.75);
  EXPECT_EQ(simulated(prr, kTauTwoPorts, arrivals).meanExit().value, 7.5);
  EXPECT_EQ(simulated(prr, kTauTwoPorts, arrivals).lastExit().value, 8.0);
}

TEST(Simulator, sortedTreeAndPreReducedRingBeatTheRingWhenOneIsVeryLate) {
  const std::int32_t ranks = 16;
  std::vector<std::int64_t> lateness(ranks, 0);
  lateness.back() = 100'000'000'000;
  const auto arrivals = arrivalsOf(lateness);
  const auto postArrival = [&](std::string_view choice) {
    const auto call = simulated(schedulesOf(choice, ranks, ranks, lateness), kTau, arrivals);
    return postArrivalTime(call, arrivals).value;
  };
  EXPECT_LT(postArrival("prr:tau_ns=1000000000"), 0.85 * postArrival("ring"));
  EXPECT_LT(postArrival("slt"), 0.85 * postArrival("ring"));
}

// m ranks that come last together leave (P + m - 1)/P vectors at least.
TEST(Simulator, sortedTreeIsNearTheBoundHoweverManyAreLate) {
  constexpr std::int32_t kRanks = 16;
  constexpr std::int64_t kCount = 4000;
  for (const std::int32_t late : {1, 2, 5}) {
    std::vector<Seconds> arrivals = onTime(kRanks);
    std::fill(arrivals.end() - late, arrivals.end(), Seconds{10.0 * kCount});
    std::vector<std::int64_t> lateness_ns;
    for (const Seconds arrival : arrivals) lateness_ns.push_back(toNanoseconds(arrival));
    const auto post_arrival = [&](std::span<const std::int64_t> predicted) {
      const auto schedules = schedulesOf("slt:segments=400", kRanks, kCount, predicted);
      return postArrivalTime(simulated(schedules, kTau, arrivals), arrivals).value;
    };
    const double bound = static_cast<double>(kRanks + late - 1) / kRanks * kCount;
    EXPECT_LT(post_arrival(lateness_ns), 1.1 * bound) << late << " ranks late";
    if (late > 1) {
      EXPECT_GT(post_arrival({}), 1.4 * bound) << "the order of the paper";
    }
  }
}

TEST(Simulator, alphaIsHiddenByTheWindow) {
  const CostModel model{.alpha = {0.5}, .beta = 1.0, .gamma = 0.0, .ports = 1};
  const auto schedules = byHand(2, 3, 3, [](ScheduleWriter& writer, std::int32_t rank) {
    for (std::int32_t i = 0; i < 3; ++i) {
      if (rank == 0) {
        writer.send({i, 1}, 1, i);
      } else {
        writer.receive({i, 1}, 0, i);
      }
    }
  });
  EXPECT_EQ(simulated(schedules, model, onTime(2)).lastExit().value, 3 * 1.0 + 0.5);
  EXPECT_EQ(simulated(schedules, model, onTime(2), 1).lastExit().value, 3 * (1.0 + 0.5));
}

TEST(Simulator, reductionsOfOneRankFollowEachOther) {
  const CostModel model{.alpha = {0.0}, .beta = 1.0, .gamma = 4.0, .ports = 2};
  const auto schedules = byHand(3, 2, 2, [](ScheduleWriter& writer, std::int32_t rank) {
    if (rank > 0) writer.send({rank - 1, 1}, 0, 0);
    if (rank == 0) {
      writer.reduce({0, 1}, 1, OperandOrder::kIncomingLeft, 0);
      writer.reduce({1, 1}, 2, OperandOrder::kIncomingLeft, 0);
    }
  });
  EXPECT_EQ(simulated(schedules, model, onTime(3)).lastExit().value, 1.0 + 2 * 4.0);
}

TEST(Simulator, portsServeInOrderOfReadinessThenOfRank) {
  const auto schedules = byHand(4, 3, 3, [](ScheduleWriter& writer, std::int32_t rank) {
    if (rank > 0) writer.send({rank - 1, 1}, 0, 0);
    if (rank == 0) {
      for (std::int32_t source = 3; source > 0; --source) writer.receive({source - 1, 1}, source, 0);
    }
  });
  const auto sources = [&](const std::vector<Seconds>& arrivals) {
    std::vector<std::int32_t> order;
    for (const Transfer& transfer : simulated(schedules, kTau, arrivals).transfers) order.push_back(transfer.source);
    return order;
  };
  EXPECT_THAT(sources(onTime(4)), testing::ElementsAre(1, 2, 3));
  EXPECT_THAT(sources({{0.0}, {0.5}, {0.5}, {0.0}}), testing::ElementsAre(3, 1, 2));
  EXPECT_THAT(sources({{0.0}, {0.5}, {0.25}, {0.0}}), testing::ElementsAre(3, 2, 1));
}

// The first message waits for a busy receiver; the second would have both its ports free and waits all the same.
TEST(Simulator, noMessageOvertakesAnotherOfItsSender) {
  const auto schedules = byHand(3, 4, 4, [](ScheduleWriter& writer, std::int32_t rank) {
    if (rank == 0) {
      writer.send({0, 3}, 1, 0);
    } else if (rank == 2) {
      writer.send({3, 1}, 1, 0);
      writer.send({3, 1}, 0, 1);
    }
    if (rank == 1) {
      writer.receive({0, 3}, 0, 0);
      writer.receive({3, 1}, 2, 0);
    }
    if (rank == 0) writer.receive({3, 1}, 2, 1);
  });
  const auto call = simulated(schedules, kTau, onTime(3));
  ASSERT_EQ(call.transfers.size(), 3U);
  EXPECT_EQ(call.transfers[1].target, 1);
  EXPECT_EQ(call.transfers[1].start.value, 3.0);
  EXPECT_EQ(call.transfers[2].target, 0);
  EXPECT_EQ(call.transfers[2].start.value, 4.0);
}

// As above, but with two ports: the second message goes when the first does, not when that has ended.
TEST(Simulator, messagesGoWhenTheOneBeforeThemDoesIfThereIsAPort) {
  const auto schedules = byHand(4, 8, 4, [](ScheduleWriter& writer, std::int32_t rank) {
    if (rank == 0) writer.send({0, 3}, 1, 0);
    if (rank == 3) writer.send({0, 5}, 1, 0);
    if (rank == 2) {
      writer.send({3, 1}, 1, 0);
      writer.send({3, 1}, 0, 1);
    }
    if (rank == 1) {
      writer.receive({0, 3}, 0, 0);
      writer.receive({3, 1}, 2, 0);
      writer.receive({0, 5}, 3, 0);
    }
    if (rank == 0) writer.receive({3, 1}, 2, 1);
  });
  CostModel model = kTau;
  model.ports = 2;
  const auto call = simulated(schedules, model, onTime(4));
  const auto start_from_to = [&](std::int32_t source, std::int32_t target) {
    for (const Transfer& transfer : call.transfers) {
      if (transfer.source == source && transfer.target == target) return transfer.start.value;
    }
    return -1.0;
  };
  EXPECT_EQ(start_from_to(2, 0), start_from_to(2, 1));
}

TEST(Simulator, transfersAreOrderedAndSayWhatTheReceiverDoes) {
  const auto call = simulated(schedulesOf("ring", 3, 3), kTau, onTime(3));
  ASSERT_EQ(call.transfers.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(call.transfers[i].start.value, static_cast<double>(i / 3));
    EXPECT_EQ(call.transfers[i].end.value, call.transfers[i].start.value + 1.0);
    EXPECT_EQ(call.transfers[i].kind, i < 6 ? StepKind::kReduce : StepKind::kReceive);
    EXPECT_EQ(call.transfers[i].target, (call.transfers[i].source + 1) % 3);
  }
}

TEST(Simulator, exitsAreArrivalsWhenThereIsNothingToDo) {
  const std::vector<Seconds> arrivals{{1.5}, {0.0}, {2.5}};
  const auto call = simulated(schedulesOf("ring", 3, 0), kTau, arrivals);
  EXPECT_EQ(call.exits, arrivals);
  EXPECT_EQ(call.lastExit().value, 2.5);
  EXPECT_DOUBLE_EQ(postArrivalTime(call, arrivals).value, 4.0 / 3 - 2.5);
}

TEST(Simulator, deadlockNamesTheStepsThatWait) {
  const auto schedules = byHand(2, 1, 1, [](ScheduleWriter& writer, std::int32_t rank) {
    writer.receive({0, 1}, 1 - rank, 0);
    writer.send({0, 1}, 1 - rank, 0);
  });
  const auto call = simulate(schedules, kByte, kTau, onTime(2));
  ASSERT_FALSE(call.isOk());
  EXPECT_THAT(call.status().message(), HasSubstr("rank 0, step 0 (receive of [0, 1) from rank 1, tag 0)"));
  EXPECT_THAT(call.status().message(), HasSubstr("rank 1, step 0"));
}

// Ranks 0 and 1 on one node, 2 and 3 on the other: the first exchange stays within them, the second has to share.
TEST(Simulator, ranksOfANodeShareItsPortsToOtherNodes) {
  CostModel model{.alpha = {0.0}, .beta = 1.0, .inner_alpha = {0.125}, .inner_beta = 0.125};
  const auto schedules = schedulesOf("recursive_doubling", 4, 1);
  const std::vector<std::int32_t> nodes{7, 7, 2, 2};
  const auto exits = [&] {
    std::vector<double> times;
    const Result<SimulatedCall> call = simulate(schedules, kByte, model, onTime(4), nodes);
    if (call.isOk()) std::ranges::transform(call.value().exits, std::back_inserter(times), &Seconds::value);
    return times;
  };
  EXPECT_THAT(exits(), testing::ElementsAre(1.25, 2.25, 1.25, 2.25)) << "in turns";
  model.shared = true;
  EXPECT_THAT(exits(), testing::Each(2.25)) << "together";
  model.inner_alpha = {0.0};
  EXPECT_THAT(exits(), testing::Each(2.0)) << "nodes make no difference";
}

TEST(Simulator, givesUpWhatTakesTooLong) {
  for (const bool shared : {false, true}) {
    CostModel model = kTau;
    model.shared = shared;
    const auto schedules = schedulesOf("ring", 4, 4);
    const auto most = [&](double mean_exit) {
      const auto call = simulate(schedules, kByte, model, onTime(4), {}, {.most_mean_exit = {mean_exit}});
      return call.isOk() ? call.value().meanExit().value : 0.0;
    };
    EXPECT_EQ(most(6.0), 6.0) << "no more than it may";
    EXPECT_GT(most(3.5), 3.5);
    EXPECT_LT(most(3.5), 6.0) << "not to its end";
  }
}

TEST(Simulator, notesTransfersWhereTheyAreWanted) {
  for (const bool shared : {false, true}) {
    CostModel model = kTau;
    model.shared = shared;
    const auto schedules = schedulesOf("ring", 4, 4);
    const auto with = simulate(schedules, kByte, model, onTime(4));
    const auto without = simulate(schedules, kByte, model, onTime(4), {}, {.has_transfers = false});
    EXPECT_EQ(with.value().transfers.size(), 24U);
    EXPECT_TRUE(without.value().transfers.empty());
    EXPECT_EQ(without.value().exits, with.value().exits);
  }
}

TEST(Simulator, refusesInputsWithoutMeaning) {
  const auto schedules = schedulesOf("ring", 2, 2);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(simulate(schedules, kByte, kTau, onTime(3)).status().message(), HasSubstr("2 schedules and 3 arrivals"));
  EXPECT_FALSE(simulate(schedules, kByte, {.beta = -1.0}, onTime(2)).isOk());
  EXPECT_FALSE(simulate(schedules, kByte, {.alpha = {nan}}, onTime(2)).isOk());
  EXPECT_FALSE(simulate(schedules, kByte, {.ports = 0}, onTime(2)).isOk());
  EXPECT_FALSE(simulate(schedules, kByte, {.release = {-1.0}}, onTime(2)).isOk());
  EXPECT_FALSE(simulate(schedules, kByte, kTau, lateBy(nan, 0, 2)).isOk());
  const std::vector<std::int32_t> three_nodes{0, 1, 2};
  EXPECT_THAT(simulate(schedules, kByte, kTau, onTime(2), three_nodes).status().message(),
              HasSubstr("2 schedules and the nodes of 3 ranks"));
}

}  // namespace
}  // namespace starling
