// A program whose buffers lie on a device, under a device-aware MPI library, with Starling preloaded. The host that
// touches such a buffer crashes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "launcher.h"

namespace starling {
namespace {

const std::string kDeviceAware = STARLING_DEVICE_AWARE_MPI ":" STARLING_FAKE_RENAMED;

class DeviceBuffers : public testing::TestWithParam<std::tuple<const char*, int>> {
 protected:
  Launch program(const std::string& preload) const {
    Launch what;
    what.program = STARLING_DEVICE_BUFFERS;
    what.arguments = std::get<0>(GetParam());
    what.ranks = std::get<1>(GetParam());
    what.environment["STARLING_DB"] = folder_.file("tuning.db");
    what.environment["STARLING_PREPARE"] = "always";
    what.launcher_options = "-x LD_PRELOAD='" + preload + "'";
    return what;
  }
  Launch preloaded() const { return program(STARLING_STARLING_PRELOAD ":" + kDeviceAware); }

  TemporaryFolder folder_;
};

void expectRightSums(const Launch& what) {
  const Outcome outcome = launch(what);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.messages(), testing::IsEmpty());
}

// What the other cases stand on.
TEST_P(DeviceBuffers, theProgramRunsWithoutStarling) { expectRightSums(program(kDeviceAware)); }

TEST_P(DeviceBuffers, areLeftToMpiWhileStarlingTunes) { expectRightSums(preloaded()); }

// From the first call on there is a schedule that would touch the buffers.
TEST_P(DeviceBuffers, areLeftToMpiWhereAnAlgorithmIsForced) {
  Launch forced = preloaded();
  forced.environment["STARLING_ALGORITHM"] = "ring";
  expectRightSums(forced);
}

INSTANTIATE_TEST_SUITE_P(Buffers, DeviceBuffers,
                         testing::Combine(testing::Values("all", "one", "send", "receive", "in_place", "changing"),
                                          testing::Values(1, 2, 4)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_np" +
                                  std::to_string(std::get<1>(test.param));
                         });

}  // namespace
}  // namespace starling
