// Wraps SQLite in owned C++ objects. Only sqlite.cc includes sqlite3.h.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/status.h"
#include "base/units.h"

struct sqlite3_stmt;

namespace starling::sqlite {

// The first bytes of a file say this. Reading them takes no lock and changes neither the file nor its journals.
struct FileHeader {
  bool is_empty = false;  // no bytes at all, or a database in memory
  bool is_sqlite = false;
  std::uint32_t application_id = 0;  // PRAGMA application_id
  std::uint32_t user_version = 0;    // PRAGMA user_version
};

// kReadOnly changes nothing that is stored, but undoes what a killed writer left half done, where this user may write.
enum class Access { kReadOnly, kReadWrite };

// One connection's handle, shared by reference with its statements. Defined in sqlite.cc.
struct Handle;

// A prepared statement. Faults are kept: bind, step and prepare may be chained, and status() tells of the first.
// REQUIRES: the connection outlives it.
class Statement {
 public:
  ~Statement();
  Statement(Statement&&) noexcept;
  Statement& operator=(Statement&&) = delete;

  // Binds the values to ?1, ?2, ... and goes before the first row. Doubles that are not numbers become NULL.
  template <typename... Values>
  Statement& start(const Values&... values) {
    reset();
    int parameter = 0;
    (bind(++parameter, values), ...);
    return *this;
  }

  // Returns true when a row is ready, false at the end and on a fault.
  bool next();

  // Does start() and then all steps.
  template <typename... Values>
  Status run(const Values&... values) {
    start(values...);
    while (next()) {
    }
    return status_;
  }

  // Reads the row's columns from the left. NULL is read as an empty optional, else as NaN, zero or "".
  // REQUIRES: next() returned true.
  template <typename... Values>
  void read(Values&... values) {
    int column = 0;
    (get(column++, values), ...);
  }

  const Status& status() const { return status_; }

 private:
  friend class Connection;
  Statement(const Handle* handle, std::string_view sql);

  void reset();
  void bindNull(int parameter);
  void bindInteger(int parameter, std::int64_t value);
  void bindReal(int parameter, double value);
  void bindText(int parameter, std::string_view value);
  bool isNull(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;

  void bind(int parameter, std::string_view value) { bindText(parameter, value); }
  template <std::integral Value>
  void bind(int parameter, Value value) {
    bindInteger(parameter, static_cast<std::int64_t>(value));
  }
  void bind(int parameter, double value) { bindReal(parameter, value); }
  template <typename Value>
  void bind(int parameter, const std::optional<Value>& value) {
    value ? bind(parameter, *value) : bindNull(parameter);
  }

  void get(int column, std::string& value) const { value = text(column); }
  template <std::integral Value>
  void get(int column, Value& value) const {
    value = static_cast<Value>(integer(column));
  }
  void get(int column, double& value) const {
    value = isNull(column) ? std::numeric_limits<double>::quiet_NaN() : real(column);
  }
  template <typename Value>
  void get(int column, std::optional<Value>& value) const {
    value.reset();
    if (!isNull(column)) get(column, value.emplace());
  }

  const Handle* handle_;
  sqlite3_stmt* statement_ = nullptr;
  Status status_ = Status::ok();
};

// An open file. Its statuses read "cannot <action> <path>: <reason>; <how to mend it>".
// THREADS: one thread at a time.
class Connection {
 public:
  // Opens a file; kReadWrite creates a missing one (of no bytes), whose folder must exist. ":memory:" is a database in
  // memory.
  // Refuses what safePath() does. Views, triggers and virtual tables of the file do not work: nobody knows who made
  // them.
  static Result<Connection> open(const std::string& path, Access access, Seconds patience);
  ~Connection();
  Connection(Connection&&) noexcept;
  Connection& operator=(Connection&&) noexcept;

  // From here on statements wait for other processes' locks until `patience` is used up, all together.
  // `action` is for the statuses, as in "write to".
  void beginCall(const char* action);

  Result<FileHeader> header() const;
  const std::string& path() const;
  // Returns "cannot <action> <path>: <explanation>".
  Status fault(std::string_view explanation) const;

  Statement prepare(std::string_view sql) const { return Statement(handle_.get(), sql); }
  // Runs one or more statements whose rows, if any, are not wanted.
  Status execute(const char* sql) const;
  // Rewrites the file without free pages. It takes the file for itself meanwhile, and as much space again.
  Status vacuum() const;
  // Returns how many rows the latest statement changed.
  std::int64_t changes() const;

 private:
  explicit Connection(std::unique_ptr<Handle> handle);
  std::unique_ptr<Handle> handle_;
};

// An immediate transaction: rolled back unless commit() succeeds.
class Transaction {
 public:
  explicit Transaction(const Connection& connection);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // Tells whether it began.
  const Status& status() const { return status_; }
  // Makes the transaction's changes lasting. REQUIRES: status().isOk().
  Status commit();

 private:
  const Connection& connection_;
  Status status_;
  bool open_;
};

}  // namespace starling::sqlite
