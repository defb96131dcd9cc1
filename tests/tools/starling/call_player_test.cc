#include "call_player.h"

#include <gtest/gtest.h>

#include "records.h"

namespace starling::cli {
namespace {

KeyRecord keyOf(const std::string& type, std::int64_t bytes) {
  KeyRecord key;
  key.id = exampleKeyId("label:a");
  key.id.type = type;
  key.bytes = bytes;
  return key;
}

CostModel someModel() {
  CostModel model;
  model.alpha = Seconds{25e-6};
  model.beta = 1e-9;
  return model;
}

Seconds timeOf(const CallPlayer& player, const std::vector<RecordedPattern>& patterns) {
  const std::vector<std::string> choices{"ring"};
  return player.times(patterns, choices).value().at("ring");
}

TEST(CallPlayer, patternsCountAsManyTimesAsTheirCalls) {
  const CallPlayer player(keyOf("float", 4'000'000), someModel(), {}, 3);
  const RecordedPattern balanced{3, {Seconds{}, Seconds{}, Seconds{}}};
  const RecordedPattern late{1, {Seconds{}, Seconds{}, Seconds{0.05}}};
  const double expected = 0.75 * timeOf(player, {balanced}).value + 0.25 * timeOf(player, {late}).value;
  EXPECT_NEAR(timeOf(player, {balanced, late}).value, expected, 1e-12);
  EXPECT_NE(timeOf(player, {balanced}), timeOf(player, {late}));
}

TEST(CallPlayer, typesOfOtherSizesAreSimulatedByteByByte) {
  const std::vector<RecordedPattern> patterns{{1, {Seconds{}, Seconds{}}}};
  const CallPlayer known(keyOf("double", 800'000), someModel(), {}, 2);
  const CallPlayer unknown(keyOf("complex_double", 800'000), someModel(), {}, 2);
  EXPECT_NEAR(timeOf(unknown, patterns).value, timeOf(known, patterns).value, 1e-12);
}

TEST(CallPlayer, manyRanksArePredictedFromFewer) {
  const auto on_time = [](std::int32_t ranks) {
    return std::vector<RecordedPattern>{{1, std::vector<Seconds>(static_cast<std::size_t>(ranks))}};
  };
  const double few = timeOf(CallPlayer(keyOf("float", 4'000'000), someModel(), {}, 64), on_time(64)).value;
  const double many = timeOf(CallPlayer(keyOf("float", 4'000'000), someModel(), {}, 65), on_time(65)).value;
  // A ring of P ranks takes 2 (P - 1) latencies and 2 (P - 1) / P of the vector.
  const auto ring = [](double ranks) { return 2 * (ranks - 1) * (25e-6 + 4e-3 / ranks); };
  EXPECT_NEAR(few, ring(64), 1e-6);
  EXPECT_NEAR(many, ring(65), 0.01 * ring(65));
}

TEST(CallPlayer, aChoiceThatDoesNotExistCannotBeSimulated) {
  const CallPlayer player(keyOf("float", 4), someModel(), {}, 2);
  EXPECT_TRUE(canBeSimulated("slt:segments=3", player.usual()));
  EXPECT_FALSE(canBeSimulated("native", player.usual()));
  EXPECT_FALSE(canBeSimulated("wombat", player.usual()));
}

}  // namespace
}  // namespace starling::cli
