#include "node/node_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "thread_ranks.h"

namespace starling {
namespace {

// Everything that ranks write to has lines of its own, and within the memory.
TEST(NodeLayout, keepsThingsApart) {
  for (const std::int32_t ranks : {2, 3, 8, 16, 64, 192, 256}) {
    const NodeLayout layout(ranks);
    const ThreadMemory memory(layout.bytes());
    std::vector<std::pair<const std::byte*, std::size_t>> places;
    const auto add = [&](const void* begin, std::size_t bytes) {
      places.emplace_back(static_cast<const std::byte*>(begin), bytes);
    };
    add(&layout.sleepers(memory.data()), sizeof(NodeSleepers));
    for (std::uint64_t chunk = 0; chunk < NodeLayout::kSets; ++chunk) {
      add(layout.result(memory.data(), chunk), NodeLayout::kMostChunkBytes);
    }
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      add(&layout.copiedIn(memory.data(), rank), sizeof(NodeFlag));
      add(&layout.combined(memory.data(), rank), sizeof(NodeFlag));
      add(&layout.vectors(memory.data(), rank), sizeof(NodeVectors));
      for (std::int32_t level = 0; level <= layout.levels(); ++level) {
        for (const std::uint64_t call : {0, 1}) {
          add(&layout.slot(memory.data(), rank, level, call), sizeof(NodeSlot));
        }
      }
      for (std::uint64_t chunk = 0; chunk < NodeLayout::kSets; ++chunk) {
        add(layout.contribution(memory.data(), rank, chunk), NodeLayout::kMostChunkBytes);
      }
    }
    const std::byte* const last = layout.contributions(memory.data(), ranks - 1);
    EXPECT_LE(last + NodeLayout::kContributionBytes, memory.data() + layout.bytes());
    EXPECT_EQ(last + NodeLayout::kContributionBytes - NodeLayout::kMostChunkBytes,
              layout.contribution(memory.data(), ranks - 1, NodeLayout::kSets - 1))
        << "all of them, one after the other";
    std::sort(places.begin(), places.end());
    EXPECT_EQ(places.front().first, memory.data());
    EXPECT_LE(places.back().first + places.back().second, memory.data() + layout.bytes());
    for (std::size_t i = 1; i < places.size(); ++i) {
      EXPECT_LE(places[i - 1].first + places[i - 1].second, places[i].first) << ranks << " ranks, place " << i;
    }
  }
}

}  // namespace
}  // namespace starling
