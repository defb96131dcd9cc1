// Recognizes memory of accelerators that programs pass to MPI. A device-aware MPI library takes such addresses; code of
// the host, as Starling's copies and reductions are, must not touch them.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

namespace starling {

// Knows the drivers that this process has loaded: CUDA's and HIP's. Nothing of them is linked, and nothing is loaded
// that the program has not loaded itself. THREADS: all functions may be called from any thread.
class DeviceDrivers {
 public:
  DeviceDrivers();
  ~DeviceDrivers();  // drivers that only this object still holds are unloaded
  DeviceDrivers(const DeviceDrivers&) = delete;
  DeviceDrivers& operator=(const DeviceDrivers&) = delete;

  // Looks for drivers that have been loaded since the last call. Programs load them at any time, many of them late and
  // for themselves alone. Where no library has been loaded since, this takes some tens of nanoseconds, so that it may
  // be done before each call; else a fraction of a millisecond.
  void refresh();

  bool areLoaded() const { return cuda_.load() != nullptr || hip_.load() != nullptr; }

  // Returns whether `address` is memory that a driver manages and that is not plain memory of the host. Managed
  // (unified) memory counts as the device's: the host may touch it, but that moves its pages away from where the
  // program has them, and while a kernel runs older devices do not allow it; a device-aware MPI library knows how to
  // treat it. What the drivers do not know, or answer with an error (as long as the program has not initialised them),
  // is memory of the host, and so are null, which is MPI_BOTTOM, and MPI_IN_PLACE: about these nobody is asked. The
  // answer is that of the drivers found by the last refresh().
  bool isDeviceMemory(const void* address) const;

 private:
  struct Cuda;
  struct Hip;

  std::mutex mutex_;  // of refresh()
  unsigned long long seen_loads_ = 0;
  std::unique_ptr<Cuda> own_cuda_;
  std::unique_ptr<Hip> own_hip_;
  std::atomic<const Cuda*> cuda_{nullptr};
  std::atomic<const Hip*> hip_{nullptr};
};

// These do the same for the whole process, with one object that is never destroyed. THREADS: any.
void refreshDeviceDrivers();
bool hasDeviceDriver();
bool isDeviceMemory(const void* address);

// Returns whether one of a call's buffers is on a device. Buffers of no elements may be anything, and nobody is asked.
bool isOnDevice(const void* sendbuf, const void* recvbuf, int count);

}  // namespace starling
