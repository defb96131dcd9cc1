// Proves with the MPI library itself that an exported rules file takes effect: bad files are dropped without one word.
#include <gtest/gtest.h>
#include <stdio.h>

#include <array>
#include <map>
#include <sstream>
#include <string>
#include <tuple>

#include "fixture.h"
#include "store/policy_document.h"

namespace starling {
namespace {

constexpr int kRanks = 7;

// What rules_probe printed: fingerprints by algorithm, ranks and bytes.
struct Fingerprints {
  std::string library;
  std::map<std::tuple<std::string, int, std::int64_t>, std::string> found;

  const std::string& at(const std::string& algorithm, int ranks, std::int64_t bytes) const {
    return found.at({algorithm, ranks, bytes});
  }
};

Fingerprints runProbe(const std::string& options, const std::string& arguments) {
  const std::string command =
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout --kill-after=5 240 " STARLING_TEST_MPIRUN
      " --mca coll_tuned_use_dynamic_rules 1 " +
      options + " -n " + std::to_string(kRanks) + " " STARLING_RULES_PROBE " " + arguments;
  Fingerprints fingerprints;
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return fingerprints;
  std::array<char, 256> buffer{};
  while (::fgets(buffer.data(), static_cast<int>(buffer.size()), pipe) != nullptr) {
    std::istringstream line(buffer.data());
    std::string algorithm;
    line >> algorithm;
    if (algorithm == "library") {
      std::getline(line >> std::ws, fingerprints.library);
    } else {
      int ranks = 0;
      std::int64_t bytes = 0;
      std::string fingerprint;
      line >> ranks >> bytes >> fingerprint;
      fingerprints.found[{algorithm, ranks, bytes}] = fingerprint;
    }
  }
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return fingerprints;
}

WeightedPolicy policy(std::int32_t size, std::int32_t size_class, const std::string& choice) {
  WeightedPolicy weighted;
  weighted.policy.site = "label:rules_effect_test";
  weighted.policy.communicator_size = size;
  weighted.policy.size_class = size_class;
  weighted.policy.type = "uint8";
  weighted.policy.operation = "user";
  weighted.policy.choice = choice;
  return weighted;
}

// The algorithm that the file below asks for; 0 is the library's own choice.
int expectedAlgorithm(int ranks, std::int64_t bytes) {
  if (ranks == 4 && bytes > 1024 && bytes <= 2048) return 4;
  if (ranks == 4 && bytes > 2048 && bytes <= 4096) return 2;
  if (ranks == 4 && bytes > 8192 && bytes <= 16384) return 5;
  if (ranks == 6 && bytes > 1024 && bytes <= 2048) return 6;
  return 0;
}

TEST(OpenMpiRulesEffect, exportedAlgorithmRunsWhereItWasLearnedAndNowhereElse) {
  const TemporaryFolder folder;
  const OpenMpiCounterpart counterparts[] = {{"ring", "ring", true},
                                             {"reduce_bcast", "nonoverlapping", true},
                                             {"ring_segmented", "segmented_ring", true},
                                             {"rabenseifner", "rabenseifner", true}};
  const Export exported =
      exportOpenMpiRules({policy(4, 11, "ring"), policy(4, 12, "reduce_bcast"),
                          policy(4, 14, "ring_segmented:segments=2"), policy(6, 11, "rabenseifner")},
                         counterparts, true);
  writeFile(folder.file("rules"), exported.text);
  const std::string sizes = " 1024 1025 2048 2049 4096 4097 8192 8193 16384 16385";

  const Fingerprints forced = runProbe("", "forced" + sizes);
  if (forced.library.rfind("Open MPI v4.1", 0) != 0 && forced.library.rfind("Open MPI v5.0", 0) != 0) {
    GTEST_SKIP() << "these rules are for Open MPI 4.1 and 5.0, not for " << forced.library;
  }
  const Fingerprints ruled =
      runProbe("--mca coll_tuned_dynamic_rules_filename " + folder.file("rules"), "rules" + sizes);

  int learned = 0;
  for (const auto& [key, fingerprint] : ruled.found) {
    const auto& [name, ranks, bytes] = key;
    const int algorithm = expectedAlgorithm(ranks, bytes);
    EXPECT_EQ(fingerprint, forced.at(std::to_string(algorithm), ranks, bytes))
        << ranks << " ranks, " << bytes << " bytes: not algorithm " << algorithm;
    if (algorithm == 0) continue;
    ++learned;
    EXPECT_NE(fingerprint, forced.at("0", ranks, bytes)) << "the test would not see that the file has no effect";
  }
  EXPECT_EQ(ruled.found.size(), 6u * 10u);  // 2 to 7 ranks, ten sizes
  EXPECT_EQ(learned, 8);
}

}  // namespace
}  // namespace starling
