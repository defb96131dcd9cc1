// What `starling watch` shows, without a terminal.
#include "watch_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "cli_process.h"
#include "example_database.h"
#include "table.h"

namespace starling::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr Seconds kInterval{2.0};

std::string plain(const std::vector<TonedLine>& lines) {
  std::string text;
  for (const TonedLine& line : lines) {
    for (const TonedText& piece : line) text += piece.text;
    text += '\n';
  }
  return text;
}

class WatchedRun : public testing::Test {
 protected:
  std::string shown(std::size_t width = 120, std::size_t height = 40) { return plain(view_.lines(width, height)); }

  const TemporaryFolder folder_;
  const std::string database_ = folder_.file("tuning.db");
  WatchView view_{database_, "latest", {}, kInterval};
};

TEST_F(WatchedRun, isWaitedForWhereThereIsNone) {
  EXPECT_TRUE(view_.refresh().isOk());
  EXPECT_THAT(shown(), AllOf(HasSubstr("tuning.db, read every"), HasSubstr("waiting for the file, which a run makes"),
                             HasSubstr("q: quit")));
  writeFile(database_, "");
  EXPECT_TRUE(view_.refresh().isOk());
  EXPECT_THAT(shown(), HasSubstr("waiting for the file")) << "it is being made";
  ASSERT_TRUE(Database::open(database_).isOk());
  EXPECT_TRUE(view_.refresh().isOk());
  EXPECT_THAT(shown(), HasSubstr("waiting for a run"));
  writeExampleDatabase(database_);
  EXPECT_TRUE(view_.refresh().isOk());
  EXPECT_THAT(shown(), AllOf(Not(HasSubstr("waiting for the")), HasSubstr("read at "),
                             HasSubstr("Run 2, app with 4 ranks on 1 node"), HasSubstr("The run has ended."),
                             HasSubstr("pressure"), HasSubstr("sorted by TIME")));
}

TEST_F(WatchedRun, saysThatItGoesOn) {
  Result<Database> database = Database::open(database_);
  ASSERT_TRUE(database.isOk());
  ASSERT_TRUE(database.value().beginRun(exampleRun("one")).isOk());
  EXPECT_TRUE(view_.refresh().isOk());
  EXPECT_THAT(shown(), AllOf(HasSubstr("The run goes on"), HasSubstr("SITE")));
  ASSERT_TRUE(database.value().write("one", latestBatch()).isOk());
  EXPECT_TRUE(view_.refresh().isOk());
  EXPECT_THAT(shown(), AllOf(HasSubstr("The run goes on"), HasSubstr("pressure")));
}

TEST_F(WatchedRun, keepsWhatWasReadWhereReadingFails) {
  writeExampleDatabase(database_);
  ASSERT_TRUE(view_.refresh().isOk());
  writeFile(database_, "no database");
  EXPECT_FALSE(view_.refresh().isOk());
  EXPECT_THAT(shown(), AllOf(HasSubstr("not read: "), HasSubstr("pressure")));
  std::filesystem::remove(database_);
  writeExampleDatabase(database_);
  ASSERT_TRUE(view_.refresh().isOk());
  EXPECT_THAT(shown(), Not(HasSubstr("not read")));
}

TEST_F(WatchedRun, isAnErrorWhereThereIsNoSuch) {
  writeExampleDatabase(database_);
  WatchView view(database_, "9", {}, kInterval);
  EXPECT_THAT(view.refresh().message(), HasSubstr("there is no run 9"));
}

// Returns the sites in the order in which they are shown.
std::string order(const std::string& text) {
  std::vector<std::pair<std::size_t, char>> places = {
      {text.find("  pressure"), 'p'}, {text.find("Solver::dot"), 'd'}, {text.find("Solver::norm"), 'n'}};
  std::sort(places.begin(), places.end());
  std::string letters;
  for (const auto& [place, letter] : places) {
    if (place != std::string::npos) letters += letter;
  }
  return letters;
}

