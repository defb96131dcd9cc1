#include "node/node_reads.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "thread_ranks.h"

namespace starling {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::int64_t kNumbersOfPage = kPage / sizeof(std::uint64_t);

// Numbers in pages, of which one can be made such that nobody reads it.
class Vector {
 public:
  explicit Vector(std::int64_t count)
      : count_(count), bytes_((static_cast<std::size_t>(count) * sizeof(std::uint64_t) + kPage - 1) / kPage * kPage) {
    data_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  ~Vector() { munmap(data_, bytes_); }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;

  std::uint64_t* data() const { return static_cast<std::uint64_t*>(data_); }
  std::int64_t count() const { return count_; }
  void hidePage(std::int64_t index) {
    mprotect(static_cast<std::byte*>(data_) + static_cast<std::size_t>(index) * kPage, kPage, PROT_NONE);
  }

 private:
  std::int64_t count_;
  std::size_t bytes_;
  void* data_ = nullptr;
};

NodeCall callOf(const Vector& send, const Vector& receive, std::int64_t chunk_bytes) {
  NodeCall call;
  call.send = send.data();
  call.receive = receive.data();
  call.count = send.count();
  call.combiner = kMixing;
  call.is_read = true;
  call.chunk_bytes = chunk_bytes;
  return call;
}

// Runs `body(rank, reads)` in a thread for each rank, and waits for all.
template <typename Body>
void runReaders(std::int32_t ranks, const Body& body) {
  const NodeLayout layout(ranks);
  const ThreadMemory memory(layout.bytes());
  std::vector<std::thread> threads;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      NodeWait wait(layout.sleepers(memory.data()), {.is_crowded = true});
      NodeReads reads(memory.data(), layout, rank, wait);
      body(rank, reads);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

class NodeReadsOf : public testing::TestWithParam<std::int32_t> {};

// Vectors of one element, of fewer than there are ranks, of whole parts and odd ones; pieces of a line to all.
TEST_P(NodeReadsOf, combinesAllInTheAssociationOfTheTree) {
  const std::int32_t ranks = GetParam();
  std::atomic<std::int64_t> wrong{0};
  std::atomic<std::int64_t> refused{0};
  runReaders(ranks, [&](std::int32_t rank, NodeReads& reads) {
    std::uint64_t number = 0;
    for (const std::int64_t count : {1, 5, 64, 1000, 4096, 10'007}) {
      for (const std::int64_t chunk_bytes : {64, 4096, 384 * 1024}) {
        ++number;
        const Vector send(count);
        const Vector receive(count);
        for (std::int64_t i = 0; i < count; ++i) send.data()[i] = inputOf(rank, number, i);
        if (!reads.allreduce(callOf(send, receive, chunk_bytes))) ++refused;
        for (std::int64_t i = 0; i < count; ++i) {
          if (receive.data()[i] != expectedOf(ranks, number, i)) ++wrong;
          if (send.data()[i] != inputOf(rank, number, i)) ++wrong;
        }
      }
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(refused, 0);
}

// The last rank has its result where its contribution is; nobody's vectors have changed then.
TEST_P(NodeReadsOf, refusesOnAllRanksWhereOneCallsInPlace) {
  const std::int32_t ranks = GetParam();
  std::atomic<std::int64_t> refused{0};
  std::atomic<std::int64_t> wrong{0};
  runReaders(ranks, [&](std::int32_t rank, NodeReads& reads) {
    const Vector send(1000);
    const Vector receive(1000);
    for (std::int64_t i = 0; i < send.count(); ++i) send.data()[i] = inputOf(rank, 1, i);
    if (!reads.allreduce(callOf(send, rank == ranks - 1 ? send : receive, 4096))) ++refused;
    for (std::int64_t i = 0; i < send.count(); ++i) wrong += send.data()[i] == inputOf(rank, 1, i) ? 0 : 1;
    // The next call is another one.
    if (!reads.allreduce(callOf(send, receive, 4096))) ++wrong;
    for (std::int64_t i = 0; i < send.count(); ++i) wrong += receive.data()[i] == expectedOf(ranks, 1, i) ? 0 : 1;
  });
  EXPECT_EQ(refused, ranks);
  EXPECT_EQ(wrong, 0);
}

// Rank 1 hides a page in another rank's part, where it does not look itself: at the end, where that is seen before
// anything is combined, and in the middle.
TEST_P(NodeReadsOf, refusesOnAllRanksWhereAPageCannotBeRead) {
  const std::int32_t ranks = GetParam();
  const std::int64_t pages = 16 * ranks;
  for (const std::int64_t hidden : {pages - 1, std::int64_t{3}}) {
    std::atomic<std::int64_t> refused{0};
    std::atomic<std::int64_t> complete{0};
    runReaders(ranks, [&](std::int32_t rank, NodeReads& reads) {
      const bool hides = rank == (ranks == 2 && hidden > 3 ? 0 : 1);
      Vector send(pages * kNumbersOfPage);
      const Vector receive(send.count());
      if (hides) send.hidePage(hidden);
      if (!reads.allreduce(callOf(send, receive, 4096))) ++refused;
      const Vector other(send.count());
      if (reads.allreduce(callOf(other, receive, 4096))) ++complete;
    });
    EXPECT_EQ(refused, ranks) << "page " << hidden;
    EXPECT_EQ(complete, ranks) << "page " << hidden;
  }
}

TEST(NodeReads, refusesElementsWithGaps) {
  runReaders(2, [](std::int32_t, NodeReads& reads) {
    const Vector send(10);
    const Vector receive(10);
    NodeCall call = callOf(send, receive, 4096);
    call.combiner.has_gaps = true;
    EXPECT_FALSE(reads.allreduce(call));
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, NodeReadsOf, testing::Values(2, 3, 4, 5, 7, 8, 16),
                         [](const auto& shown) { return std::to_string(shown.param); });

}  // namespace
}  // namespace starling
