#include "base/text_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace starling {
namespace {

class TextFile : public testing::Test {
 protected:
  TextFile() {
    std::string name = (std::filesystem::temp_directory_path() / "starling-text-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~TextFile() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& text) const {
    const std::string path = folder_ / "file";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  std::filesystem::path folder_;
};

TEST_F(TextFile, isReadWhole) {
  for (const std::string& text : {std::string(), std::string("0 1\n1 0\n"), std::string(100'000, 'x')}) {
    const Result<std::string> read = readTextFile(file(text));
    ASSERT_TRUE(read.isOk()) << read.status().message();
    EXPECT_EQ(read.value(), text);
  }
}

TEST_F(TextFile, isNoFolderPipeOrDevice) {
  EXPECT_EQ(readTextFile(folder_).status().message(), "is a folder");
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(readTextFile(pipe).status().message(), "is no plain file");
  EXPECT_EQ(readTextFile("/dev/zero").status().message(), "is no plain file");
}

TEST_F(TextFile, saysWhatKeepsItFromBeingRead) {
  EXPECT_EQ(readTextFile(folder_ / "none").status().message(), "cannot be read: No such file or directory");
}

TEST_F(TextFile, isNoLongerThanWritten) {
  constexpr std::size_t kMebibyte = std::size_t{1} << 20;
  EXPECT_TRUE(readTextFile(file(std::string(kMebibyte, 'x')), kMebibyte).isOk());
  EXPECT_EQ(readTextFile(file(std::string(kMebibyte + 1, 'x')), kMebibyte).status().message(), "has more than 1 MiB");
}

}  // namespace
}  // namespace starling
