#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "fixture.h"
#include "store/policy_document.h"

namespace starling {
namespace {

using testing::AllOf;
using testing::HasSubstr;

PolicyDocument sampleDocument() { return {sampleEnvironment(), "heat", {samplePolicy()}}; }

constexpr const char* kSampleText = R"({
  "format": "starling-policy",
  "version": 1,
  "environment": {
    "ranks": 8,
    "nodes": 2,
    "ranks_per_node": 4,
    "processor": "Example 9000",
    "mpi_version": "Open MPI v4.1.4",
    "transport": "network"
  },
  "program": "heat",
  "policies": [
    {
      "site": "heat[ab12]+0x40",
      "communicator_size": 3,
      "size_class": 13,
      "type": "double",
      "operation": "sum",
      "choice": "slt:segments=64,window=8",
      "table": [2,0,1],
      "lateness_ns": [0,1500,9000000000],
      "gain": 1.25,
      "compared_by": "post_arrival",
      "reason": "slt was quicker. Rank 1 is late."
    }
  ]
}
)";

// The message for the sample with `pattern` replaced.
std::string errorWhen(const std::string& pattern, const std::string& replacement) {
  const std::string text = std::regex_replace(std::string(kSampleText), std::regex(pattern), replacement);
  EXPECT_NE(text, kSampleText) << pattern << " is not in the sample";
  return parsePolicyJson(text).status().message();
}

TEST(PolicyJson, textIsAsDocumentedWhenFormatted) { EXPECT_EQ(formatPolicyJson(sampleDocument()), kSampleText); }

TEST(PolicyJson, documentComesBackWhenParsed) {
  PolicyDocument document = sampleDocument();
  document.policies.push_back({.site = "any",
                               .communicator_size = 1,
                               .size_class = 0,
                               .type = "float",
                               .operation = "max",
                               .choice = "native",
                               .table = {},
                               .lateness_ns = {},
                               .gain = {},
                               .compared_by = {},
                               .reason = "\"quoted\"\n\xc3\xa9"});
  const Result<PolicyDocument> parsed = parsePolicyJson(formatPolicyJson(document));
  ASSERT_TRUE(parsed.isOk()) << parsed.status().message();
  EXPECT_EQ(parsed.value().environment, document.environment);
  EXPECT_EQ(parsed.value().program, document.program);
  EXPECT_TRUE(parsed.value().policies == document.policies);
}

TEST(PolicyJson, emptyDocumentComesBack) {
  const Result<PolicyDocument> parsed = parsePolicyJson(formatPolicyJson({sampleEnvironment(), "heat", {}}));
  ASSERT_TRUE(parsed.isOk()) << parsed.status().message();
  EXPECT_TRUE(parsed.value().policies.empty());
}

TEST(PolicyJson, bytesThatAreNoTextAreReplacedWhenFormatted) {
  PolicyDocument document = sampleDocument();
  document.program = "he\xff\xfe";
  EXPECT_TRUE(parsePolicyJson(formatPolicyJson(document)).isOk());
}

TEST(PolicyJson, fieldsWithDefaultsMayBeLeftOut) {
  const std::string text =
      std::regex_replace(std::string(kSampleText), std::regex(",\\s*\"table\": [^}]*\n    \\}"), "}");
  const Result<PolicyDocument> parsed = parsePolicyJson(text);
  ASSERT_TRUE(parsed.isOk()) << parsed.status().message();
  const PolicyRecord& policy = parsed.value().policies.front();
  EXPECT_TRUE(policy.table.empty() && policy.lateness_ns.empty() && policy.reason.empty() && !policy.gain);
}

TEST(PolicyJson, manyEntriesInARowMayBeOneText) {
  const std::string text = std::regex_replace(
      std::regex_replace(std::string(kSampleText), std::regex("\"table\": [^\n]*\n"), "\"table\": [2,\"0-1\"],\n"),
      std::regex("0,1500,9000000000"), "\"2*0\",7");
  const Result<PolicyDocument> parsed = parsePolicyJson(text);
  ASSERT_TRUE(parsed.isOk()) << parsed.status().message();
  EXPECT_EQ(parsed.value().policies.front().table, (std::vector<std::int32_t>{2, 0, 1}));
  EXPECT_EQ(parsed.value().policies.front().lateness_ns, (std::vector<std::int64_t>{0, 0, 7}));
  EXPECT_THAT(errorWhen("2,0,1", "\"1-0\""), HasSubstr("policies[0].table[0]: is a text; expected a whole number, or"));
}

TEST(PolicyJson, fieldsMayNotBeThereTwice) {
  EXPECT_THAT(errorWhen("\"program\": \"heat\"", "\"program\": \"heat\", \"program\": \"other\""),
              HasSubstr("\"program\": is there twice in one object"));
  EXPECT_THAT(errorWhen("\"size_class\": 13", "\"size_class\": 13, \"size_class\": 14"),
              HasSubstr("\"size_class\": is there twice in one object"));
}

