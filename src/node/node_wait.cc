#include "node/node_wait.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <ctime>

namespace starling {
namespace {

constexpr int kLooks = 64;                                // at a time: some microseconds
constexpr std::int64_t kDriveEvery = 5'000;               // ns; so often the MPI library is driven
constexpr std::int64_t kSleepAfter = 50'000'000;          // ns of waiting
constexpr std::int64_t kSleepAfterIfCrowded = 8'000'000;  // likewise: somebody else wants the core
constexpr std::int64_t kLongestSleep = 200'000;           // ns; the MPI library is not driven meanwhile
constexpr std::int64_t kSleepShare = 16;                  // a sleep lasts this part of what was waited
constexpr int kFirstProgress = 4;                         // calls after a sleep, which find nothing in the caches
constexpr std::int64_t kDriveFor = 20'000;  // ns after a sleep, and after each sign that there was something to do
constexpr std::int64_t kSignOfWork = 3;     // a call that takes so many times as long as the shortest

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

std::int64_t nowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Returns for how long this thread has had a core.
std::int64_t ownNs() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1'000'000'000 * static_cast<std::int64_t>(time.tv_sec) + time.tv_nsec;
}

// Returns how often this thread has left its core to another one.
long ownSwitches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw + usage.ru_nivcsw;
}

bool looksReady(bool (*ready)(const void*), const void* context, int looks) {
  for (int i = 0; i < looks; ++i) {
    if (ready(context)) return true;
    pause();
  }
  return false;
}

}  // namespace

bool NodeWait::briefly(const std::atomic<std::uint64_t>& flag, std::uint64_t value) {
  const auto is_raised = [&] { return flag.load(std::memory_order_acquire) >= value; };
  return looksReady([](const void* context) { return (*static_cast<const decltype(is_raised)*>(context))(); },
                    &is_raised, kLooks);
}

void NodeWait::progress(int times) const {
  if (settings_.progress == nullptr) return;
  for (int i = 0; i < times; ++i) settings_.progress(settings_.context);
}

// Messages do not wake a rank that sleeps, and whoever waits for its answers is late because of that. The MPI library
// does not say whether it had something to do, but then it took longer: of this rank's own time, since the library may
// yield the core to others.
void NodeWait::driveWhileBusy(Ready ready, const void* context) {
  progress(kFirstProgress);
  std::int64_t now = ownNs();
  for (std::int64_t end = now + kDriveFor; now < end && !ready(context);) {
    const std::int64_t begin = now;
    progress(1);
    now = ownNs();
    if (now - begin > kSignOfWork * shortest_progress_ns_) end = now + kDriveFor;
    shortest_progress_ns_ = std::min(shortest_progress_ns_, std::max<std::int64_t>(now - begin, 1));
  }
}

// A rank that yields its own core may lose it for milliseconds to what else runs on the machine. Where ranks share
// cores a look takes the time that the others need; and so does a call into the MPI library, which may yield by itself.
void NodeWait::wait(Ready ready, const void* context) {
  const auto looks = [&] { return settings_.is_crowded || sharing_.isShared() ? 1 : kLooks; };
  if (looksReady(ready, context, looks())) return;
  const std::int64_t sleep_after = settings_.is_crowded ? kSleepAfterIfCrowded : kSleepAfter;
  const std::int64_t begin = nowNs();
  std::int64_t driven = 0;
  for (;;) {
    const std::int64_t now = nowNs();
    const std::int64_t waited = now - begin;
    if (waited - driven >= kDriveEvery) {
      progress(1);
      driven = waited;
    }
    const CoreSharing::Way way = settings_.is_crowded ? CoreSharing::Way::kYield : sharing_.wayAt(now, waited);
    if (waited >= sleep_after) {
      sleep(ready, context, std::min(waited / kSleepShare, kLongestSleep));
    } else if (way == CoreSharing::Way::kYield) {
      yield();
    } else if (way == CoreSharing::Way::kSleep) {
      sleep(ready, context, kLongestSleep);
    }
    if (looksReady(ready, context, looks())) return;
  }
}

void NodeWait::yield() {
  if (settings_.is_crowded) {
    sched_yield();
    return;
  }
  const long switches = ownSwitches();
  const std::int64_t begin = nowNs();
  sched_yield();
  const std::int64_t end = nowNs();
  sharing_.note(end, end - begin, ownSwitches() != switches);
}

// The kernel compares `wake_ups` again before it lets the rank sleep, so that no wake-up since it was read is missed.
void NodeWait::sleep(Ready ready, const void* context, std::int64_t nanoseconds) {
  sleepers_.count.fetch_add(1);
  const std::uint32_t seen = sleepers_.wake_ups.load();
  if (!ready(context)) {
    const timespec limit{0, static_cast<long>(nanoseconds)};
    syscall(SYS_futex, &sleepers_.wake_ups, FUTEX_WAIT, seen, &limit, nullptr, 0);
  }
  sleepers_.count.fetch_sub(1);
  if (!ready(context)) driveWhileBusy(ready, context);
}

void NodeWait::wakeAll() {
  sleepers_.wake_ups.fetch_add(1);
  syscall(SYS_futex, &sleepers_.wake_ups, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace starling
