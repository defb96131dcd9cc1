// A database as the first schema's writer left it: the records of sampleBatch(), and beside them a key of the same
// communicator without a timed call, and a communicator of ranks whose clocks differ. There latenesses are not recorded
// at all, an imbalance of 0 stands for one that is not known, and elapsed times stand in the post-arrival columns.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "store/migration.h"
#include "store/sqlite.h"

namespace starling {

inline constexpr const char* kFirstSchemaRows = R"sql(
INSERT INTO environments VALUES (1, 8, 2, 4, 'Example 9000', 'Open MPI v4.1.4', 'network');
INSERT INTO runs VALUES (1, 'r', 1, 'heat', 1700000000, NULL);
INSERT INTO communicators VALUES (1, 1, 'c1', 'rows', 3);
INSERT INTO communicators VALUES (2, 1, 'c2', 'apart', 2);
INSERT INTO sites VALUES (1, 'heat[ab12]+0x40', 'residual', '/opt/heat', 'ab12', -16, 'solve() at heat.cc:40');
INSERT INTO keys VALUES (1, 1, 1, 13, 'double', 'sum', 8000, 500, 20, 1.5, 0.002, 'settled',
                         'slt:segments=64,window=8', '[2,0,1]', 1.25);
INSERT INTO keys VALUES (2, 1, 1, 3, 'double', 'sum', 8000, 1, 0, 0.0, 0.0, 'observing', 'native', '[]', NULL);
INSERT INTO keys VALUES (3, 2, 1, 13, 'double', 'sum', 8000, 500, 20, 1.5, 0.0, 'settled',
                         'slt:segments=64,window=8', '[]', 1.25);
INSERT INTO observations VALUES (1, 1, 3, 'ring', 1, 4, 2, 0.004, 0.003, 0.001, 0.0005);
INSERT INTO observations VALUES (2, 2, 3, 'native', 0, 1, 0, 0.0, 0.0, 0.0, 0.0);
INSERT INTO observations VALUES (3, 3, 3, 'ring', 1, 4, 2, 0.004, 0.004, 0.0035, 0.0005);
INSERT INTO arrivals VALUES (1, 1, 3, 1, 2, 0.01, 0.001, 0.011, 'regression');
INSERT INTO decisions VALUES (1, 1, 3, 12, 'ring', '[1,2,0]', 'It was the quickest.', 0.002, 0.003, 0.006);
INSERT INTO policies VALUES (1, 1, 'heat', 1, 'heat[ab12]+0x40', 3, 13, 'double', 'sum', 'slt:segments=64,window=8',
                             '[2,0,1]', '[0,1500,9000000000]', 1.25, 'slt was quicker. Rank 1 is late.');
)sql";

inline void writeFirstSchemaDatabase(const std::string& path) {
  const auto opened = sqlite::Connection::open(path, sqlite::Access::kReadWrite, Seconds{1.0});
  ASSERT_TRUE(opened.isOk()) << opened.status().message();
  constexpr std::array kFirst = {kSchemaStep1};
  const Status created = bringForward(opened.value(), kFirst);
  ASSERT_TRUE(created.isOk()) << created.message();
  const Status filled = opened.value().execute(kFirstSchemaRows);
  ASSERT_TRUE(filled.isOk()) << filled.message();
}

}  // namespace starling