TEST(PolicyJson, errorSaysLineWhenTextIsNoJson) {
  EXPECT_THAT(errorWhen("\"version\": 1,", "\"version\": ,"), AllOf(HasSubstr("line 3"), HasSubstr("expected")));
  EXPECT_THAT(parsePolicyJson("").status().message(), HasSubstr("line 1"));
}

TEST(PolicyJson, errorNamesFieldWhenHeaderIsWrong) {
  EXPECT_THAT(parsePolicyJson("[]").status().message(), HasSubstr("expected an object"));
  EXPECT_THAT(errorWhen("starling-policy", "other"), HasSubstr("format: is \"other\"; expected \"starling-policy\""));
  EXPECT_THAT(errorWhen("\"format\".*\n", "\n"), HasSubstr("format: is missing"));
  EXPECT_THAT(errorWhen("\"version\": 1", "\"version\": 2"), HasSubstr("version: is 2; this Starling reads version 1"));
  EXPECT_THAT(errorWhen("\"version\": 1,", ""), HasSubstr("version: is missing"));
  constexpr std::size_t kDeep = 200'000;
  const std::string deep = "\"version\": " + std::string(kDeep, '[') + std::string(kDeep, ']');
  EXPECT_THAT(errorWhen("\"version\": 1", deep), HasSubstr("too deep in each other"));
  EXPECT_THAT(errorWhen("\"version\": 1", "\"version\": [\"]]\\\"[\"]"),
              HasSubstr("version: is a list; this Starling reads version 1"));
  EXPECT_THAT(errorWhen("\"program\": \"heat\",", ""), HasSubstr("program: is missing"));
  EXPECT_THAT(errorWhen("\"heat\"", "3"), HasSubstr("program: expected a text"));
  EXPECT_THAT(errorWhen("\"program\"", "\"programme\": 1, \"program\""), HasSubstr("programme: is no known field"));
}

TEST(PolicyJson, errorNamesFieldWhenItsKindIsWrong) {
  EXPECT_THAT(errorWhen("\"nodes\": 2", "\"nodes\": \"2\""),
              HasSubstr("environment.nodes: is a text; expected a whole number"));
  EXPECT_THAT(errorWhen("\"nodes\": 2", "\"nodes\": 2.5"), HasSubstr("environment.nodes: is a fraction"));
  EXPECT_THAT(errorWhen("\"nodes\": 2", "\"nodes\": 3000000000"),
              HasSubstr("environment.nodes: is 3000000000; expected a whole number from -2147483648 to 2147483647"));
  EXPECT_THAT(errorWhen("\\[2,0,1\\]", "[2,true,1]"), HasSubstr("policies[0].table[1]: is true"));
  EXPECT_THAT(errorWhen("\\[2,0,1\\]", "{}"), HasSubstr("policies[0].table: is an object; expected a list"));
  EXPECT_THAT(errorWhen("1\\.25", "\"1.25\""), HasSubstr("policies[0].gain: is a text; expected a number"));
  EXPECT_THAT(errorWhen("\"type\": \"double\"", "\"type\": null"), HasSubstr("policies[0].type: is null"));
  EXPECT_THAT(errorWhen("\"choice\".*\n", "\n"), HasSubstr("policies[0].choice: is missing"));
  EXPECT_THAT(errorWhen("\"reason\"", "\"raeson\""), AllOf(HasSubstr("policies[0].raeson: is no known field"),
                                                           HasSubstr("lateness_ns, gain, compared_by, reason")));
}

TEST(PolicyJson, errorNamesFieldWhenItsValueMakesNoSense) {
  EXPECT_THAT(errorWhen("\"communicator_size\": 3", "\"communicator_size\": 0"),
              HasSubstr("policies[0].communicator_size: is 0; expected 1 or more"));
  EXPECT_THAT(errorWhen("\"size_class\": 13", "\"size_class\": 63"), HasSubstr("policies[0].size_class: is 63"));
  EXPECT_THAT(errorWhen("\"size_class\": 13", "\"size_class\": -1"), HasSubstr("policies[0].size_class: is -1"));
  EXPECT_THAT(errorWhen("\\[2,0,1\\]", "[2,0,2]"),
              HasSubstr("policies[0].table: is no order of the ranks; expected each of 0 to 2 once"));
  EXPECT_THAT(errorWhen("\\[2,0,1\\]", "[1,0]"), HasSubstr("policies[0].table"));
  EXPECT_THAT(errorWhen("\\[0,1500,9000000000\\]", "[0]"),
              HasSubstr("policies[0].lateness_ns: has 1 entries; expected 3"));
  EXPECT_THAT(errorWhen("\\[0,1500,", "[0,-1,"),
              HasSubstr("policies[0].lateness_ns[1]: is -1; expected 0, for on time, or more"));
  EXPECT_THAT(errorWhen("\"post_arrival\"", "\"size\""), HasSubstr("policies[0].compared_by: is \"size\""));
  EXPECT_THAT(errorWhen("\"site\": \"[^\"]*\"", "\"site\": \"\""), HasSubstr("policies[0].site: is empty"));
  EXPECT_THAT(errorWhen("\"choice\": \"[^\"]*\"", "\"choice\": \"\""), HasSubstr("policies[0].choice: is empty"));
}

