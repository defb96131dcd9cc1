#include "tuner/choice_gain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>

namespace starling {
namespace {

const Choice kRing = parseChoice("ring").value();

MeasuredChoices measured(std::initializer_list<double> native, std::initializer_list<double> ring) {
  MeasuredChoices choices;
  const auto observe = [&choices](const Choice& choice, double seconds) {
    CallTimes times;
    times.elapsed = times.compared = times.net = {seconds};
    choices.observe(choice, times, true);
  };
  for (const double seconds : native) observe(kNativeChoice, seconds);
  for (const double seconds : ring) observe(kRing, seconds);
  return choices;
}

KeyCosts::Ratio believed(double ratio, double deviation) { return {std::log(ratio), deviation}; }

TEST(ChoiceGain, isNotKnownBeforeBothWereMeasured) {
  for (const MeasuredChoices& choices : {measured({}, {}), measured({2.0}, {}), measured({}, {1.0})}) {
    const ChoiceGain gain(choices, kRing, believed(3.0, 0.1), false);
    EXPECT_FALSE(gain.ratio());
    EXPECT_FALSE(gain.error());
  }
}

TEST(ChoiceGain, isNotKnownWhereTheClockIsTooCoarse) {
  EXPECT_FALSE(ChoiceGain(measured({0.0}, {1.0}), kRing, {}, false).ratio());
  EXPECT_FALSE(ChoiceGain(measured({1.0}, {0.0}), kRing, {}, false).ratio());
}

TEST(ChoiceGain, isTheRatioOfTheMedians) {
  const ChoiceGain once(measured({2.0}, {1.0}), kRing, {}, false);
  EXPECT_EQ(once.ratio(), 2.0);
  EXPECT_FALSE(once.error()) << "one call of each says nothing of how they scatter";
  const ChoiceGain often(measured({1.9, 2.0, 9.0}, {0.9, 1.0, 1.1}), kRing, {}, false);
  EXPECT_EQ(often.ratio(), 2.0);
  EXPECT_GT(often.error().value(), 0.0);
}

TEST(ChoiceGain, isWhatPromisesLessWhereBeliefAndMeasurementContradictEachOther) {
  const MeasuredChoices choices = measured({3.9, 4.0, 4.1}, {1.0, 1.0, 1.0});
  EXPECT_EQ(ChoiceGain(choices, kRing, believed(3.8, 0.1), false).ratio(), 4.0) << "they agree";
  EXPECT_NEAR(ChoiceGain(choices, kRing, believed(2.0, 0.1), false).ratio().value(), 2.0, 1e-12);
  EXPECT_NEAR(ChoiceGain(choices, kRing, believed(8.0, 0.1), false).ratio().value(), 4.0, 1e-12);
}

TEST(ChoiceGain, isAsUncertainAsBeliefAndMeasurementAreApart) {
  const MeasuredChoices choices = measured({3.9, 4.0, 4.1}, {1.0, 1.0, 1.0});
  const double alone = ChoiceGain(choices, kRing, {}, false).error().value();
  const double agreeing = ChoiceGain(choices, kRing, believed(4.0, 0.01), false).error().value();
  const double apart = ChoiceGain(choices, kRing, believed(2.0, 0.01), false).error().value();
  EXPECT_GT(agreeing, alone);
  EXPECT_NEAR(apart / 2.0, std::log(2.0), 0.1);
}

TEST(ChoiceGain, isWhatOthersHaveFoundUntilBothWereMeasuredSeveralTimes) {
  const ChoiceGain inherited(measured({9.0}, {1.0}), kRing, believed(2.0, 0.1), true);
  EXPECT_NEAR(inherited.ratio().value(), 2.0, 1e-12);
  EXPECT_NEAR(inherited.error().value(), 0.2, 1e-12);
  const ChoiceGain own(measured({4.0, 4.0, 4.0}, {1.0, 1.0, 1.0}), kRing, believed(4.1, 0.1), true);
  EXPECT_EQ(own.ratio(), 4.0);
  EXPECT_FALSE(ChoiceGain(measured({}, {}), kRing, {}, true).ratio()) << "nothing is believed";
}

}  // namespace
}  // namespace starling
