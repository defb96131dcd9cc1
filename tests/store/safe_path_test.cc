#include "store/safe_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "database_fixture.h"
#include "store/database.h"
#include "store/reader.h"

namespace starling {
namespace {

using testing::AllOf;
using testing::HasSubstr;

void makeDatabase(const std::string& path) { expectOk(openDatabase(path).beginRun(sampleRun("r"))); }

// Neither reader nor writer opens `path`; both say `why` in one sentence and how to mend it.
void expectRefused(const std::string& path, const std::string& why) {
  const auto tells = AllOf(HasSubstr("cannot open " + path), HasSubstr(why), HasSubstr("STARLING_DB"));
  EXPECT_THAT(Database::open(path).status().message(), tells);
  if (std::filesystem::exists(path)) {
    EXPECT_THAT(Reader::open(path).status().message(), tells);
  }
}

void giveToStranger(const std::string& path) { ASSERT_EQ(::lchown(path.c_str(), kNobody, kNobody), 0); }

// A folder as /tmp: everybody may write, and remove what is his.
std::string sharedFolder(const TemporaryFolder& folder) {
  const std::string shared = folder.file("shared");
  EXPECT_EQ(::mkdir(shared.c_str(), 0700), 0);
  EXPECT_EQ(::chmod(shared.c_str(), 01777), 0);
  return shared;
}

TEST(SafePath, linkIsNotFollowed) {
  const TemporaryFolder folder;
  makeDatabase(folder.file("real.db"));
  std::filesystem::create_symlink("real.db", folder.file("a.db"));
  expectRefused(folder.file("a.db"), "symbolic link");
}

TEST(SafePath, linkToNothingMakesNoFile) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("victim", folder.file("a.db"));
  expectRefused(folder.file("a.db"), "symbolic link");
  EXPECT_FALSE(std::filesystem::exists(folder.file("victim")));
}

TEST(SafePath, linkInPlaceOfAJournalIsNotFollowed) {
  for (const std::string part : {"-journal", "-wal", "-shm"}) {
    const TemporaryFolder folder;
    makeDatabase(folder.file("a.db"));
    std::filesystem::create_symlink("victim", folder.file("a.db" + part));
    expectRefused(folder.file("a.db"), part + " is a symbolic link");
  }
}

TEST(SafePath, whatIsNoPlainFileIsNotOpened) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("a.db").c_str(), 0600), 0);
  expectRefused(folder.file("a.db"), "no plain file");
}

TEST(SafePath, ownLinkAmongTheFoldersIsFine) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("disk"));
  std::filesystem::create_symlink("disk", folder.file("home"));
  makeDatabase(folder.file("home/new/a.db"));
  EXPECT_TRUE(Reader::open(folder.file("home/new/a.db")).isOk());
  EXPECT_EQ(safePath(folder.file("home/new/a.db")).value(),
            std::filesystem::canonical(folder.path()).string() + "/disk/new/a.db");
}

TEST(SafePath, folderThatEverybodyMayWriteToIsRefused) {
  const TemporaryFolder folder;
  makeDatabase(folder.file("a.db"));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0777));
  expectRefused(folder.file("a.db"), "written to by everybody");
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0775));
  EXPECT_TRUE(Database::open(folder.file("a.db")).isOk()) << "a group is whom its owner chose";
}

TEST(SafePath, fileThatEverybodyMayWriteToIsRefused) {
  const TemporaryFolder folder;
  makeDatabase(folder.file("a.db"));
  std::filesystem::permissions(folder.file("a.db"), std::filesystem::perms(0666));
  expectRefused(folder.file("a.db"), "written to by everybody");
  std::filesystem::permissions(folder.file("a.db"), std::filesystem::perms(0664));
  EXPECT_TRUE(Database::open(folder.file("a.db")).isOk());
}

TEST(SafePath, ownFileInASharedFolderIsFine) {
  const TemporaryFolder folder;
  const std::string path = sharedFolder(folder) + "/a.db";
  makeDatabase(path);
  EXPECT_TRUE(Reader::open(path).isOk());
}

TEST(SafePath, workingFolderIsLookedAtForABareName) {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0777));
  std::filesystem::current_path(folder.path());
  expectRefused("a.db", "written to by everybody");
  std::filesystem::current_path(before);
}

// Cases with files of two users.
class SafePathOfTwoUsers : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give files to another user";
  }
  TemporaryFolder folder_;
};

TEST_F(SafePathOfTwoUsers, strangersFileInASharedFolderIsRefused) {
  const std::string shared = sharedFolder(folder_);
  for (const std::string part : {"", "-journal"}) {
    const std::string path = shared + "/b" + part + ".db";
    makeDatabase(path);
    writeFile(path + part, part.empty() ? readFile(path) : "");
    giveToStranger(path + part);
    expectRefused(path, "belongs to another user");
    EXPECT_THAT(Reader::open(path).status().message(), HasSubstr("copy it into a folder of your own"));
  }
}

TEST_F(SafePathOfTwoUsers, noFolderIsMadeBehindAStrangersLink) {
  std::filesystem::create_directory(folder_.file("victim"));
  std::filesystem::create_symlink("victim", folder_.file("data"));
  giveToStranger(folder_.file("data"));
  expectRefused(folder_.file("data/new/a.db"), "symbolic link of another user's");
  EXPECT_TRUE(std::filesystem::is_empty(folder_.file("victim")));
}

TEST_F(SafePathOfTwoUsers, strangersFolderIsRefused) {
  makeDatabase(folder_.file("a.db"));
  giveToStranger(folder_.path());
  expectRefused(folder_.file("a.db"), "belongs to another user");
  EXPECT_THAT(Reader::open(folder_.file("a.db")).status().message(), HasSubstr("copy it into a folder of your own"));
}

TEST_F(SafePathOfTwoUsers, strangersLinkAmongTheFoldersIsRefused) {
  std::filesystem::create_directory(folder_.file("disk"));
  std::filesystem::create_symlink("disk", folder_.file("link"));
  giveToStranger(folder_.file("link"));
  expectRefused(folder_.file("link/a.db"), "link is a symbolic link of another user's");
}

TEST_F(SafePathOfTwoUsers, rootsFolderMayHoldAUsersFile) {
  makeDatabase(folder_.file("a.db"));
  const WithoutPrivileges nobody;
  EXPECT_TRUE(Reader::open(folder_.file("a.db")).isOk());
}

}  // namespace
}  // namespace starling
