// A result that cannot be ignored; when it is a failure, it holds a sentence that tells people why.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace starling {

// Success, or one sentence that says what failed, where, and how to mend it.
class [[nodiscard]] Status {
 public:
  static Status ok() { return Status(); }
  static Status error(std::string message) { return Status(std::move(message)); }

  bool isOk() const { return !message_.has_value(); }
  // The message is empty when isOk().
  const std::string& message() const {
    static const std::string kEmpty;
    return message_ ? *message_ : kEmpty;
  }

 private:
  Status() = default;
  explicit Status(std::string message) : message_(std::move(message)) {}

  std::optional<std::string> message_;
};

// A value, or the Status that explains why there is none.
template <typename Value>
class [[nodiscard]] Result {
 public:
  Result(Value value) : value_(std::move(value)), status_(Status::ok()) {}  // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {}                     // NOLINT(google-explicit-constructor)

  bool isOk() const { return value_.has_value(); }
  const Status& status() const { return status_; }

  // REQUIRES: isOk().
  const Value& value() const& { return *value_; }
  Value& value() & { return *value_; }
  Value&& value() && { return std::move(*value_); }

 private:
  std::optional<Value> value_;
  Status status_;
};

}  // namespace starling
