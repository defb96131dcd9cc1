#include "arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling::bench {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Arguments parsed(const std::vector<std::string>& words, std::int32_t ranks = 4) {
  ParsedArguments result = parseArguments(words, ranks);
  EXPECT_TRUE(result.arguments) << result.text;
  return result.arguments.value_or(Arguments{});
}

std::string errorOf(const std::vector<std::string>& words, std::int32_t ranks = 4) {
  const ParsedArguments result = parseArguments(words, ranks);
  EXPECT_FALSE(result.arguments);
  EXPECT_EQ(result.exit_code, 2);
  return result.text;
}

TEST(Arguments, defaultsMeasureEverythingOnce) {
  const Arguments arguments = parsed({});
  EXPECT_THAT(arguments.algorithms, Contains("native"));
  EXPECT_THAT(arguments.algorithms, Contains("tuned"));
  EXPECT_THAT(arguments.algorithms, Contains("prr"));
  EXPECT_THAT(arguments.counts, ElementsAre(1 << 20));
  EXPECT_THAT(arguments.delays_ms, ElementsAre(0.0));
  EXPECT_FALSE(arguments.beta_ns);
}

TEST(Arguments, listsAreSplitAtCommasOutsideParameters) {
  const Arguments arguments =
      parsed({"--algorithm", "ring,slt:segments=8,window=2,native", "--count", "1,2Ki", "--delay", "0,1.5"});
  EXPECT_THAT(arguments.algorithms, ElementsAre("ring", "slt:segments=8,window=2", "native"));
  EXPECT_THAT(arguments.counts, ElementsAre(1, 2048));
  EXPECT_THAT(arguments.delays_ms, ElementsAre(0.0, 1.5));
}

TEST(Arguments, aParameterGoesToEveryAlgorithmThatHasIt) {
  const Arguments arguments = parsed({"--algorithm", "ring,slt:segments=8,native", "--param", "window=2"});
  EXPECT_THAT(arguments.algorithms, ElementsAre("ring:window=2", "slt:segments=8,window=2", "native"));
  EXPECT_THAT(errorOf({"--algorithm", "ring", "--param", "segments=2"}), HasSubstr("none of the algorithms"));
  EXPECT_THAT(errorOf({"--algorithm", "ring", "--param", "window=99"}), HasSubstr("window"));
}

TEST(Arguments, orderKeepingRowsOnlyForMatrices) {
  const Arguments arguments = parsed({"--op", "matrix"});
  EXPECT_THAT(arguments.algorithms, Not(Contains("ring")));
  EXPECT_THAT(arguments.algorithms, Contains("slt"));
  EXPECT_THAT(errorOf({"--op", "matrix", "--algorithm", "ring"}), HasSubstr("not valid"));
}

TEST(Arguments, broadcastsAndReductionsHaveAlgorithmsOfTheirOwn) {
  EXPECT_EQ(parsed({}).collective, Collective::kAllreduce);
  for (const char* name : {"bcast", "reduce"}) {
    const Arguments arguments = parsed({"--collective", name});
    EXPECT_STREQ(collectiveName(arguments.collective), name);
    EXPECT_THAT(arguments.algorithms, ElementsAre("native", "planned", "tuned"));
    EXPECT_THAT(parsed({"--collective", name, "--algorithm", "tuned"}).algorithms, ElementsAre("tuned"));
    EXPECT_THAT(errorOf({"--collective", name, "--algorithm", "ring"}), HasSubstr("native, planned or tuned"));
    EXPECT_THAT(parsed({"--collective", name, "--algorithm", "native:ompi"}).algorithms, ElementsAre("native:ompi"));
  }
  EXPECT_THAT(errorOf({"--algorithm", "planned"}), HasSubstr("planned"));
  EXPECT_THAT(errorOf({"--collective", "scatter"}), HasSubstr("none of allreduce, bcast, reduce"));
}

