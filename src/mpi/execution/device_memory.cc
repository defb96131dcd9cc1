#include "mpi/execution/device_memory.h"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <utility>

namespace starling {
namespace {

// The drivers' interfaces promise what follows, so that their headers are not needed.
//
// CUDA Driver API, "Unified Addressing": cuPointerGetAttributes gives zeros, and no error, for memory that is not
// CUDA's. CUpointer_attribute and CUmemorytype have kept these values.
constexpr int kCudaMemoryType = 2;   // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
constexpr int kCudaIsManaged = 8;    // CU_POINTER_ATTRIBUTE_IS_MANAGED
constexpr unsigned kCudaHost = 0x1;  // CU_MEMORYTYPE_HOST; above it are device, array and unified memory
using CudaPointerGetAttributes = int (*)(unsigned count, const int* attributes, void** data, std::uintptr_t pointer);

// HIP Runtime API, "Memory Management": hipPointerGetAttribute is an error for memory that is not HIP's (in some
// versions it says so by a type). The values of hipMemoryType changed with version 6, which hipRuntimeGetVersion tells
// as 10,000,000 times the major version and more.
constexpr int kHipMemoryType = 2;       // HIP_POINTER_ATTRIBUTE_MEMORY_TYPE
constexpr int kHipIsManaged = 8;        // HIP_POINTER_ATTRIBUTE_IS_MANAGED
constexpr unsigned kHipHost = 1;        // hipMemoryTypeHost; 0 is unregistered; above are device, managed, array
constexpr unsigned kHipHostUntil5 = 0;  // hipMemoryTypeHost; above are device, array, unified, managed
constexpr int kHipVersion6 = 6 * 10'000'000;
using HipPointerGetAttribute = int (*)(void* data, int attribute, void* pointer);
using HipRuntimeGetVersion = int (*)(int* version);
using HipLastError = int (*)();

constexpr int kSuccess = 0;  // CUDA_SUCCESS, hipSuccess

// Counts the libraries that this process has ever loaded.
unsigned long long libraryLoads() {
  unsigned long long loads = 0;
  const auto take = [](dl_phdr_info* info, std::size_t, void* result) {
    *static_cast<unsigned long long*>(result) = info->dlpi_adds;
    return 1;  // the count is the same at every library
  };
  dl_iterate_phdr(take, &loads);
  return loads;
}

// Holds a library that was there already, and now stays for as long as this object.
class LoadedLibrary {
 public:
  // Finds the library that has a function of this name, by one of the file names or because all libraries see the
  // function.
  LoadedLibrary(std::initializer_list<const char*> names, const char* function) {
    for (const char* name : names) {
      // Libraries that were loaded by the program for itself alone are found by their names only.
      if (handle_ == nullptr) handle_ = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    }
    Dl_info place;
    void* const seen = handle_ == nullptr ? dlsym(RTLD_DEFAULT, function) : nullptr;
    if (seen != nullptr && dladdr(seen, &place) != 0) handle_ = dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }
  ~LoadedLibrary() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  LoadedLibrary(const LoadedLibrary&) = delete;
  LoadedLibrary& operator=(const LoadedLibrary&) = delete;

  template <typename Function>
  Function function(const char* name) const {
    return handle_ == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(handle_, name));
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace

struct DeviceDrivers::Cuda {
  LoadedLibrary library{{"libcuda.so.1", "libcuda.so"}, "cuPointerGetAttributes"};
  CudaPointerGetAttributes get = library.function<CudaPointerGetAttributes>("cuPointerGetAttributes");

  bool isUsable() const { return get != nullptr; }

  bool isDevice(const void* address) const {
    unsigned type = 0;
    unsigned is_managed = 0;
    const std::array<int, 2> attributes{kCudaMemoryType, kCudaIsManaged};
    std::array<void*, 2> data{&type, &is_managed};
    const int code = get(attributes.size(), attributes.data(), data.data(), reinterpret_cast<std::uintptr_t>(address));
    return code == kSuccess && (type > kCudaHost || is_managed != 0);
  }
};

struct DeviceDrivers::Hip {
  LoadedLibrary library{{"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"},
                        "hipPointerGetAttribute"};
  HipPointerGetAttribute get = library.function<HipPointerGetAttribute>("hipPointerGetAttribute");
  HipLastError peek_last_error = library.function<HipLastError>("hipPeekAtLastError");
  HipLastError take_last_error = library.function<HipLastError>("hipGetLastError");
  unsigned host = hostType();

  bool isUsable() const { return get != nullptr; }

  unsigned hostType() const {
    const auto get_version = library.function<HipRuntimeGetVersion>("hipRuntimeGetVersion");
    int version = 0;
    const bool is_known = get_version != nullptr && get_version(&version) == kSuccess;
    return is_known && version < kHipVersion6 ? kHipHostUntil5 : kHipHost;
  }

  bool isDevice(const void* address) const {
    // An error also stays behind as the thread's last one, for which programs look after they have started a kernel.
    const bool was_clean = peek_last_error != nullptr && peek_last_error() == kSuccess;
    void* const pointer = const_cast<void*>(address);
    unsigned type = host;
    unsigned is_managed = 0;
    const bool is_known = get(&type, kHipMemoryType, pointer) == kSuccess;
    const bool is_device =
        is_known && (type > host || (get(&is_managed, kHipIsManaged, pointer) == kSuccess && is_managed != 0));
    if (was_clean && take_last_error != nullptr) take_last_error();
    return is_device;
  }
};

DeviceDrivers::DeviceDrivers() = default;
DeviceDrivers::~DeviceDrivers() = default;

void DeviceDrivers::refresh() {
  const std::lock_guard lock(mutex_);
  const unsigned long long loads = libraryLoads();
  if (loads == seen_loads_) return;
  seen_loads_ = loads;
  // A driver that was found once stays: it is kept open, and other threads may be asking it.
  if (!own_cuda_) {
    if (auto cuda = std::make_unique<Cuda>(); cuda->isUsable()) own_cuda_ = std::move(cuda);
    cuda_.store(own_cuda_.get());
  }
  if (!own_hip_) {
    if (auto hip = std::make_unique<Hip>(); hip->isUsable()) own_hip_ = std::move(hip);
    hip_.store(own_hip_.get());
  }
}

bool DeviceDrivers::isDeviceMemory(const void* address) const {
  if (address == nullptr || address == MPI_IN_PLACE) return false;
  const Cuda* cuda = cuda_.load();
  if (cuda != nullptr && cuda->isDevice(address)) return true;
  const Hip* hip = hip_.load();
  return hip != nullptr && hip->isDevice(address);
}

namespace {

DeviceDrivers& driversOfProcess() {
  static auto* drivers = new DeviceDrivers;  // outlives static destructors, which may still call MPI
  return *drivers;
}

}  // namespace

void refreshDeviceDrivers() { driversOfProcess().refresh(); }

bool hasDeviceDriver() { return driversOfProcess().areLoaded(); }

bool isDeviceMemory(const void* address) { return driversOfProcess().isDeviceMemory(address); }

bool isOnDevice(const void* sendbuf, const void* recvbuf, int count) {
  return count > 0 && hasDeviceDriver() && (isDeviceMemory(sendbuf) || isDeviceMemory(recvbuf));
}

}  // namespace starling
