// To Starling, MPI's predefined datatypes and operations are representations to be combined.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

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

// Returns nothing for derived types and for predefined ones that cannot be reduced (MPI_CHAR, MPI_WCHAR, MPI_PACKED) or
// whose representation is none of the above (MPI_REAL16, MPI_LOGICAL8).
// REQUIRES: the first call comes between MPI_Init and MPI_Finalize. THREADS: any. It takes tens of nanoseconds.
std::optional<ElementType> elementType(MPI_Datatype datatype);

// Returns nothing for MPI_OP_NULL, MPI_REPLACE and MPI_NO_OP.
// THREADS: any. It needs no MPI_Init.
std::optional<Operation> operation(MPI_Op op);

// Returns the bytes of data in one element, as MPI_Type_size does: a kDoubleInt has 12.
std::int64_t elementSize(ElementType type);
// Returns the bytes from one element to the next in memory, as the extent of MPI_Type_get_extent: a kDoubleInt has 16.
std::int64_t elementExtent(ElementType type);

// These return the names in the database: "float", "int32", "double_int", ...; "sum", "logical_and", "maxloc", "user",
// ...
const char* elementTypeName(ElementType type);
const char* operationName(Operation operation);

// Returns whether both are MPI's own, so that no program frees their handles.
bool arePredefined(MPI_Datatype datatype, MPI_Op op);

}  // namespace starling
