#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace starling {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::mutex g_mutex;
std::vector<std::string> g_lines;

void keepLine(LogLevel, std::string_view message) {
  const std::lock_guard lock(g_mutex);
  g_lines.emplace_back(message);
}

// Every case starts with the default level and an empty list of caught lines.
class Log : public testing::Test {
 protected:
  Log() {
    g_lines.clear();
    setLogSink(keepLine);
  }
  ~Log() override {
    setLogSink(nullptr);
    setLogLevel(LogLevel::kWarning);
  }
};

TEST_F(Log, tellsOnlyWarningsByDefault) {
  EXPECT_EQ(logLevel(), LogLevel::kWarning);
  log(LogLevel::kWarning, "warning");
  log(LogLevel::kInfo, "info");
  EXPECT_THAT(g_lines, ElementsAre("warning"));
}

TEST_F(Log, tellsEverythingWhenTheLevelIsInfo) {
  setLogLevel(LogLevel::kInfo);
  log(LogLevel::kWarning, "warning");
  log(LogLevel::kInfo, "info");
  EXPECT_THAT(g_lines, ElementsAre("warning", "info"));
}

TEST_F(Log, tellsNothingWhenTheLevelIsSilent) {
  setLogLevel(LogLevel::kSilent);
  log(LogLevel::kWarning, "warning");
  logOnce(LogLevel::kWarning, "silent topic", "warning");
  EXPECT_THAT(g_lines, IsEmpty());
}

TEST_F(Log, writesOnePrefixedLineToStderrWhenThereIsNoSink) {
  setLogSink(nullptr);
  testing::internal::CaptureStderr();
  log(LogLevel::kWarning, "tuning.db is read-only");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "starling: tuning.db is read-only\n");
}

TEST_F(Log, quotedTextNeitherActsOnTheTerminalNorForgesALine) {
  log(LogLevel::kWarning, "site \"\x1b[2J\nstarling: all is well\"");
  EXPECT_THAT(g_lines, ElementsAre("site \"\\x1b[2J\\x0astarling: all is well\""));
}

TEST_F(Log, onceTellsATopicOnceAndOtherTopicsToo) {
  for (int call = 0; call < 5; ++call) {
    logOnce(LogLevel::kWarning, "locked", "the database is locked");
    logOnce(LogLevel::kWarning, "full", "the disk is full");
  }
  EXPECT_THAT(g_lines, ElementsAre("the database is locked", "the disk is full"));
}

TEST_F(Log, onceTellsOnceWhenManyThreadsMeetTheSameFault) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([] {
      for (int call = 0; call < 100; ++call) logOnce(LogLevel::kWarning, "many threads", "told");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(g_lines, ElementsAre("told"));
}

}  // namespace
}  // namespace starling
