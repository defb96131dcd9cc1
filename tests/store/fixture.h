// What the store's tests share: what root may do, and records with no field left at its default.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "../temporary_folder.h"
#include "store/records.h"

namespace starling {

// Root may give files to this user, and take its place.
constexpr uid_t kNobody = 65534;

// While it lives, file permissions count even for root, and `folder` with all that was in it is this user's.
class WithoutPrivileges {
 public:
  explicit WithoutPrivileges(std::filesystem::path folder = {}) : folder_(std::move(folder)) {
    if (was_ != 0) return;
    give(kNobody);
    EXPECT_EQ(::seteuid(kNobody), 0);
  }
  ~WithoutPrivileges() {
    if (was_ != 0) return;
    EXPECT_EQ(::seteuid(0), 0);
    give(0);
  }
  WithoutPrivileges(const WithoutPrivileges&) = delete;
  WithoutPrivileges& operator=(const WithoutPrivileges&) = delete;

 private:
  void give(uid_t user) const {
    if (folder_.empty()) return;
    EXPECT_EQ(::lchown(folder_.c_str(), user, static_cast<gid_t>(-1)), 0);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      EXPECT_EQ(::lchown(entry.path().c_str(), user, static_cast<gid_t>(-1)), 0);
    }
  }

  std::filesystem::path folder_;
  uid_t was_ = ::geteuid();
};

inline Environment sampleEnvironment() {
  return {.ranks = 8,
          .nodes = 2,
          .ranks_per_node = 4,
          .processor = "Example 9000",
          .mpi_version = "Open MPI v4.1.4",
          .transport = "network"};
}

inline Run sampleRun(const std::string& id) {
  return {.id = id,
          .environment = sampleEnvironment(),
          .program = "heat",
          .started = 1'700'000'000,
          .hosts = "a:4,b:4",
          .seconds = 41.5};
}

inline KeyId sampleKeyId() {
  return {.communicator = "c1",
          .site = "heat[ab12]+0x40",
          .size_class = 13,
          .type = "double",
          .operation = "sum",
          .part = kSpecialPart};
}

inline PolicyRecord samplePolicy() {
  return {.site = "heat[ab12]+0x40",
          .communicator_size = 3,
          .size_class = 13,
          .type = "double",
          .operation = "sum",
          .choice = "slt:segments=64,window=8",
          .table = {2, 0, 1},
          .lateness_ns = {0, 1500, 9'000'000'000},
          .gain = 1.25,
          .compared_by = "post_arrival",
          .reason = "slt was quicker. Rank 1 is late."};
}

// One record of each kind.
inline Batch sampleBatch() {
  Batch batch;
  batch.communicators = {{.id = "c1",
                          .name = "rows",
                          .size = 3,
                          .compared_by = "post_arrival",
                          .clock_error = 3e-6,
                          .alpha = 4e-6,
                          .beta = 8e-9,
                          .gamma = 1e-10,
                          .overhead = 2e-7,
                          .release = 3.5e-6,
                          .shared_ports = 1,
                          .inner_alpha = 5e-7,
                          .inner_beta = 2e-10,
                          .node_alpha = 3e-7,
                          .node_beta = 1.5e-10,
                          .read_alpha = 4e-6,
                          .read_beta = 2.5e-11,
                          .nodes = "0:2,2:1"}};
  batch.sites = {{.identity = "heat[ab12]+0x40",
                  .label = "residual",
                  .module = "/opt/heat",
                  .build_id = "ab12",
                  .offset = 0xFFFF'FFFF'FFFF'FFF0,
                  .symbol = "solve() at heat.cc:40"}};
  batch.keys = {{.id = sampleKeyId(),
                 .bytes = 8000,
                 .calls = 500,
                 .exploration_calls = 20,
                 .seconds = 1.5,
                 .imbalance = 0.002,
                 .state = "settled",
                 .choice = "slt:segments=64,window=8",
                 .table = {2, 0, 1},
                 .gain = 1.25,
                 .cycle = "every 50th call",
                 .outlook = "predicted",
                 .gain_error = 0.05}};
  batch.observations = {{.key = sampleKeyId(),
                         .epoch = 3,
                         .choice = "ring",
                         .exploration = true,
                         .calls = 4,
                         .samples = 2,
                         .elapsed_mean = 0.004,
                         .elapsed_minimum = 0.002,
                         .elapsed_deviation = 0.0007,
                         .post_arrival_mean = 0.003,
                         .post_arrival_minimum = 0.001,
                         .post_arrival_deviation = 0.0005,
                         .epochs = 4}};
  batch.arrivals = {{.key = sampleKeyId(),
                     .epoch = 3,
                     .rank = 1,
                     .samples = 2,
                     .mean = 0.01,
                     .deviation = 0.001,
                     .predicted = 0.011,
                     .method = "regression",
                     .error = 0.0004,
                     .epochs = 4,
                     .last = 1,
                     .world_rank = 5}};
  batch.histograms = {{.key = sampleKeyId(),
                       .epoch = 3,
                       .samples = 2,
                       .counts = {0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0},
                       .epochs = 4}};
  batch.decisions = {{.key = sampleKeyId(),
                      .epoch = 3,
                      .call = 12,
                      .choice = "ring",
                      .table = {1, 2, 0},
                      .reason = "It was the quickest.",
                      .expected = 0.002,
                      .measured = 0.003,
                      .native = 0.006}};
  batch.policies = {samplePolicy()};
  return batch;
}

}  // namespace starling
