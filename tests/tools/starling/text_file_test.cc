#include "text_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <string>
#include <thread>

#include "cli_process.h"
#include "store/database.h"
#include "store/file_size_limit.h"

namespace starling::cli {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

class WriteText : public testing::Test {
 protected:
  // Nothing is left beside what the test has made.
  void expectFiles(std::ptrdiff_t files) const {
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.file("")), fs::directory_iterator()), files);
  }
  void expectWritten(const std::string& text, const std::string& path) const {
    const Outcome written = writeText(text, path);
    EXPECT_EQ(written.exitCode(), 0) << written.message();
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("policy.json");
};

TEST_F(WriteText, newFileHasThePermissionsOfNewFiles) {
  const mode_t before = ::umask(027);
  expectWritten("text", path_);
  ::umask(before);
  EXPECT_EQ(readFile(path_), "text");
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms(0640));
  expectFiles(1);
}

TEST_F(WriteText, fileThatIsThereKeepsItsPermissions) {
  writeFile(path_, "a text that is longer");
  fs::permissions(path_, fs::perms(0664));
  expectWritten("text", path_);
  EXPECT_EQ(readFile(path_), "text");
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms(0664));
  expectFiles(1);
}

TEST_F(WriteText, formerFileStaysWhenWritingFails) {
  writeFile(path_, "former");
  {
    const FileSizeLimit limit(1000);
    const Outcome failed = writeText(std::string(5000, 'x'), path_);
    EXPECT_EQ(failed.exitCode(), 1);
    EXPECT_THAT(failed.message(), HasSubstr("free space"));
  }
  EXPECT_EQ(readFile(path_), "former");
  expectFiles(1);
}

TEST_F(WriteText, databaseIsNotReplacedByAnyOfItsNames) {
  ASSERT_TRUE(Database::open(path_).isOk());
  fs::create_symlink("policy.json", folder_.file("link"));
  fs::create_hard_link(path_, folder_.file("other"));
  const std::string before = readFile(path_);
  for (const char* name : {"policy.json", "link", "other"}) {
    const Outcome refused = writeText("text", folder_.file(name));
    EXPECT_EQ(refused.exitCode(), 1);
    EXPECT_THAT(refused.message(), HasSubstr("it is a database, which would be lost; name another file"));
  }
  EXPECT_EQ(readFile(path_), before);
}

TEST_F(WriteText, linkStaysALink) {
  fs::create_directory(folder_.file("disk"));
  for (const std::string target : {"there", "not_yet"}) {
    if (target == "there") writeFile(folder_.file("disk/there"), "former");
    fs::create_symlink(target, folder_.file("disk/" + target + "_link"));
    fs::create_symlink("disk/" + target + "_link", folder_.file(target));
    expectWritten("text", folder_.file(target));
    EXPECT_TRUE(fs::is_symlink(folder_.file(target)) && fs::is_symlink(folder_.file("disk/" + target + "_link")));
    EXPECT_EQ(readFile(folder_.file("disk/" + target)), "text");
  }
}

TEST_F(WriteText, allNamesOfAFileHaveTheText) {
  writeFile(path_, "a text that is longer");
  fs::create_hard_link(path_, folder_.file("other"));
  expectWritten("text", path_);
  EXPECT_EQ(readFile(path_), "text");
  EXPECT_EQ(readFile(folder_.file("other")), "text");
  EXPECT_EQ(fs::hard_link_count(path_), 2U);
  expectFiles(2);
}

TEST_F(WriteText, pipeIsWrittenTo) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  std::string found;
  std::thread reader([&] { found = readFile(path_); });
  expectWritten("text", path_);
  reader.join();
  EXPECT_EQ(found, "text");
  EXPECT_TRUE(fs::is_fifo(path_));
  expectWritten("text", "/dev/null");
}

TEST_F(WriteText, whatTheProcessHasOpenIsAddedTo) {
  writeFile(path_, "former ");
  const int descriptor = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  expectWritten("text", "/dev/fd/" + std::to_string(descriptor));
  ::close(descriptor);
  EXPECT_EQ(readFile(path_), "former text");
}

TEST_F(WriteText, faultsSayWhere) {
  EXPECT_THAT(writeText("text", folder_.file("")).message(), HasSubstr("it is a folder"));
  EXPECT_THAT(writeText("text", folder_.file("missing/file")).message(), HasSubstr("missing/file: check the folder"));
  fs::create_symlink("circle", folder_.file("circle"));
  EXPECT_THAT(writeText("text", folder_.file("circle")).message(), HasSubstr("circle: check the folder"));
}

TEST_F(WriteText, fileOfAnotherUserInASharedFolderStays) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files to another user";
  constexpr uid_t kSomebody = 65534;
  writeFile(path_, "former");
  ASSERT_EQ(::chown(path_.c_str(), kSomebody, kSomebody), 0);
  expectWritten("text", path_);
  fs::permissions(folder_.file(""), fs::perms(01777));
  EXPECT_THAT(writeText("more", path_).message(), HasSubstr("belongs to another user"));
  EXPECT_EQ(readFile(path_), "text");
  const std::string own = folder_.file("own");
  const std::string link = folder_.file("link");
  writeFile(own, "mine");
  fs::create_symlink("own", link);
  expectWritten("mine", link);
  ASSERT_EQ(::lchown(link.c_str(), kSomebody, kSomebody), 0);
  EXPECT_THAT(writeText("more", link).message(), HasSubstr("belongs to another user"));
  EXPECT_EQ(readFile(own), "mine");
}

// Root may write to all files.
class WriteTextOfAUser : public WriteText {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) return;
    ASSERT_EQ(::chown(folder_.file("").c_str(), kNobody, kNobody), 0);
    ASSERT_EQ(::seteuid(kNobody), 0);
    was_root_ = true;
  }
  void TearDown() override {
    fs::permissions(folder_.file(""), fs::perms(0700));
    if (was_root_) {
      EXPECT_EQ(::seteuid(0), 0);
    }
  }

  static constexpr uid_t kNobody = 65534;
  bool was_root_ = false;
};

TEST_F(WriteTextOfAUser, fileThatMayNotBeWrittenStays) {
  writeFile(path_, "former");
  fs::permissions(path_, fs::perms(0444));
  EXPECT_EQ(writeText("text", path_).exitCode(), 1);
  EXPECT_EQ(readFile(path_), "former");
  expectFiles(1);
}

TEST_F(WriteTextOfAUser, fileIsWrittenWhereItsFolderMayNotBe) {
  writeFile(path_, "former");
  fs::permissions(folder_.file(""), fs::perms(0500));
  expectWritten("text", path_);
  EXPECT_EQ(readFile(path_), "text");
}

}  // namespace
}  // namespace starling::cli
