#include "base/processor_cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace starling {
namespace {

// A folder as the system has it for one processor.
class Caches {
 public:
  Caches() { std::filesystem::create_directories(folder_); }
  ~Caches() { std::filesystem::remove_all(folder_); }
  Caches(const Caches&) = delete;
  Caches& operator=(const Caches&) = delete;

  void add(const std::string& level, const std::string& size, const std::string& processors) {
    const std::filesystem::path path = folder_ / ("index" + std::to_string(count_++));
    std::filesystem::create_directories(path);
    std::ofstream(path / "level") << level << '\n';
    std::ofstream(path / "size") << size << '\n';
    std::ofstream(path / "shared_cpu_list") << processors << '\n';
  }
  std::optional<ProcessorCache> last() const { return lastCache(folder_.string()); }

 private:
  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "starling_processor_cache_test";
  int count_ = 0;
};

TEST(LastCache, isTheOneOfTheHighestLevel) {
  Caches caches;
  EXPECT_EQ(caches.last(), std::nullopt);
  caches.add("1", "32K", "0,64");
  EXPECT_EQ(caches.last(), (ProcessorCache{32 << 10, 2}));
  caches.add("3", "32768K", "0-7,64-71");
  caches.add("2", "1024K", "0");
  EXPECT_EQ(caches.last(), (ProcessorCache{32 << 20, 16}));
}

TEST(LastCache, isNotOneOfWhichNothingIsTold) {
  Caches caches;
  caches.add("2", "2M", "0-1");
  caches.add("3", "", "0-7");
  caches.add("3", "32M", "");
  caches.add("3", "32M", "7-0");
  caches.add("3", "32M", "0-x");
  EXPECT_EQ(caches.last(), (ProcessorCache{2 << 20, 2}));
}

}  // namespace
}  // namespace starling
