#include "base/text_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "../temporary_folder.h"

namespace starling {
namespace {

class TextFile : public testing::Test {
 protected:
  std::string file(const std::string& text) const {
    writeFile(folder_.file("file"), text);
    return folder_.file("file");
  }

  const TemporaryFolder folder_;
};

TEST_F(TextFile, isReadWhole) {
  for (const std::string& text : {std::string(), std::string("0 1\n1 0\n"), std::string(100'000, 'x')}) {
    const Result<std::string> read = readTextFile(file(text));
    ASSERT_TRUE(read.isOk()) << read.status().message();
    EXPECT_EQ(read.value(), text);
  }
}

TEST_F(TextFile, isNoFolderPipeOrDevice) {
  EXPECT_EQ(readTextFile(folder_.path()).status().message(), "is a folder");
  const std::string pipe = folder_.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(readTextFile(pipe).status().message(), "is no plain file");
  EXPECT_EQ(readTextFile("/dev/zero").status().message(), "is no plain file");
}

TEST_F(TextFile, saysWhatKeepsItFromBeingRead) {
  EXPECT_EQ(readTextFile(folder_.file("none")).status().message(), "cannot be read: No such file or directory");
}

TEST_F(TextFile, isNoLongerThanWritten) {
  constexpr std::size_t kMebibyte = std::size_t{1} << 20;
  EXPECT_TRUE(readTextFile(file(std::string(kMebibyte, 'x')), kMebibyte).isOk());
  EXPECT_EQ(readTextFile(file(std::string(kMebibyte + 1, 'x')), kMebibyte).status().message(), "has more than 1 MiB");
}

}  // namespace
}  // namespace starling