TEST_F(WatchedRun, isSortedByWhateverColumn) {
  writeExampleDatabase(database_);
  ASSERT_TRUE(view_.refresh().isOk());
  EXPECT_EQ(order(shown()), "pdn") << "by time";
  view_.handle(WatchKey::kReverse);
  EXPECT_EQ(order(shown()), "dpn") << "what is not known stays last";
  EXPECT_THAT(shown(), HasSubstr("sorted by TIME, reversed"));
  view_.handle(WatchKey::kReverse);
  view_.sortBy("bytes");
  EXPECT_EQ(order(shown()).front(), 'p');
  view_.handle(WatchKey::kPreviousColumn);
  view_.handle(WatchKey::kPreviousColumn);
  EXPECT_THAT(shown(), HasSubstr("sorted by WHERE"));
  view_.handle(WatchKey::kPreviousColumn);
  view_.handle(WatchKey::kPreviousColumn);
  EXPECT_THAT(shown(), HasSubstr("sorted by STATE")) << "behind the first column is the last that is shown";
  view_.handle(WatchKey::kNextColumn);
  EXPECT_THAT(shown(), HasSubstr("sorted by SITE"));
}

TEST_F(WatchedRun, isScrolledByRows) {
  writeExampleDatabase(database_);
  ASSERT_TRUE(view_.refresh().isOk());
  view_.handle(WatchKey::kDown);
  EXPECT_EQ(order(shown()), "dn");
  for (int time = 0; time < 10; ++time) view_.handle(WatchKey::kPageDown);
  EXPECT_EQ(order(shown()), "n") << "the last row stays";
  view_.handle(WatchKey::kUp);
  EXPECT_EQ(order(shown()), "dn");
  view_.handle(WatchKey::kPageUp);
  EXPECT_EQ(order(shown()), "pdn");
}

TEST_F(WatchedRun, fitsTheScreen) {
  writeExampleDatabase(database_);
  ASSERT_TRUE(view_.refresh().isOk());
  for (const std::size_t width : {20U, 33U, 80U, 300U}) {
    for (const std::size_t height : {0U, 1U, 2U, 5U, 11U, 24U, 100U}) {
      const std::vector<TonedLine> lines = view_.lines(width, height);
      EXPECT_LE(lines.size(), height);
      for (const TonedLine& line : lines) {
        std::size_t length = 0;
        for (const TonedText& piece : line) length += displayWidth(piece.text);
        EXPECT_LE(length, width) << plain({line});
      }
    }
  }
}

TEST_F(WatchedRun, showsSitesWhereThereIsLittleRoom) {
  writeExampleDatabase(database_);
  ASSERT_TRUE(view_.refresh().isOk());
  for (const std::size_t height : {4U, 6U, 9U}) EXPECT_THAT(shown(160, height), HasSubstr("pressure")) << height;
}

// A row of more lines than the screen has is cut.
TEST_F(WatchedRun, showsOtherSitesThanOneOfALongName) {
  Result<Database> database = Database::open(database_);
  ASSERT_TRUE(database.isOk());
  Batch batch = latestBatch();
  batch.sites.front().label = std::string(3000, 'x');
  ASSERT_TRUE(database.value().beginRun(exampleRun("one")).isOk());
  ASSERT_TRUE(database.value().write("one", batch).isOk());
  ASSERT_TRUE(view_.refresh().isOk());
  EXPECT_THAT(shown(80, 24), HasSubstr("xxxxx"));
  view_.handle(WatchKey::kDown);
  EXPECT_THAT(shown(80, 24), HasSubstr("Solver::dot"));
}

TEST_F(WatchedRun, tellsWhenItWasReadAndNotWhenItIsShown) {
  writeExampleDatabase(database_);
  ASSERT_TRUE(view_.refresh().isOk());
  const std::string before = shown();
  std::filesystem::remove(database_);
  EXPECT_TRUE(view_.refresh().isOk());
  const auto time_of = [](const std::string& text) { return text.substr(text.find("read at "), 16); };
  EXPECT_EQ(time_of(shown()), time_of(before));
  EXPECT_THAT(shown(), AllOf(HasSubstr("waiting for the file"), HasSubstr("pressure")));
}

TEST_F(WatchedRun, hasNothingThatActsOnTheTerminal) {
  Result<Database> database = Database::open(database_);
  ASSERT_TRUE(database.isOk());
  starling::Run run = exampleRun("one");
  run.program = "\x1b[2Japp";
  Batch batch = latestBatch();
  batch.sites.front().label = "\x1b]0;title\x07";
  ASSERT_TRUE(database.value().beginRun(run).isOk());
  ASSERT_TRUE(database.value().write("one", batch).isOk());
  ASSERT_TRUE(view_.refresh().isOk());
  EXPECT_THAT(shown(), AllOf(HasSubstr("\\x1b[2Japp"), HasSubstr("\\x1b]0;title"), Not(HasSubstr("\x1b"))));
}

}  // namespace
}  // namespace starling::cli
