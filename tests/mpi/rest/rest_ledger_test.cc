#include "mpi/rest/rest_ledger.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

namespace starling {
namespace {

constexpr Signature kVector{.count = 8, .element_size = 8, .type = 1, .operation = 1};
constexpr const char* kCommunicator = "world";

// Two sites are known to the ranks, and the keys of their calls of one vector to rank 0's tuner.
class RestLedgerTest : public testing::Test {
 protected:
  RestLedgerTest() {
    ledger_.reserve();
    for (const LocalSite line : {kLines[0], kLines[1]}) {
      tracker_.record(line, kVector, tracker_.predict(kVector));
    }
    tracker_.closeEpoch();
    for (const SiteTracker::Call& call : tracker_.resolve(true)) addKey(call.site);
  }
  std::int32_t addKey(SiteId site) {
    const std::int32_t index = keys_.findOrAdd(keyOf(site, kVector), kVector);
    tuner_.addKey({kCommunicator, "site" + std::to_string(index), 6, "double", "sum"}, {2, kVector.count, true},
                  Bytes{8}, {}, true, {});
    return index;
  }
  static CallOrigin from(LocalSite line) { return {.return_address = line}; }
  static RestingCall restingCall() { return {.any = keyOf(kAnySite, kVector), .bytes = kVector.bytes()}; }
  void count(LocalSite line, int calls) {
    for (int i = 0; i < calls; ++i) ledger_.count(restingCall(), from(line));
  }
  // Returns the calls of each key that the tuner records.
  std::map<std::string, std::int64_t> recorded() {
    std::map<std::string, std::int64_t> calls;
    for (const KeyRecord& key : tuner_.drain().keys) calls[key.id.site] = key.calls;
    return calls;
  }

  static constexpr std::array<LocalSite, 2> kLines{41, 42};
  CallSites sites_{true};
  SiteTracker tracker_;
  KeyTable keys_;
  CommunicatorTuner tuner_{TunerSettings{}, 2};
  RestLedger ledger_{keys_, tracker_, sites_};
};

TEST_F(RestLedgerTest, callsAreBookedToTheKeyOfTheirPlace) {
  count(kLines[0], 5);
  count(kLines[1], 2);
  EXPECT_FALSE(ledger_.asksForEnd());
  ledger_.book(tuner_, {}, 1.0, kCommunicator);
  const auto calls = recorded();
  EXPECT_EQ(calls.at("site0"), 5);
  EXPECT_EQ(calls.at("site1"), 2);
  Batch batch;
  ledger_.drain(batch);
  EXPECT_TRUE(batch.isEmpty()) << "each has a key";
}

// One call of each key was looked at, and took 1 ms.
TEST_F(RestLedgerTest, callsOfKeysTakeTheShareThatIsKnownOfWhatTheyUsuallyDo) {
  std::vector<EpochCall> calls(2);
  std::vector<CallSummary> samples(2);
  for (std::int32_t key = 0; key < 2; ++key) {
    const auto index = static_cast<std::size_t>(key);
    calls[index].key = calls[index].sample = key;
    for (std::int32_t rank = 0; rank < 2; ++rank) samples[index].add({rank, 0, 1'000'000, 0});
  }
  EXPECT_EQ(ledger_.usualTime(tuner_), Seconds{});
  tuner_.digest({0, calls, samples});
  EXPECT_EQ(tuner_.closeTotals(), 1.0);
  count(kLines[0], 50);
  count(kLines[1], 150);
  EXPECT_NEAR(ledger_.usualTime(tuner_).value, 0.2, 1e-9);
  ledger_.book(tuner_, {}, 0.1, kCommunicator);
  std::map<std::string, double> seconds;
  for (const KeyRecord& key : tuner_.drain().keys) seconds[key.id.site] = key.seconds.value_or(-1.0);
  EXPECT_NEAR(seconds.at("site0"), 0.001 + 0.005, 1e-9);
  EXPECT_NEAR(seconds.at("site1"), 0.001 + 0.015, 1e-9);
  count(43, 100);
  EXPECT_NEAR(ledger_.usualTime(tuner_).value, 0.3, 1e-9) << "those that no key has take as long as the others";
  EXPECT_NEAR(tuner_.closeTotals(Seconds{0.6}, Seconds{0.3}), 2.0, 1e-9);
}

TEST_F(RestLedgerTest, callsOfAPlaceWithoutAKeyAreBookedWhenItHasOne) {
  count(43, 7);
  ledger_.book(tuner_, {}, 1.0, kCommunicator);
  ledger_.clear();
  ledger_.book(tuner_, {}, 1.0, kCommunicator);
  EXPECT_TRUE(recorded().empty());
  Batch batch;
  ledger_.drain(batch);
  ASSERT_EQ(batch.keys.size(), 1U);
  EXPECT_EQ(batch.keys[0].calls, 7);

  tracker_.record(43, kVector, tracker_.predict(kVector));
  tracker_.closeEpoch();
  const SiteId site = tracker_.resolve(true).back().site;
  const std::int32_t index = addKey(site);
  ledger_.bookEarlier(tuner_, index, keyOf(site, kVector));
  EXPECT_EQ(recorded().at("site2"), 7);
  ledger_.bookEarlier(tuner_, index, keyOf(site, kVector));
  EXPECT_TRUE(recorded().empty()) << "once";
}

TEST_F(RestLedgerTest, asksForTheEndOfARestWithManyCallsOfNoKeyAndLessOftenEachTime) {
  count(43, 63);
  EXPECT_FALSE(ledger_.asksForEnd());
  count(43, 1);
  EXPECT_TRUE(ledger_.asksForEnd());
  EXPECT_FALSE(ledger_.asksForEnd());
  count(43, 64);
  EXPECT_TRUE(ledger_.asksForEnd());
}

TEST_F(RestLedgerTest, callsOfTooManyPlacesCountAsThoseThatWereLookedAt) {
  constexpr int kPlaces = 1000;
  for (int place = 0; place < kPlaces; ++place) count(static_cast<LocalSite>(1000 + place), 1);
  std::array<EpochCall, 4> seen;
  seen[3].key = 1;
  ledger_.book(tuner_, seen, 1.0, kCommunicator);
  const auto calls = recorded();
  Batch batch;
  ledger_.drain(batch);
  std::int64_t unplaced = 0;
  for (const KeyRecord& key : batch.keys) unplaced += key.calls;
  EXPECT_EQ(calls.at("site0") + calls.at("site1") + unplaced, kPlaces);
  EXPECT_NEAR(static_cast<double>(calls.at("site0")) / static_cast<double>(calls.at("site1")), 3.0, 0.01);
}

TEST_F(RestLedgerTest, whereNoneOfThemWasLookedAtTheyCountAsThoseOfTheBusiestKey) {
  keys_.entry(1).known_calls = 9;
  for (int place = 0; place < 1000; ++place) count(static_cast<LocalSite>(1000 + place), 1);
  ledger_.book(tuner_, {}, 1.0, kCommunicator);
  const auto calls = recorded();
  EXPECT_FALSE(calls.contains("site0"));
  EXPECT_GT(calls.at("site1"), 900);
}

}  // namespace
}  // namespace starling
