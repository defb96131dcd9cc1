// Where everything lies in the memory that the ranks of a node share.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace starling {

// Two cache lines, since processors fetch lines in pairs.
inline constexpr std::size_t kFlagBytes = 128;

// A number that one rank raises and others wait for.
struct alignas(kFlagBytes) NodeFlag {
  std::atomic<std::uint64_t> value{0};
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "flags work between processes");

// The first line of a slot holds the number of the call and the first bytes of the vector, so that a short one comes
// with one transfer between two caches.
struct NodeSlot {
  static constexpr std::int64_t kBytes = 8192;  // of a vector, at most
  std::atomic<std::uint64_t> call{0};
  alignas(16) std::byte data[static_cast<std::size_t>(kBytes)];
};

// What a rank tells the others of its call, for them to read its vectors where they lie (node_reads.h).
struct alignas(kFlagBytes) NodeVectors {
  std::atomic<std::uint64_t> steps{0};  // of all calls: what follows holds for those who see the right one
  // The first step of the latest call in which a contribution could not be read, or a part of a result.
  std::atomic<std::uint64_t> uncombined{0};
  std::atomic<std::uint64_t> untaken{0};
  pid_t process = 0;
  const void* send = nullptr;  // addresses in that process
  void* receive = nullptr;
};

// Those who sleep until a flag is raised.
struct alignas(kFlagBytes) NodeSleepers {
  std::atomic<std::uint32_t> count{0};
  std::atomic<std::uint32_t> wake_ups{0};
};

// Zeros are the state before the first call. THREADS: any; it only computes addresses.
class NodeLayout {
 public:
  // Vectors longer than a slot go through buffers in chunks of at most so many bytes.
  static constexpr std::int64_t kMostChunkBytes = 384 * 1024;
  // While one chunk is combined the next is copied in and the one before is copied out.
  static constexpr std::uint64_t kSets = 3;
  // All of them, of one rank.
  static constexpr std::int64_t kContributionBytes = static_cast<std::int64_t>(kSets) * kMostChunkBytes;

  // REQUIRES: ranks >= 2.
  explicit NodeLayout(std::int32_t ranks);

  std::int32_t ranks() const { return ranks_; }
  std::size_t bytes() const { return bytes_; }
  // Flags and slots come first, in so many bytes.
  std::size_t bytesOfSlots() const { return chunks_; }
  // Slots have room for so many levels of groups.
  std::int32_t levels() const { return levels_; }

  NodeSleepers& sleepers(std::byte* memory) const { return *reinterpret_cast<NodeSleepers*>(memory); }
  // How many chunks the rank has copied in, or combined its part of, in all calls.
  NodeFlag& copiedIn(std::byte* memory, std::int32_t rank) const { return flag(memory, 2 * rank); }
  NodeFlag& combined(std::byte* memory, std::int32_t rank) const { return flag(memory, 2 * rank + 1); }
  NodeVectors& vectors(std::byte* memory, std::int32_t rank) const {
    return reinterpret_cast<NodeVectors*>(memory + vectors_)[rank];
  }
  // Level 0 has the rank's own vector, the others what it has combined; two sets take turns.
  NodeSlot& slot(std::byte* memory, std::int32_t rank, std::int32_t level, std::uint64_t call) const;
  std::byte* contribution(std::byte* memory, std::int32_t rank, std::uint64_t chunk) const;
  // The rank's buffers of contributions, one after the other.
  std::byte* contributions(std::byte* memory, std::int32_t rank) const { return contribution(memory, rank, 0); }
  std::byte* result(std::byte* memory, std::uint64_t chunk) const;

 private:
  NodeFlag& flag(std::byte* memory, std::int32_t index) const {
    return reinterpret_cast<NodeFlag*>(memory + flags_)[index];
  }

  std::int32_t ranks_;
  std::int32_t levels_;
  std::size_t flags_;
  std::size_t vectors_;
  std::size_t slots_;
  std::size_t chunks_;
  std::size_t bytes_;
};

}  // namespace starling
