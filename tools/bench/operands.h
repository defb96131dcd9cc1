// The types and operations that can be measured.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace starling::bench {

enum class Element : std::uint8_t { kFloat, kDouble, kInt32, kInt64, kUint32, kUint64, kChar };
enum class OperationKind : std::uint8_t { kSum, kProduct, kMaximum, kMinimum, kMatrix };

// Returns the name by which a type is asked for.
std::string_view elementName(Element element);

struct OperationRow {
  std::string_view name;
  OperationKind kind;
  bool slow;

  bool commutes() const { return kind != OperationKind::kMatrix; }
};

struct OperandChoice {
  Element element;
  OperationRow operation;
};

// There are the types float, double, int32, int64, uint32, uint64 and char (MPI_CHAR, for which MPI defines no
// operation: libraries reduce it all the same, and suites of benchmarks do), the operations sum, prod, max and min, and
// three user operations:
//   slow-sum     a sum that is two orders of magnitude slower than a plain one (Marendic et al. 2012, section 5.5)
//   matrix       product of 2 x 2 matrices of bytes, modulo 256, packed into a uint32: not commutative
//   slow-matrix  the same, slow
// An empty type stands for float, or for uint32 with the matrices. Errors name the words that are known.
Result<OperandChoice> parseOperands(std::string_view type, std::string_view operation);

}  // namespace starling::bench
