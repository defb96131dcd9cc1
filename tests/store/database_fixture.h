// What the tests of the writer's side share.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "fixture.h"
#include "store/database.h"
#include "store/sqlite.h"

namespace starling {

inline Database openDatabase(const std::string& path, Seconds patience = Seconds{5.0}) {
  Result<Database> opened = Database::open(path, patience);
  EXPECT_TRUE(opened.isOk()) << opened.status().message();
  return std::move(opened).value();
}

inline void expectOk(const Status& status) { EXPECT_TRUE(status.isOk()) << status.message(); }

// The rows of one table, counted past the store.
inline std::int64_t count(const std::string& path, const std::string& table) {
  const auto connection = sqlite::Connection::open(path, sqlite::Access::kReadOnly, Seconds{5.0});
  EXPECT_TRUE(connection.isOk()) << connection.status().message();
  sqlite::Statement statement = connection.value().prepare("SELECT count(*) FROM " + table);
  std::int64_t rows = -1;
  if (statement.start().next()) statement.read(rows);
  EXPECT_TRUE(statement.status().isOk()) << statement.status().message();
  return rows;
}

}  // namespace starling
