// Records as CBOR (RFC 8949).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "store/list_runs.h"
#include "store/record_fields.h"

namespace starling {

// Writes any value that has a list of fields (record_fields.h), lists of such values, and what these consist of; lists
// of whole numbers by runs (list_runs.h). The library that reads them writes from a tree, which needs memory even to be
// destroyed: where that is short it would end the program. Throws std::bad_alloc where memory is short. THREADS: one.
class CborWriter {
 public:
  template <typename Value>
  void write(const Value& value) {
    if constexpr (std::is_same_v<Value, bool>) {
      bytes_.push_back(value ? kTrue : kFalse);
    } else if constexpr (std::is_integral_v<Value>) {
      const bool is_negative = std::cmp_less(value, 0);
      writeHead(is_negative ? kNegative : kUnsigned, static_cast<std::uint64_t>(is_negative ? -1 - value : value));
    } else if constexpr (std::is_floating_point_v<Value>) {
      bytes_.push_back(kDouble);
      writeBigEndian(std::bit_cast<std::uint64_t>(static_cast<double>(value)), sizeof(double));
    } else if constexpr (std::is_same_v<Value, std::string>) {
      writeText(value);
    } else if constexpr (kIsOptional<Value>) {
      value ? write(*value) : bytes_.push_back(kNull);
    } else if constexpr (kIsIntegerList<Value>) {
      writeRuns(value);
    } else if constexpr (kIsList<Value>) {
      writeHead(kArray, value.size());
      for (const auto& item : value) write(item);
    } else {
      writeRecord(value);
    }
  }
  std::vector<std::uint8_t> finish() && { return std::move(bytes_); }

 private:
  // Major types, and values that are a byte.
  enum Major : std::uint8_t { kUnsigned = 0, kNegative = 1, kText = 3, kArray = 4, kMap = 5 };
  enum Byte : std::uint8_t { kFalse = 0xf4, kTrue = 0xf5, kNull = 0xf6, kDouble = 0xfb };

  template <typename Record>
  void writeRecord(const Record& record) {
    std::size_t fields = 0;
    forEachField(record, [&fields](const auto&) { ++fields; });
    writeHead(kMap, fields);
    forEachField(record, [this](const auto& field) {
      writeText(field.name);
      write(field.value);
    });
  }
  template <typename Integer>
  void writeRuns(const std::vector<Integer>& list) {
    std::size_t runs = 0;
    forEachRun<Integer>(list, [&runs](const ListRun&) { ++runs; });
    writeHead(kArray, runs);
    forEachRun<Integer>(list, [this](const ListRun& run) {
      if (run.length == 1)
        write(run.first);
      else
        writeText(textOf(run));
    });
  }
  void writeText(std::string_view text) {
    writeHead(kText, text.size());
    bytes_.insert(bytes_.end(), text.begin(), text.end());
  }
  // Numbers below 24 stand in the first byte; for others it says how wide they are.
  void writeHead(Major major, std::uint64_t number) {
    const auto first = static_cast<std::uint8_t>(major << 5);
    if (number < 24) {
      bytes_.push_back(static_cast<std::uint8_t>(first | number));
      return;
    }
    const int width = number <= 0xff ? 0 : number <= 0xffff ? 1 : number <= 0xffffffff ? 2 : 3;
    bytes_.push_back(static_cast<std::uint8_t>(first | (24 + width)));
    writeBigEndian(number, std::size_t{1} << width);
  }
  void writeBigEndian(std::uint64_t number, std::size_t width) {
    for (std::size_t byte = width; byte > 0; --byte) {
      bytes_.push_back(static_cast<std::uint8_t>(number >> (8 * (byte - 1))));
    }
  }

  std::vector<std::uint8_t> bytes_;
};

}  // namespace starling
