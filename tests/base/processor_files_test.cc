#include "base/processor_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>

#include "processor_sets.h"

namespace starling {
namespace {

// A folder as the system has it.
class ProcessorFilesTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& file, const std::string& line) const {
    const std::filesystem::path path = folder_ / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << line << '\n';
  }
  void addPackage(const std::string& processors, std::initializer_list<int> each) const {
    for (const int processor : each) {
      write("cpu/cpu" + std::to_string(processor) + "/topology/core_siblings_list", processors);
    }
  }
  void addCache(int index, const std::string& level, const std::string& processors,
                std::initializer_list<int> each) const {
    for (const int processor : each) {
      const std::string cache = "cpu/cpu" + std::to_string(processor) + "/cache/index" + std::to_string(index);
      write(cache + "/level", level);
      write(cache + "/type", "Unified");
      write(cache + "/shared_cpu_list", processors);
    }
  }
  std::optional<ProcessorPlace> placeOf(std::initializer_list<int> processors) const {
    return ProcessorFiles::read(folder_.string()).placeOf(setOf(processors));
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("starling_processor_files_test" + std::to_string(getpid()));
};

// Two packages with two caches each, of two cores, whose numbers go from package to package.
class FilesOfTwoPackages : public ProcessorFilesTest {
 protected:
  void SetUp() override {
    ProcessorFilesTest::SetUp();
    write("cpu/online", "0-7");
    write("node/online", "0");
    write("node/node0/cpulist", "0-7");
    addPackage("0,2,4,6", {0, 2, 4, 6});
    addPackage("1,3,5,7", {1, 3, 5, 7});
    addCache(0, "3", "0,2", {0, 2});
    addCache(0, "3", "4,6", {4, 6});
    addCache(0, "3", "1,3", {1, 3});
    addCache(0, "3", "5,7", {5, 7});
  }
};

TEST_F(FilesOfTwoPackages, placesAreInTheOrderOfTheMachine) {
  EXPECT_EQ(placeOf({0}), (ProcessorPlace{0, 0}));
  EXPECT_EQ(placeOf({2}), (ProcessorPlace{0, 1}));
  EXPECT_EQ(placeOf({6}), (ProcessorPlace{2, 3}));
  EXPECT_EQ(placeOf({1}), (ProcessorPlace{4, 4}));
  EXPECT_EQ(placeOf({7}), (ProcessorPlace{6, 7}));
}

TEST_F(FilesOfTwoPackages, placesAreThoseOfACacheOrOfAPackage) {
  EXPECT_EQ(placeOf({4, 6}), (ProcessorPlace{2, 2})) << "two that share a cache";
  EXPECT_EQ(placeOf({3, 5}), (ProcessorPlace{4, 5})) << "two of a package";
  EXPECT_EQ(placeOf({0, 1}), std::nullopt) << "two of two packages, which share memory alone";
}

TEST_F(FilesOfTwoPackages, processorsThatAreNotThereCountForNone) {
  EXPECT_EQ(placeOf({}), std::nullopt);
  EXPECT_EQ(placeOf({500}), std::nullopt);
  EXPECT_EQ(placeOf({4, 500}), (ProcessorPlace{2, 2}));
  write("cpu/online", "0-3,6-7");
  EXPECT_EQ(placeOf({4}), std::nullopt);
  EXPECT_EQ(placeOf({4, 6}), (ProcessorPlace{2, 2})) << "the cache has one processor left";
}

TEST_F(FilesOfTwoPackages, theLastCacheBeforeMemoryCounts) {
  addCache(1, "2", "0", {0});
  addCache(1, "2", "2", {2});
  EXPECT_EQ(placeOf({0}), (ProcessorPlace{0, 0}));
  EXPECT_EQ(placeOf({2}), (ProcessorPlace{0, 1}));
}

TEST_F(ProcessorFilesTest, partsOfAPackageThatHaveTheirMemoryAreDomainsWhereNoCacheIs) {
  write("cpu/online", "0-3");
  write("node/online", "0-1");
  write("node/node0/cpulist", "0,2");
  write("node/node1/cpulist", "1,3");
  addPackage("0-3", {0, 1, 2, 3});
  EXPECT_EQ(placeOf({2}), (ProcessorPlace{0, 1}));
  EXPECT_EQ(placeOf({1, 3}), (ProcessorPlace{2, 2}));
  EXPECT_EQ(placeOf({0, 1}), (ProcessorPlace{0, 0})) << "two of the package";
}

TEST_F(ProcessorFilesTest, aCacheOfACoreAloneIsNoDomain) {
  write("cpu/online", "0-1");
  addPackage("0-1", {0, 1});
  addCache(0, "1", "0", {0});
  addCache(0, "1", "1", {1});
  EXPECT_EQ(placeOf({1}), (ProcessorPlace{0, 1}));
}

TEST_F(ProcessorFilesTest, withoutFilesNothingIsKnown) {
  EXPECT_EQ(placeOf({0}), std::nullopt);
  write("cpu/online", "no list");
  EXPECT_EQ(placeOf({0}), std::nullopt);
  write("cpu/online", "0");
  EXPECT_EQ(placeOf({0}), std::nullopt) << "nothing tells of packages";
}

TEST(ProcessorFiles, ofThisMachineAgreeWithWhatTheLibraryTells) {
  cpu_set_t own;
  ASSERT_EQ(sched_getaffinity(0, sizeof own, &own), 0);
  const ProcessorFiles files = ProcessorFiles::read("/sys/devices/system");
  if (!files.placeOf(own)) GTEST_SKIP() << "the system does not tell, or of several packages";
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &own)) continue;
    const std::optional<ProcessorPlace> by_files = files.placeOf(setOf({processor}));
    const std::optional<ProcessorPlace> by_library = starling::placeOf(setOf({processor}));
    ASSERT_TRUE(by_files && by_library) << processor;
    EXPECT_EQ(by_files->processor, by_library->processor);
  }
}

}  // namespace
}  // namespace starling
