// Threads that stand for the ranks of a node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <numeric>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "node/node_allreduce.h"

namespace starling {

// Memory as ranks share it: zeros, aligned as pages are.
class ThreadMemory {
 public:
  explicit ThreadMemory(std::size_t bytes)
      : bytes_(bytes), data_(static_cast<std::byte*>(::operator new(bytes, kPage))) {
    std::fill_n(data_, bytes_, std::byte{});
  }
  ~ThreadMemory() { ::operator delete(data_, kPage); }
  ThreadMemory(const ThreadMemory&) = delete;
  ThreadMemory& operator=(const ThreadMemory&) = delete;

  std::byte* data() const { return data_; }

 private:
  static constexpr std::align_val_t kPage{4096};

  std::size_t bytes_;
  std::byte* data_;
};

// Returns places in so many domains, which the ranks take in turn, as launchers place them that go from socket to
// socket.
inline std::vector<ProcessorPlace> placesInTurn(std::int32_t ranks, std::int32_t domains) {
  const std::int32_t of_domain = (ranks + domains - 1) / domains;
  std::vector<ProcessorPlace> places;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const std::int32_t first = rank % domains * of_domain;
    places.push_back({first, first + rank / domains});
  }
  return places;
}

// Runs `body(rank, allreduce)` in a thread for each rank, and waits for all.
template <typename Body>
void runRanks(std::int32_t ranks, const Body& body) {
  const NodeLayout layout(ranks);
  const std::vector<ProcessorPlace> places = placesInTurn(ranks, 2);
  const ThreadMemory memory(layout.bytes());
  std::vector<std::thread> threads;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      NodeWait::Settings settings;
      settings.is_crowded = true;
      NodeAllreduce allreduce(memory.data(), layout, rank, settings, places);
      body(rank, allreduce);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// One call, drawn alike by all ranks.
struct DrawnCall {
  std::int64_t count = 1;
  bool in_slots = false;
  bool in_place = false;
  bool is_read = false;
  bool past_caches = false;
  std::int64_t chunk_bytes = 0;
  std::vector<std::int32_t> late;
  bool may_reorder = false;          // then vectors are added up
  std::vector<std::int32_t> owners;  // of shares; not empty: the call is made in two halves
};

inline DrawnCall drawCall(std::mt19937& random, std::int32_t ranks, std::int64_t most) {
  DrawnCall call;
  const std::int64_t longest = random() % 16 == 0 ? most : random() % 8 == 0 ? 300 : 3;
  call.count = 1 + static_cast<std::int64_t>(random()) % longest;
  call.in_slots = random() % 2 == 0;
  call.in_place = random() % 2 == 0;
  call.chunk_bytes = std::int64_t{1} << (random() % 12 + 4);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    if (random() % 4 == 0) call.late.push_back(rank);
  }
  call.may_reorder = random() % 2 == 0;
  call.is_read = !call.in_slots && random() % 2 == 0;
  call.past_caches = random() % 2 == 0;
  if (random() % 3 != 0) return call;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    if (random() % 2 == 0) call.owners.push_back(rank);
  }
  std::ranges::shuffle(call.owners, random);
  return call;
}

// Neither associative nor commutative, so that each order has bits of its own.
inline std::uint64_t mixed(std::uint64_t left, std::uint64_t right) {
  return (left * 0x9e3779b97f4a7c15ULL + 1) ^ (right * 0xbf58476d1ce4e5b9ULL >> 7);
}
inline void mixVectors(const void*, const void* left, const void* right, void* out, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    static_cast<std::uint64_t*>(out)[i] =
        mixed(static_cast<const std::uint64_t*>(left)[i], static_cast<const std::uint64_t*>(right)[i]);
  }
}
inline const Combiner kMixing{mixVectors, nullptr, sizeof(std::uint64_t)};
inline void addVectors(const void*, const void* left, const void* right, void* out, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    static_cast<std::uint64_t*>(out)[i] =
        static_cast<const std::uint64_t*>(left)[i] + static_cast<const std::uint64_t*>(right)[i];
  }
}
inline const Combiner kAdding{addVectors, nullptr, sizeof(std::uint64_t)};

inline std::uint64_t inputOf(std::int32_t rank, std::uint64_t call, std::int64_t element) {
  return mixed(static_cast<std::uint64_t>(rank) + 1, mixed(call, static_cast<std::uint64_t>(element)));
}

