// Candidates where it is known which ranks share a node, memory or links.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "candidate_queries.h"
#include "simulator/simulated_choice.h"

namespace starling {
namespace {

bool hasRow(const std::vector<Candidate>& candidates, const char* name) {
  return std::ranges::any_of(candidates, [name](const Candidate& candidate) { return nameOf(candidate) == name; });
}

CandidateQuery onNodes(CandidateQuery query, std::int32_t of_node) {
  query.model.inner_alpha = {1e-7};
  query.model.inner_beta = 1e-10;
  for (std::int32_t rank = 0; rank < query.shape.ranks; ++rank) query.topology.nodes.push_back(rank / of_node);
  return query;
}

TEST(RankCandidates, combinesWithinNodesFirstWhereSeveralRanksShareThem) {
  for (const std::int32_t ranks : {64, 512}) {
    const CandidateQuery query = queryOf(ranks, 32);
    EXPECT_FALSE(hasRow(rankCandidates(query), "two_level"));
    CandidateQuery placed = onNodes(query, 8);
    const Candidate best = rankCandidates(placed).front();
    EXPECT_EQ(nameOf(best), "two_level") << ranks << " ranks";
    placed.topology.shares_memory = true;
    EXPECT_EQ(rankCandidates(placed).front().choice, best.choice) << ranks << " ranks, memory that costs as messages";
  }
}

TEST(RankCandidates, joinsTheNodeOfALateRankWhereThereAreMany) {
  const auto inner_of_two_level = [](const CandidateQuery& spread) {
    const CandidateQuery query = onNodes(spread, 4);
    const std::vector<Candidate> candidates = rankCandidates(query);
    const Choice choice = std::ranges::find(candidates, "two_level", nameOf)->choice;
    Choice usual = choice;
    setBestSegments(usual, {.ranks = query.shape.ranks, .count = query.shape.count, .topology = &query.topology},
                    query.element_size, query.model);
    EXPECT_EQ(choice, usual) << "segments are those of the closed form";
    return choice.parameters[*findParameter(*findAlgorithm(choice.algorithm), "inner")];
  };
  enum Inner : std::int64_t { kChain = 5, kLateJoin = 6 };
  EXPECT_EQ(inner_of_two_level(lateQuery(256, 1 << 13, 20'000'000)), kLateJoin);
  EXPECT_EQ(inner_of_two_level(lateQuery(32, 1 << 17, 20'000'000)), kChain) << "latencies are few";
  EXPECT_NE(inner_of_two_level(queryOf(256, 1 << 13)), kLateJoin) << "nobody is late";
}

TEST(RankCandidates, goesInChunksWhereThatHidesTheMemoryOfNodes) {
  CandidateQuery query = queryOf(64, 1 << 18);
  for (std::int32_t rank = 0; rank < 64; ++rank) query.topology.nodes.push_back(rank / 8);
  query.topology.shares_memory = query.topology.gives_cores = true;
  query.model.node_alpha = {1e-6};
  query.model.node_beta = 1e-9;
  const auto chunks_of_two_level = [&] {
    const std::vector<Candidate> candidates = rankCandidates(query);
    const auto found = std::ranges::find(candidates, "two_level", nameOf);
    if (found == candidates.end()) return std::int64_t{0};
    const Choice& choice = found->choice;
    return choice.parameters[*findParameter(*findAlgorithm(choice.algorithm), kChunksParameter)];
  };
  EXPECT_GE(chunks_of_two_level(), 4);
  query.topology.gives_cores = false;
  EXPECT_EQ(chunks_of_two_level(), 1);
}

TEST(RankCandidates, hasTreesWhereLinksAreKnown) {
  CandidateQuery query = queryOf(8, 1 << 17);
  EXPECT_FALSE(hasRow(rankCandidates(query), "topology_tree"));
  query.topology.links.assign(64, 1);
  EXPECT_TRUE(hasRow(rankCandidates(query), "topology_tree"));
  EXPECT_FALSE(hasRow(rankCandidates(query), "two_level")) << "nobody shares a node";
}

TEST(RankCandidates, keepsATrialForSharedMemoryWhereThereIsSome) {
  CandidateQuery query = queryOf(4, 1 << 10);
  EXPECT_FALSE(hasRow(rankCandidates(query), "node"));
  query.topology.nodes.assign(4, 0);
  query.topology.shares_memory = true;
  query.model.node_alpha = {1.0};
  EXPECT_EQ(nameOf(rankCandidates(query).back()), "node") << "it is predicted to be the slowest";
  query.model.node_alpha = {1e-9};
  query.model.node_beta = 1e-12;
  EXPECT_EQ(nameOf(rankCandidates(query).front()), "node");
}

TEST(RankCandidates, hasRanksReadEachOthersMemoryWhereTheyMay) {
  CandidateQuery query = queryOf(4, 1 << 20);
  query.topology.nodes.assign(4, 0);
  query.topology.shares_memory = true;
  query.model.node_alpha = {1e-6};
  query.model.node_beta = 1e-10;
  EXPECT_FALSE(hasRow(rankCandidates(query), "node_read"));
  query.topology.reads_memory = true;
  query.model.read_alpha = {1e-5};
  query.model.read_beta = 5e-11;
  EXPECT_EQ(nameOf(rankCandidates(query).front()), "node_read");
  query.shape.count = 1 << 10;
  EXPECT_EQ(nameOf(rankCandidates(query).front()), "node") << "short vectors are there sooner by a copy";
}

}  // namespace
}  // namespace starling