TEST(PolicyJson, errorNamesFieldWhenNoRunIsInThatEnvironment) {
  EXPECT_THAT(errorWhen("\"ranks\": 8", "\"ranks\": -3"), HasSubstr("environment.ranks: is -3; expected 1 or more"));
  EXPECT_THAT(errorWhen("\"nodes\": 2", "\"nodes\": 9"),
              HasSubstr("environment.nodes: is 9; expected 1 to 8, the number of ranks"));
  EXPECT_THAT(
      errorWhen("\"ranks_per_node\": 4", "\"ranks_per_node\": 0"),
      HasSubstr("environment.ranks_per_node: is 0; expected 4 to 7, the most that one of 2 nodes has of 8 ranks"));
  for (const char* count : {"3", "8"}) {
    EXPECT_THAT(errorWhen("\"ranks_per_node\": 4", std::string("\"ranks_per_node\": ") + count),
                HasSubstr(std::string("environment.ranks_per_node: is ") + count + "; expected 4 to 7"));
  }
  EXPECT_THAT(errorWhen("\"Example 9000\"", "\"\""), HasSubstr("environment.processor: is empty; expected"));
  EXPECT_THAT(errorWhen("\"Open MPI v4.1.4\"", "\"\""), HasSubstr("environment.mpi_version: is empty; expected"));
  EXPECT_THAT(errorWhen("\"network\"", "\"pigeon\""),
              HasSubstr("environment.transport: is \"pigeon\"; expected \"shared_memory\" or \"network\""));
  EXPECT_THAT(errorWhen("\"network\"", "\"shared_memory\""),
              HasSubstr("environment.transport: is \"shared_memory\"; expected \"network\", as there are 2 nodes"));
  for (const char* version : {"Open MPI v4.1.4, package", "Open MPI\\nv4.1.4"}) {
    EXPECT_THAT(errorWhen("Open MPI v4.1.4", version),
                AllOf(HasSubstr("environment.mpi_version: is \"Open MPI"), HasSubstr("before the first comma")));
  }
  EXPECT_THAT(errorWhen("\"program\": \"heat\"", "\"program\": \"\""), HasSubstr("program: is empty; expected"));
  for (const std::string program : {"/usr/bin/heat", "heat/"}) {
    EXPECT_THAT(errorWhen("\"program\": \"heat\"", "\"program\": \"" + program + "\""),
                HasSubstr("program: is \"" + program + "\"; expected the file name of the executable"));
  }
}

TEST(PolicyJson, ranksNeedNotBeEvenlyOnNodes) {
  PolicyDocument document = sampleDocument();
  for (const std::int32_t most : {3, 4, 6}) {
    document.environment.nodes = 3;
    document.environment.ranks_per_node = most;
    EXPECT_TRUE(parsePolicyJson(formatPolicyJson(document)).isOk()) << most;
  }
}

TEST(PolicyJson, communicatorMayBeLargerThanTheWorld) {
  PolicyDocument document = sampleDocument();
  document.policies[0].communicator_size = document.environment.ranks + 1;
  document.policies[0].table.clear();
  document.policies[0].lateness_ns.clear();
  EXPECT_TRUE(parsePolicyJson(formatPolicyJson(document)).isOk()) << "it may join ranks that were spawned";
}

TEST(PolicyJson, errorNamesSiteThatIsOfNoKnownForm) {
  for (const char* site :
       {"pressure", "Label:pressure", "heat+0x40", "heat[ab12]+40", "heat[ab12]+0x", "heat[ab12]+0xAB", "heat[zz]+0x40",
        "heat]ab12[+0x40", "address:", "address:40", "signatures", "[]+0x1", "[ab12]+0x1",
        "heat[0123456789abcdef0]+0x40", "heat[ab12]+0x0040", "heat[ab12]+0x00", "/usr/bin/heat[ab12]+0x40",
        "address:0x07f00", "address:0x10000000000000000"}) {
    PolicyDocument document = sampleDocument();
    document.policies[0].site = site;
    EXPECT_THAT(parsePolicyJson(formatPolicyJson(document)).status().message(),
                HasSubstr(std::string("policies[0].site: is \"") + site + "\"; expected \"label:NAME\""));
  }
}

TEST(PolicyJson, siteMayBeOfEachForm) {
  for (const char* site : {"label:pressure", "label:", "heat[ab12]+0x40", "a[b] c[]+0x0",
                           "heat[0123456789abcdef]+0xffffffffffffffff", "address:0x7f00", "signature", "any"}) {
    PolicyDocument document = sampleDocument();
    document.policies[0].site = site;
    const Result<PolicyDocument> parsed = parsePolicyJson(formatPolicyJson(document));
    EXPECT_TRUE(parsed.isOk()) << parsed.status().message();
  }
}

}  // namespace
}  // namespace starling