// The rule of recursive doubling, played as it is told: adjacent pairs first, where the ranks are no power of two; then
// partners at distance 1, 2, 4, ... combine, the lower one's value first.
inline std::uint64_t combinedByDoubling(std::vector<std::uint64_t> values) {
  std::size_t power = 1;
  while (2 * power <= values.size()) power *= 2;
  const std::size_t folded = values.size() - power;
  std::vector<std::uint64_t> places;
  for (std::size_t i = 0; i < folded; ++i) places.push_back(mixed(values[2 * i], values[2 * i + 1]));
  places.insert(places.end(), values.begin() + static_cast<std::ptrdiff_t>(2 * folded), values.end());
  for (std::size_t distance = 1; distance < power; distance *= 2) {
    for (std::size_t place = 0; place < power; place += 2 * distance) {
      places[place] = mixed(places[place], places[place + distance]);
    }
  }
  return places.front();
}

inline std::uint64_t expectedOf(std::int32_t ranks, std::uint64_t call, std::int64_t element, bool are_added = false) {
  std::vector<std::uint64_t> values;
  for (std::int32_t rank = 0; rank < ranks; ++rank) values.push_back(inputOf(rank, call, element));
  return are_added ? std::accumulate(values.begin(), values.end(), std::uint64_t{0})
                   : combinedByDoubling(std::move(values));
}

// Each owner adds the number of the call to its share, to what is combined already while the rest is on its way; and it
// hands out little by little.
inline void callInHalves(NodeAllreduce& allreduce, const NodeCall& node_call, const DrawnCall& drawn, std::int32_t rank,
                         std::uint64_t call) {
  std::vector<NodeShare> shares;
  const auto owners = static_cast<std::int64_t>(drawn.owners.size());
  for (std::int64_t i = 0; i < owners; ++i) {
    shares.push_back(
        {drawn.owners[static_cast<std::size_t>(i)], i * drawn.count / owners, (i + 1) * drawn.count / owners});
  }
  const auto own = std::ranges::find(shares, rank, &NodeShare::owner);
  const NodeShare share = own != shares.end() ? *own : NodeShare{rank, drawn.count, drawn.count};
  const auto never = [] { return false; };
  allreduce.beginReduceScatter(node_call, shares);
  std::int64_t added = share.begin;
  while (!allreduce.isOver()) {
    allreduce.advanceUnless(0, never);
    for (; added < std::min(share.end, allreduce.combinedBefore()); ++added) {
      static_cast<std::uint64_t*>(node_call.receive)[added] += call;
    }
  }
  allreduce.beginGather(node_call, shares);
  for (std::int64_t final_before = share.begin; final_before < share.end; final_before += drawn.count / 7 + 1) {
    allreduce.advance(final_before);
  }
  allreduce.finish();
}

// Makes one rank's part of a drawn call, and counts the elements of its result that are wrong; of long vectors it looks
// at some.
inline std::int64_t wrongElements(NodeAllreduce& allreduce, const DrawnCall& drawn, std::int32_t rank,
                                  std::uint64_t call) {
  std::vector<std::uint64_t> send(static_cast<std::size_t>(drawn.count));
  for (std::int64_t i = 0; i < drawn.count; ++i) send[static_cast<std::size_t>(i)] = inputOf(rank, call, i);
  std::vector<std::uint64_t> receive(drawn.in_place ? 0 : send.size());
  std::vector<std::uint64_t>& result = drawn.in_place ? send : receive;
  NodeCall node_call;
  node_call.send = send.data();
  node_call.receive = result.data();
  node_call.count = drawn.count;
  node_call.combiner = drawn.may_reorder ? kAdding : kMixing;
  node_call.in_slots = drawn.in_slots;
  node_call.is_read = drawn.is_read;
  node_call.past_caches = drawn.past_caches;
  node_call.chunk_bytes = drawn.chunk_bytes;
  node_call.late = drawn.late;
  node_call.may_reorder = drawn.may_reorder;
  if (drawn.owners.empty()) {
    allreduce.run(node_call);
  } else {
    callInHalves(allreduce, node_call, drawn, rank, call);
  }
  std::int64_t wrong = 0;
  const std::int64_t step = drawn.count / 64 + 1;
  for (std::int64_t i = 0; i < drawn.count; i += step) {
    std::uint64_t expected = expectedOf(allreduce.ranks(), call, i, drawn.may_reorder);
    if (!drawn.owners.empty()) expected += call;
    if (result[static_cast<std::size_t>(i)] != expected) ++wrong;
  }
  return wrong;
}

}  // namespace starling
