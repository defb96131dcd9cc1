#include "standings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling::gym {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

TEST(Standings, tellsMediansAndSharesOfTheWorldsWhereTheyAreDefined) {
  Figures good;
  good.regret = 0.01;
  good.exploration_calls = 4;
  good.settled = 10.0;
  good.near_best = 7.0;
  good.left_wrongly = false;
  good.claimed_wrongly = false;
  Figures bad;
  bad.regret = 0.03;
  bad.worst_stretch = 1.5;
  bad.exploration_calls = 8;
  bad.left_wrongly = true;
  bad.claimed_wrongly = true;
  const std::string text = describe({{"somebody", {good, bad, good}}});
  EXPECT_THAT(text, HasSubstr("left wrongly"));
  EXPECT_THAT(
      text, ContainsRegex(
                "somebody +1\\.0 % +2\\.8 % +33\\.3 % +- +33\\.3 % +10 / 10 +7 / 7 +- / - +- / - +1\\.45 +1\\.50 +4"));
}

TEST(Standings, hasDashesWhereNothingIsDefined) {
  EXPECT_THAT(describe({{"nobody", {}}}), ContainsRegex("nobody +- +- +- +-"));
}

}  // namespace
}  // namespace starling::gym
