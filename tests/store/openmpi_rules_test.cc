#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/policy_document.h"

namespace starling {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

WeightedPolicy policy(std::int32_t size, std::int32_t size_class, const std::string& choice,
                      const std::string& site = "main", double seconds = 1.0, const std::string& operation = "sum") {
  WeightedPolicy weighted;
  weighted.policy.site = site;
  weighted.policy.communicator_size = size;
  weighted.policy.size_class = size_class;
  weighted.policy.type = "double";
  weighted.policy.operation = operation;
  weighted.policy.choice = choice;
  weighted.seconds = seconds;
  return weighted;
}

constexpr OpenMpiCounterpart kCounterparts[] = {{"native", "ignore", true},
                                                {"recursive_doubling", "recursive_doubling", true},
                                                {"rabenseifner", "rabenseifner", true},
                                                {"ring", "ring", true},
                                                {"ring_segmented", "segmented_ring", true, 4},
                                                {"slt", "ring"},
                                                {"prr", "ring"},
                                                {"reduce_bcast", "nonoverlapping", true},
                                                {"static_optimal", "nonoverlapping"},
                                                {"two_level", "ignore"},
                                                {"misspelled", "rign"}};

Export rulesOf(const std::vector<WeightedPolicy>& policies, bool all_commute = true) {
  return exportOpenMpiRules(policies, kCounterparts, all_commute);
}

// The part of the file below its head.
std::string blocks(const Export& exported) { return exported.text.substr(exported.text.find("\n0  #") + 1); }

TEST(OpenMpiRules, textIsAsExpectedWhenSizesAndClassesHaveGaps) {
  const Export exported =
      rulesOf({policy(4, 11, "recursive_doubling"), policy(4, 12, "ring_segmented:segments=8"),
               policy(4, 20, "rabenseifner", "solve()"), policy(5, 0, "reduce_bcast"), policy(9, 1, "native")});
  EXPECT_EQ(exported.text,
            R"(# Open MPI rules for MPI_Allreduce, exported by Starling from what it learned.
# For Open MPI 4.1 and 5.0. Version 6 and later read the same text with other communicator sizes: not for them.
# Use: mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename ABSOLUTE_PATH ...
# Open MPI 5.0 on several nodes also needs: --mca coll_han_priority 0
# A row holds from its bytes on, up to the next row: bytes, algorithm (0: Open MPI's own choice), 0, segment bytes.
1  # collectives
2  # the collective: allreduce
6  # communicator sizes

0  # communicators smaller than those below: not learned
1  # rows
0 0 0 0

4  # communicators of 4 ranks
6  # rows
0 0 0 0  # not learned
1025 3 0 0  # 1025 to 2048 bytes: recursive_doubling, learned at main
2049 5 0 128  # 2049 to 4096 bytes: ring_segmented:segments=8, learned at main
4097 0 0 0  # not learned
524289 6 0 0  # 524289 to 1048576 bytes: rabenseifner, learned at solve()
1048577 0 0 0  # not learned

5  # communicators of 5 ranks
2  # rows
0 2 0 0  # 0 to 1 bytes: reduce_bcast, learned at main
2 0 0 0  # not learned

6  # communicators of 6 ranks and more: not learned
1  # rows
0 0 0 0

9  # communicators of 9 ranks
3  # rows
0 0 0 0  # not learned
2 0 0 0  # 2 to 2 bytes: native, learned at main
3 0 0 0  # not learned

10  # communicators of 10 ranks and more: not learned
1  # rows
0 0 0 0
)");
}

TEST(OpenMpiRules, onlyTheGuardIsWrittenWhenNothingIsLearned) {
  for (const std::vector<WeightedPolicy>& none : {std::vector<WeightedPolicy>{}, {policy(1, 4, "ring")}}) {
    const Export exported = rulesOf(none);
    EXPECT_EQ(blocks(exported), "0  # communicators smaller than those below: not learned\n1  # rows\n0 0 0 0\n");
    EXPECT_THAT(exported.text, HasSubstr("\n1  # communicator sizes\n"));
    EXPECT_THAT(exported.warnings, Contains(HasSubstr("no policy to export")));
  }
}

TEST(OpenMpiRules, siteWithMostTimeWins) {
  const Export exported = rulesOf({policy(4, 5, "ring", "once", 5.0), policy(4, 5, "rabenseifner", "twice", 2.0),
                                   policy(4, 5, "reduce_bcast", "twice", 4.0, "max")});
  EXPECT_THAT(blocks(exported), HasSubstr("\n17 2 0 0  # 17 to 32 bytes: reduce_bcast, learned at twice\n"));
  EXPECT_THAT(exported.warnings, Contains(HasSubstr("In 1 size classes the policies disagree")));
}

TEST(OpenMpiRules, noWarningWhenNothingIsLost) {
  EXPECT_THAT(
      rulesOf({policy(4, 5, "recursive_doubling"), policy(4, 5, "recursive_doubling", "other"), policy(8, 5, "native")})
          .warnings,
      IsEmpty());
}

TEST(OpenMpiRules, nearestAlgorithmStandsInWithAWarning) {
  const Export exported =
      rulesOf({policy(4, 5, "slt:segments=64,window=8"), policy(4, 6, "prr"), policy(4, 7, "future_thing:x=1"),
               policy(4, 8, "static_optimal"), policy(4, 9, "two_level"), policy(4, 10, "misspelled")});
  EXPECT_THAT(blocks(exported),
              AllOf(HasSubstr("\n17 4 0 0  #"), HasSubstr("\n33 4 0 0  #"), HasSubstr("\n65 0 0 0  #"),
                    HasSubstr("\n129 2 0 0  #"), HasSubstr("\n257 0 0 0  #"), HasSubstr("\n513 0 0 0  #")));
  EXPECT_THAT(
      exported.warnings,
      AllOf(Contains(HasSubstr("slt is exported as ring (4)")), Contains(HasSubstr("prr is exported as ring (4)")),
            Contains(HasSubstr("static_optimal is exported as nonoverlapping (2)")),
            Contains(HasSubstr("two_level is exported as its own choice (0)")),
            Contains(HasSubstr("misspelled has no likeness")), Contains(HasSubstr("future_thing has no likeness"))));
}

TEST(OpenMpiRules, noRingIsWrittenWhenAnOperationDoesNotCommute) {
  const Export exported = rulesOf({policy(4, 5, "ring"), policy(4, 6, "ring_segmented:segments=2"), policy(4, 7, "slt"),
                                   policy(2, 9, "recursive_doubling", "elsewhere", 0.0, "user_noncommutative")});
  EXPECT_THAT(blocks(exported),
              AllOf(HasSubstr("\n17 6 0 0  #"), HasSubstr("\n33 6 0 0  #"), HasSubstr("\n65 6 0 0  #")));
  EXPECT_THAT(exported.warnings, Contains(HasSubstr("ring is exported as Rabenseifner (6)")));
  EXPECT_THAT(exported.warnings, Not(Contains(HasSubstr("do not use the file"))));
}

TEST(OpenMpiRules, noRingIsWrittenWhenAnOperationWithoutAPolicyDoesNotCommute) {
  EXPECT_THAT(blocks(rulesOf({policy(4, 5, "ring")}, false)), HasSubstr("\n17 6 0 0  #"));
  EXPECT_TRUE(isKnownToCommute("double", "sum"));
  EXPECT_TRUE(isKnownToCommute("double", "user"));
  EXPECT_TRUE(isKnownToCommute("derived", "other"));
  EXPECT_FALSE(isKnownToCommute("double", "user_noncommutative"));
  EXPECT_FALSE(isKnownToCommute("derived", "user_noncommutative"));
  EXPECT_FALSE(isKnownToCommute("derived", "user")) << "as it was recorded before these were told apart";
}

TEST(OpenMpiRules, ringsWarnThatOpenMpiDoesNotCheckOperations) {
  EXPECT_THAT(rulesOf({policy(4, 5, "ring")}).warnings, testing::ElementsAre(HasSubstr("do not use the file")));
}

TEST(OpenMpiRules, orderOfRanksIsReportedAsLost) {
  WeightedPolicy ordered = policy(2, 5, "rabenseifner");
  ordered.policy.table = {1, 0};
  EXPECT_THAT(rulesOf({ordered}).warnings, testing::ElementsAre(HasSubstr("1 policy would order the ranks")));
}

TEST(OpenMpiRules, nativeOrdersNoRanks) {
  WeightedPolicy ordered = policy(2, 5, "native");
  ordered.policy.table = {1, 0};
  EXPECT_THAT(rulesOf({ordered}).warnings, testing::Not(testing::Contains(HasSubstr("order the ranks"))));
}

TEST(OpenMpiRules, segmentsThatAChoiceDoesNotNameAreTheUsualOnes) {
  EXPECT_THAT(blocks(rulesOf({policy(4, 22, "ring_segmented")})), HasSubstr("\n2097153 5 0 262144  #"));
  EXPECT_THAT(blocks(rulesOf({policy(4, 22, "ring_segmented:segments=8")})), HasSubstr("\n2097153 5 0 131072  #"));
}

TEST(OpenMpiRules, communicatorsMayBeAsLargeAsNumbersAre) {
  EXPECT_THAT(blocks(rulesOf({policy(1 << 30, 22, "ring")})), HasSubstr("\n1073741825  # communicators of"));
}

TEST(OpenMpiRules, segmentBytesAreZeroWhenNotDerivable) {
  EXPECT_THAT(blocks(rulesOf({policy(4, 5, "ring_segmented:segments=x")})), HasSubstr("\n17 5 0 0  #"));
  EXPECT_THAT(blocks(rulesOf({policy(4, 12, "ring_segmented:window=2,segments=4")})), HasSubstr("\n2049 5 0 256  #"));
}

TEST(OpenMpiRules, lineFeedsInNamesDoNotEndTheComment) {
  const Export exported = rulesOf({policy(4, 5, "rabenseifner", "label:a\n99 1 0 0")});
  EXPECT_THAT(blocks(exported), HasSubstr("learned at label:a\\x0a99 1 0 0\n"));
}

TEST(OpenMpiRules, largestClassFitsIntoItsNumbers) {
  EXPECT_THAT(blocks(rulesOf({policy(4, 62, "rabenseifner")})),
              AllOf(HasSubstr("\n2305843009213693953 6 0 0  #"), HasSubstr("\n4611686018427387905 0 0 0  #")));
}

}  // namespace
}  // namespace starling