TEST(Arguments, loopsCallMpiAsItIs) {
  const Arguments loop = parsed({"--back-to-back", "--pattern", "none", "--type", "char", "--iterations", "7"});
  EXPECT_EQ(loop.procedure, Procedure::kBackToBack);
  EXPECT_TRUE(loop.has_iterations);
  EXPECT_FALSE(loop.has_warmup);
  EXPECT_EQ(parsed({"--overhead", "--sites", "40"}).sites, 40);
  EXPECT_EQ(parsed({}).procedure, Procedure::kImposed);
  EXPECT_THAT(errorOf({"--overhead", "--pattern", "one-late"}), HasSubstr("leave out --pattern one-late"));
  EXPECT_THAT(errorOf({"--back-to-back", "--algorithm", "ring"}), HasSubstr("leave out --algorithm"));
  EXPECT_THAT(errorOf({"--overhead", "--collective", "bcast"}), HasSubstr("--collective"));
  EXPECT_THAT(errorOf({"--type", "char"}), HasSubstr("add --back-to-back"));
  EXPECT_THAT(errorOf({"--overhead", "--sites", "65"}), HasSubstr("--sites"));
  EXPECT_THAT(errorOf({"--overhead", "--back-to-back"}), HasSubstr("--back-to-back"));
  EXPECT_THAT(errorOf({"--overhead", "--from-first-call"}), HasSubstr("leave out --from-first-call"));
}

TEST(Arguments, phasesShareTheCallsEvenly) {
  EXPECT_EQ(parsed({"--pattern", "phases"}).iterations, 240);
  EXPECT_EQ(parsed({"--pattern", "phases", "--iterations", "8"}).iterations, 8);
  EXPECT_EQ(parsed({"--pattern", "one-late"}).iterations, 5);
  EXPECT_THAT(errorOf({"--pattern", "phases", "--iterations", "5"}), HasSubstr("give a multiple of 4"));
  EXPECT_THAT(errorOf({"--pattern", "phases"}, 1), HasSubstr("2 ranks or more"));
  EXPECT_THAT(errorOf({"--pattern", "phases", "--late-rank", "4"}), HasSubstr("0 to 3"));
}

TEST(Arguments, asAProgramThereIsNothingBetweenCallsToLearnFrom) {
  EXPECT_FALSE(parsed({}).as_program);
  EXPECT_TRUE(parsed({"--as-program", "--pattern", "gaussian", "--predict", "none"}).as_program);
  EXPECT_THAT(errorOf({"--as-program", "--predict", "learned"}), HasSubstr("use another --predict"));
  EXPECT_THAT(errorOf({"--as-program", "--back-to-back"}), HasSubstr("leave one out"));
  EXPECT_THAT(errorOf({"--as-program", "--overhead"}), HasSubstr("leave one out"));
}

TEST(Arguments, nonsenseIsRefused) {
  EXPECT_THAT(errorOf({"--algorithm", "rung"}), HasSubstr("tuned"));
  EXPECT_THAT(errorOf({"--count", "3Gi"}), HasSubstr("at most"));
  EXPECT_THAT(errorOf({"--delay", "-1"}), HasSubstr("milliseconds"));
  EXPECT_THAT(errorOf({"--pattern", "recorded:tuning.db:3", "--delay", "5"}), HasSubstr("leave it out"));
  EXPECT_THAT(errorOf({"--pattern", "late:5"}), HasSubstr("only 4 ranks"));
  EXPECT_THAT(errorOf({"--pattern", "one-late", "--late-rank", "4"}), HasSubstr("0 to 3"));
  EXPECT_THAT(errorOf({"--predict", "maybe"}), HasSubstr("--predict"));
  EXPECT_THAT(errorOf({"--beta", "8"}), HasSubstr("--beta"));
  EXPECT_THAT(errorOf({"--json", "-", "--csv", "-"}), HasSubstr("standard output"));
  EXPECT_THAT(errorOf({"--nonsense"}), HasSubstr("starling-bench --help"));
}

TEST(Arguments, optionsDoNotSwallowWhatStandsBehindThem) {
  EXPECT_THAT(errorOf({"--json", "--algorithm", "ring"}),
              HasSubstr("--json: FILE is missing: --algorithm, which follows"));
  EXPECT_THAT(errorOf({"--csv", "--json=x"}), HasSubstr("--csv: FILE is missing: --json=x"));
  EXPECT_THAT(errorOf({"--count", "--quiet"}), HasSubstr("N,... is missing: --quiet"));
  EXPECT_THAT(errorOf({"--json", "-x"}), HasSubstr("is written ./-x"));
  EXPECT_EQ(parsed({"--json", "-"}).json, "-");
  EXPECT_EQ(parsed({"--json=x"}).json, "x");
}

TEST(Arguments, oneRankTakesThePatternsOfMany) {
  EXPECT_EQ(parsed({"--pattern", "one-late"}, 1).pattern.kind, PatternKind::kOneLate);
}

TEST(Arguments, helpAndVersionAreNoErrors) {
  const ParsedArguments help = parseArguments({"--help"}, 2);
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.text, HasSubstr("--pattern"));
  EXPECT_EQ(parseArguments({"--version"}, 2).exit_code, 0);
}

}  // namespace
}  // namespace starling::bench
