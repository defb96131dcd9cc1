#include "mpi/execution/device_memory.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <string>
#include <thread>
#include <vector>

namespace starling {
namespace {

enum Kind { kDevice, kManaged, kRegisteredHost };

// A driver as a program loads it. Unloaded at the end.
class FakeDriver {
 public:
  explicit FakeDriver(const char* path, int mode = RTLD_LOCAL) : handle_(dlopen(path, RTLD_NOW | mode)) {
    EXPECT_NE(handle_, nullptr) << dlerror();
  }
  ~FakeDriver() { unload(); }
  FakeDriver(const FakeDriver&) = delete;
  FakeDriver& operator=(const FakeDriver&) = delete;

  void unload() {
    if (handle_ != nullptr) dlclose(handle_);
    handle_ = nullptr;
  }
  char* allocate(Kind kind) const {
    return static_cast<char*>(find<void*(int, std::size_t)>("fake_allocate")(kind, 100));
  }
  int queries() const { return find<int()>("fake_queries")(); }
  template <typename Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle_, name));
  }

 private:
  void* handle_;
};

bool isThere(const char* name) {
  void* handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

void expectKindsAreTold(const FakeDriver& driver, const DeviceDrivers& drivers) {
  int on_stack = 0;
  const std::vector<int> on_heap(10);
  EXPECT_TRUE(drivers.isDeviceMemory(driver.allocate(kDevice)));
  EXPECT_TRUE(drivers.isDeviceMemory(driver.allocate(kDevice) + 99)) << "inside an allocation";
  EXPECT_TRUE(drivers.isDeviceMemory(driver.allocate(kManaged)));
  EXPECT_FALSE(drivers.isDeviceMemory(driver.allocate(kRegisteredHost)));
  EXPECT_FALSE(drivers.isDeviceMemory(&on_stack));
  EXPECT_FALSE(drivers.isDeviceMemory(on_heap.data()));
}

TEST(DeviceDrivers, loadsNoneThatTheProgramHasNotLoaded) {
  DeviceDrivers drivers;
  drivers.refresh();
  EXPECT_FALSE(drivers.areLoaded());
  EXPECT_FALSE(drivers.isDeviceMemory(&drivers));
  EXPECT_FALSE(isThere("libcuda.so.1"));
  EXPECT_FALSE(isThere("libamdhip64.so.6"));
}

TEST(DeviceDrivers, findsCudaThatIsLoadedLateAndPrivately) {
  DeviceDrivers drivers;
  drivers.refresh();
  const FakeDriver driver(STARLING_FAKE_CUDA);
  drivers.refresh();
  EXPECT_TRUE(drivers.areLoaded());
  expectKindsAreTold(driver, drivers);
}

TEST(DeviceDrivers, findsHipThatIsLoadedLateAndPrivately) {
  DeviceDrivers drivers;
  drivers.refresh();
  const FakeDriver driver(STARLING_FAKE_HIP);
  drivers.refresh();
  EXPECT_TRUE(drivers.areLoaded());
  expectKindsAreTold(driver, drivers);
}

TEST(DeviceDrivers, findsADriverByItsFunctionWhateverItsFileIsCalled) {
  const FakeDriver driver(STARLING_FAKE_RENAMED, RTLD_GLOBAL);
  DeviceDrivers drivers;
  drivers.refresh();
  EXPECT_TRUE(drivers.areLoaded());
  expectKindsAreTold(driver, drivers);
}

TEST(DeviceDrivers, knowsTheTypesOfOlderHip) {
  const FakeDriver driver(STARLING_FAKE_HIP);
  driver.find<void(int)>("fake_set_version")(50'700'000);
  DeviceDrivers drivers;
  drivers.refresh();
  expectKindsAreTold(driver, drivers);
}

TEST(DeviceDrivers, asksBothDrivers) {
  const FakeDriver cuda(STARLING_FAKE_CUDA);
  const FakeDriver hip(STARLING_FAKE_HIP);
  DeviceDrivers drivers;
  drivers.refresh();
  EXPECT_TRUE(drivers.isDeviceMemory(cuda.allocate(kDevice)));
  EXPECT_TRUE(drivers.isDeviceMemory(hip.allocate(kDevice)));
}

TEST(DeviceDrivers, takesMemoryForTheHostsWhenTheDriverFails) {
  for (const char* path : {STARLING_FAKE_CUDA, STARLING_FAKE_HIP}) {
    const FakeDriver driver(path);
    DeviceDrivers drivers;
    drivers.refresh();
    const char* memory = driver.allocate(kDevice);
    driver.find<void(int)>("fake_fail")(1);
    EXPECT_FALSE(drivers.isDeviceMemory(memory)) << path;
    driver.find<void(int)>("fake_fail")(0);
    EXPECT_TRUE(drivers.isDeviceMemory(memory)) << path;
  }
}

TEST(DeviceDrivers, asksNobodyAboutAddressesThatAreNone) {
  const FakeDriver driver(STARLING_FAKE_CUDA);
  DeviceDrivers drivers;
  drivers.refresh();
  EXPECT_FALSE(drivers.isDeviceMemory(nullptr));
  EXPECT_FALSE(drivers.isDeviceMemory(MPI_IN_PLACE));
  EXPECT_FALSE(drivers.isDeviceMemory(MPI_BOTTOM));
  EXPECT_EQ(driver.queries(), 0);
  EXPECT_TRUE(drivers.isDeviceMemory(driver.allocate(kDevice)));
  EXPECT_EQ(driver.queries(), 1);
}

// Programs look at HIP's last error after they have started a kernel.
TEST(DeviceDrivers, leavesHipsLastErrorAlone) {
  const FakeDriver driver(STARLING_FAKE_HIP);
  DeviceDrivers drivers;
  drivers.refresh();
  int on_stack = 0;
  EXPECT_FALSE(drivers.isDeviceMemory(&on_stack));
  EXPECT_EQ(driver.find<int()>("hipGetLastError")(), 0);
  driver.find<void(int)>("fake_set_last_error")(700);
  EXPECT_TRUE(drivers.isDeviceMemory(driver.allocate(kDevice)));
  EXPECT_EQ(driver.find<int()>("hipGetLastError")(), 700) << "the program's own error";
}

TEST(DeviceDrivers, keepsADriverThatTheProgramUnloads) {
  FakeDriver driver(STARLING_FAKE_CUDA);
  const char* memory = driver.allocate(kDevice);
  {
    DeviceDrivers drivers;
    drivers.refresh();
    driver.unload();
    EXPECT_TRUE(drivers.isDeviceMemory(memory));
  }
  EXPECT_FALSE(isThere("libcuda.so.1")) << "nothing holds it any longer";
}

TEST(DeviceDrivers, mayBeRefreshedWhileOtherThreadsAsk) {
  DeviceDrivers drivers;
  std::atomic<bool> found{false};
  std::vector<std::thread> threads;
  const FakeDriver driver(STARLING_FAKE_CUDA);
  const char* memory = driver.allocate(kDevice);
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!found) {
        drivers.refresh();
        if (drivers.areLoaded()) found = drivers.isDeviceMemory(memory);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(found);
}

TEST(DeviceMemory, tellsOfACallsBuffers) {
  const FakeDriver driver(STARLING_FAKE_CUDA);
  EXPECT_FALSE(hasDeviceDriver());
  const char* device = driver.allocate(kDevice);
  EXPECT_FALSE(isOnDevice(device, device, 1)) << "not looked for yet";
  refreshDeviceDrivers();
  EXPECT_TRUE(hasDeviceDriver());
  EXPECT_TRUE(isDeviceMemory(device));
  const int host = 0;
  EXPECT_TRUE(isOnDevice(device, &host, 1));
  EXPECT_TRUE(isOnDevice(&host, device, 1));
  EXPECT_TRUE(isOnDevice(MPI_IN_PLACE, device, 1));
  EXPECT_FALSE(isOnDevice(&host, &host, 1));
  const int queries = driver.queries();
  EXPECT_FALSE(isOnDevice(device, device, 0)) << "no elements are touched";
  EXPECT_EQ(driver.queries(), queries);
}

}  // namespace
}  // namespace starling
