#include "node/node_reads.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "base/process_memory.h"
#include "thread_ranks.h"

namespace starling {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::int64_t kPages = 16;  // of each rank's share
constexpr std::int64_t kNumbersOfPage = kPage / sizeof(std::uint64_t);

// Numbers in pages, of which one can be made such that the system lets nobody read it, though the processor does.
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
    mprotect(static_cast<std::byte*>(data_) + static_cast<std::size_t>(index) * kPage, kPage, PROT_WRITE);
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

class NodeReadsOf : public testing::TestWithParam<std::int32_t> {
 protected:
  void SetUp() override {
    const char own = 7;
    if (!isProcessMemoryReadable(getpid(), &own, 1)) GTEST_SKIP() << "the system does not let processes be read";
  }
};

// Vectors of one element, of fewer than there are ranks, of whole parts and odd ones; pieces of a line to all.
TEST_P(NodeReadsOf, combinesAllInTheAssociationOfTheTree) {
  const std::int32_t ranks = GetParam();
  std::atomic<std::int64_t> wrong{0};
  runReaders(ranks, [&](std::int32_t rank, NodeReads& reads) {
    std::uint64_t number = 0;
    for (const std::int64_t count : {1, 5, 64, 1000, 4096, 10'007}) {
      for (const std::int64_t chunk_bytes : {64, 4096, 384 * 1024}) {
        ++number;
        const Vector send(count);
        const Vector receive(count);
        for (std::int64_t i = 0; i < count; ++i) send.data()[i] = inputOf(rank, number, i);
        if (reads.allreduce(callOf(send, receive, chunk_bytes)) != NodeReads::Outcome::kComplete) ++wrong;
        for (std::int64_t i = 0; i < count; ++i) {
          if (receive.data()[i] != expectedOf(ranks, number, i)) ++wrong;
          if (send.data()[i] != inputOf(rank, number, i)) ++wrong;
        }
      }
    }
  });
  EXPECT_EQ(wrong, 0);
}

// The last rank, or each one, has its result where its contribution is.
TEST_P(NodeReadsOf, combinesInPlace) {
  const std::int32_t ranks = GetParam();
  std::atomic<std::int64_t> wrong{0};
  runReaders(ranks, [&](std::int32_t rank, NodeReads& reads) {
    std::uint64_t number = 0;
    for (const bool are_all : {false, true}) {
      for (const std::int64_t count : {1, 1000, 10'007}) {
        ++number;
        const Vector send(count);
        const Vector receive(count);
        const Vector& result = are_all || rank == ranks - 1 ? send : receive;
        for (std::int64_t i = 0; i < count; ++i) send.data()[i] = inputOf(rank, number, i);
        if (reads.allreduce(callOf(send, result, 4096)) != NodeReads::Outcome::kComplete) ++wrong;
        for (std::int64_t i = 0; i < count; ++i) wrong += result.data()[i] == expectedOf(ranks, number, i) ? 0 : 1;
      }
    }
  });
  EXPECT_EQ(wrong, 0);
}

enum class Hidden : std::uint8_t { kContribution, kResult };

// Rank 1 has a page that it can use and others cannot read: of its contribution, in another rank's share, or of its
// result, in its own. All ranks find so, and find the next call complete.
void expectOutcome(std::int32_t ranks, Hidden hidden, std::int64_t page, bool in_place, NodeReads::Outcome expected) {
  std::atomic<std::int64_t> other{0};
  std::atomic<std::int64_t> touched{0};
  runReaders(ranks, [&](std::int32_t rank, NodeReads& reads) {
    Vector send(kPages * ranks * kNumbersOfPage);
    Vector receive(send.count());
    for (std::int64_t i = 0; i < send.count(); ++i) send.data()[i] = inputOf(rank, 1, i);
    if (rank == 1) (hidden == Hidden::kContribution ? send : receive).hidePage(page);
    if (reads.allreduce(callOf(send, in_place ? send : receive, 4096)) != expected) ++other;
    if (expected == NodeReads::Outcome::kUncombined) {
      for (std::int64_t i = 0; i < send.count(); ++i) touched += send.data()[i] == inputOf(rank, 1, i) ? 0 : 1;
    }
    const Vector next(send.count());
    const Vector result(send.count());
    if (reads.allreduce(callOf(next, result, 4096)) != NodeReads::Outcome::kComplete) ++other;
  });
  EXPECT_EQ(other, 0) << "page " << page << ", in place " << in_place;
  EXPECT_EQ(touched, 0) << "page " << page << ", in place " << in_place;
}

TEST_P(NodeReadsOf, leavesContributionsAsTheyAreWhereOneCannotBeRead) {
  const std::int64_t last = kPages * GetParam() - 1;
  for (const bool in_place : {false, true}) {
    for (const std::int64_t page : {std::int64_t{0}, std::int64_t{3}, last}) {
      if (GetParam() == 2 && page == last) continue;  // it is in rank 1's own share
      expectOutcome(GetParam(), Hidden::kContribution, page, in_place, NodeReads::Outcome::kUncombined);
    }
  }
}

TEST_P(NodeReadsOf, saysThatSharesAreThereWhereOneCannotBeTaken) {
  expectOutcome(GetParam(), Hidden::kResult, kPages + 3, false, NodeReads::Outcome::kUntaken);
}

// What cannot be read is copied, and the result is there all the same.
TEST_P(NodeReadsOf, isFollowedByCopies) {
  const std::int32_t ranks = GetParam();
  for (const Hidden hidden : {Hidden::kContribution, Hidden::kResult}) {
    std::atomic<std::int64_t> wrong{0};
    runRanks(ranks, [&](std::int32_t rank, NodeAllreduce& allreduce) {
      for (std::uint64_t number = 1; number <= 3; ++number) {
        Vector send(kPages * ranks * kNumbersOfPage);
        Vector receive(send.count());
        for (std::int64_t i = 0; i < send.count(); ++i) send.data()[i] = inputOf(rank, number, i);
        if (rank == 1 && number != 2) {
          (hidden == Hidden::kContribution ? send : receive).hidePage(hidden == Hidden::kContribution ? 3 : kPages + 3);
        }
        allreduce.run(callOf(send, receive, 4096));
        for (std::int64_t i = 0; i < send.count(); i += 97) {
          wrong += receive.data()[i] == expectedOf(ranks, number, i) ? 0 : 1;
        }
      }
    });
    EXPECT_EQ(wrong, 0) << (hidden == Hidden::kContribution ? "contribution" : "result");
  }
}

TEST(NodeReads, combinesNoElementsWithGaps) {
  runReaders(2, [](std::int32_t, NodeReads& reads) {
    const Vector send(10);
    const Vector receive(10);
    NodeCall call = callOf(send, receive, 4096);
    call.combiner.has_gaps = true;
    EXPECT_EQ(reads.allreduce(call), NodeReads::Outcome::kUncombined);
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, NodeReadsOf, testing::Values(2, 3, 4, 5, 7, 8, 16),
                         [](const auto& shown) { return std::to_string(shown.param); });

}  // namespace
}  // namespace starling
