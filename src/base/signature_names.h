// MPI's predefined datatypes and operations as representations to be combined, and what the database calls them.
#pragma once

#include <cstdint>
#include <string_view>

namespace starling {

// There is one value per representation in memory, whatever its names in MPI: MPI_INT, MPI_INT32_T and MPI_INTEGER are
// all kInt32. Values are agreed between ranks and are not stored; the database has the names.
enum class ElementType : std::uint8_t {
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFloat,
  kDouble,
  kLongDouble,
  kComplexFloat,
  kComplexDouble,
  kComplexLongDouble,
  kBool,     // of C and C++, one byte
  kLogical,  // of Fortran, four bytes
  kByte,
  kShortInt,  // pairs of value and index, for kMaxloc and kMinloc
  kTwoInt,
  kLongInt,
  kFloatInt,
  kDoubleInt,
  kLongDoubleInt,
  kTwoFloat,  // Fortran's pairs have an index of the value's type
  kTwoDouble,
};
inline constexpr int kElementTypes = static_cast<int>(ElementType::kTwoDouble) + 1;

enum class Operation : std::uint8_t {
  kSum,
  kProduct,
  kMaximum,
  kMinimum,
  kLogicalAnd,
  kLogicalOr,
  kLogicalXor,
  kBitwiseAnd,
  kBitwiseOr,
  kBitwiseXor,
  kMaxloc,
  kMinloc,
  kUser,  // made by MPI_Op_create
};
inline constexpr int kOperations = static_cast<int>(Operation::kUser) + 1;

// These return the names in the database: "float", "int32", "double_int", ...; "sum", "logical_and", "maxloc", "user",
// ...
const char* elementTypeName(ElementType type);
const char* operationName(Operation operation);

// Names of what has none of the above.
inline constexpr const char* kDerivedType = "derived";
inline constexpr const char* kOtherOperation = "other";  // MPI_OP_NULL, MPI_REPLACE, MPI_NO_OP
inline constexpr const char* kUserNonCommutativeOperation = "user_noncommutative";
// Follows the name of a type whose buffers are in a device's memory.
inline constexpr const char* kOnDevice = "_on_device";

// Return whether the database may hold the name.
bool isTypeName(std::string_view name);
bool isOperationName(std::string_view name);

}  // namespace starling
