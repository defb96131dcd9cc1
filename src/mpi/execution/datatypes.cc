#include "mpi/execution/datatypes.h"

#include <array>
#include <cstddef>
#include <vector>

namespace starling {
namespace {

// A family is what MPI says a type is. Its width is asked of the library, because compilers and build options of the
// library decide it (long, INTEGER, MPI_AINT, ...).
enum class Family : std::uint8_t {
  kSigned,
  kUnsigned,
  kReal,
  kLongDouble,  // apart from kReal: Fortran's 16-byte reals are as wide, but of another representation
  kComplex,
  kLongDoubleComplex,
  kBool,
  kLogical,
  kByte,
  kIntegerAndInt,
  kRealAndInt,
  kTwoReals,
};

struct Traits {
  ElementType type;
  Family family;
  std::int64_t size;
  std::int64_t extent;
};

template <typename Value>
struct ValueAndInt {
  Value value;
  std::int32_t index;
};

template <typename Element>
constexpr Traits plain(ElementType type, Family family) {
  return {type, family, sizeof(Element), sizeof(Element)};
}

template <typename Value>
constexpr Traits pair(ElementType type, Family family) {
  return {type, family, sizeof(Value) + sizeof(std::int32_t), sizeof(ValueAndInt<Value>)};
}

constexpr std::array<Traits, kElementTypes> kTraits{{
    plain<std::int8_t>(ElementType::kInt8, Family::kSigned),
    plain<std::int16_t>(ElementType::kInt16, Family::kSigned),
    plain<std::int32_t>(ElementType::kInt32, Family::kSigned),
    plain<std::int64_t>(ElementType::kInt64, Family::kSigned),
    plain<std::uint8_t>(ElementType::kUint8, Family::kUnsigned),
    plain<std::uint16_t>(ElementType::kUint16, Family::kUnsigned),
    plain<std::uint32_t>(ElementType::kUint32, Family::kUnsigned),
    plain<std::uint64_t>(ElementType::kUint64, Family::kUnsigned),
    plain<float>(ElementType::kFloat, Family::kReal),
    plain<double>(ElementType::kDouble, Family::kReal),
    plain<long double>(ElementType::kLongDouble, Family::kLongDouble),
    plain<float[2]>(ElementType::kComplexFloat, Family::kComplex),
    plain<double[2]>(ElementType::kComplexDouble, Family::kComplex),
    plain<long double[2]>(ElementType::kComplexLongDouble, Family::kLongDoubleComplex),
    plain<bool>(ElementType::kBool, Family::kBool),
    plain<std::int32_t>(ElementType::kLogical, Family::kLogical),
    plain<std::byte>(ElementType::kByte, Family::kByte),
    pair<std::int16_t>(ElementType::kShortInt, Family::kIntegerAndInt),
    pair<std::int32_t>(ElementType::kTwoInt, Family::kIntegerAndInt),
    pair<std::int64_t>(ElementType::kLongInt, Family::kIntegerAndInt),
    pair<float>(ElementType::kFloatInt, Family::kRealAndInt),
    pair<double>(ElementType::kDoubleInt, Family::kRealAndInt),
    pair<long double>(ElementType::kLongDoubleInt, Family::kRealAndInt),
    plain<float[2]>(ElementType::kTwoFloat, Family::kTwoReals),
    plain<double[2]>(ElementType::kTwoDouble, Family::kTwoReals),
}};

constexpr bool traitsAreInOrder() {
  for (std::size_t i = 0; i < kTraits.size(); ++i) {
    if (static_cast<std::size_t>(kTraits[i].type) != i) return false;
  }
  return true;
}
static_assert(traitsAreInOrder());

const Traits& traitsOf(ElementType type) { return kTraits[static_cast<std::size_t>(type)]; }

struct Datatype {
  MPI_Datatype handle;
  Family family;
};

// The most used types come first. A type that an MPI library lacks is either not defined there (Open MPI), or equal to
// MPI_DATATYPE_NULL (MPICH), or has no size (Open MPI without Fortran).
std::vector<Datatype> predefinedDatatypes() {
  return {
      {MPI_DOUBLE, Family::kReal},
      {MPI_FLOAT, Family::kReal},
      {MPI_INT, Family::kSigned},
      {MPI_DOUBLE_PRECISION, Family::kReal},
      {MPI_INTEGER, Family::kSigned},
      {MPI_REAL, Family::kReal},
      {MPI_LONG, Family::kSigned},
      {MPI_UNSIGNED_LONG, Family::kUnsigned},
      {MPI_INT64_T, Family::kSigned},
      {MPI_UINT64_T, Family::kUnsigned},
      {MPI_LONG_LONG, Family::kSigned},
      {MPI_UNSIGNED_LONG_LONG, Family::kUnsigned},
      {MPI_UNSIGNED, Family::kUnsigned},
      {MPI_INT32_T, Family::kSigned},
      {MPI_UINT32_T, Family::kUnsigned},
      {MPI_C_DOUBLE_COMPLEX, Family::kComplex},
      {MPI_DOUBLE_COMPLEX, Family::kComplex},
      {MPI_LOGICAL, Family::kLogical},
      {MPI_CXX_BOOL, Family::kBool},
      {MPI_C_BOOL, Family::kBool},
      {MPI_2INT, Family::kIntegerAndInt},
      {MPI_DOUBLE_INT, Family::kRealAndInt},
      {MPI_FLOAT_INT, Family::kRealAndInt},
      {MPI_BYTE, Family::kByte},
      {MPI_UNSIGNED_CHAR, Family::kUnsigned},
      {MPI_SIGNED_CHAR, Family::kSigned},
      {MPI_UINT8_T, Family::kUnsigned},
      {MPI_INT8_T, Family::kSigned},
      {MPI_SHORT, Family::kSigned},
      {MPI_UNSIGNED_SHORT, Family::kUnsigned},
      {MPI_INT16_T, Family::kSigned},
      {MPI_UINT16_T, Family::kUnsigned},
      {MPI_AINT, Family::kSigned},
      {MPI_OFFSET, Family::kSigned},
      {MPI_COUNT, Family::kSigned},
      {MPI_C_FLOAT_COMPLEX, Family::kComplex},
      {MPI_COMPLEX, Family::kComplex},
      {MPI_LONG_DOUBLE, Family::kLongDouble},
      {MPI_C_LONG_DOUBLE_COMPLEX, Family::kLongDoubleComplex},
#ifdef OPEN_MPI  // MPI defines no operation on it, but this library reduces it like a signed char
      {MPI_CHAR, Family::kSigned},
#endif
      {MPI_LONG_INT, Family::kIntegerAndInt},
      {MPI_SHORT_INT, Family::kIntegerAndInt},
      {MPI_LONG_DOUBLE_INT, Family::kRealAndInt},
      {MPI_2INTEGER, Family::kIntegerAndInt},
      {MPI_2DOUBLE_PRECISION, Family::kTwoReals},
      {MPI_2REAL, Family::kTwoReals},
#ifndef SMPI_H  // declares these three under other names
      {MPI_CXX_FLOAT_COMPLEX, Family::kComplex},
      {MPI_CXX_DOUBLE_COMPLEX, Family::kComplex},
      {MPI_CXX_LONG_DOUBLE_COMPLEX, Family::kLongDoubleComplex},
#endif
#ifdef MPI_REAL4
      {MPI_REAL4, Family::kReal},
      {MPI_COMPLEX8, Family::kComplex},
#endif
#ifdef MPI_REAL8
      {MPI_REAL8, Family::kReal},
      {MPI_COMPLEX16, Family::kComplex},
#endif
#ifdef MPI_INTEGER1
      {MPI_INTEGER1, Family::kSigned},
#endif
#ifdef MPI_INTEGER2
      {MPI_INTEGER2, Family::kSigned},
#endif
#ifdef MPI_INTEGER4
      {MPI_INTEGER4, Family::kSigned},
#endif
#ifdef MPI_INTEGER8
      {MPI_INTEGER8, Family::kSigned},
#endif
  };
}

struct Representation {
  MPI_Datatype handle;
  ElementType type;
};

std::optional<ElementType> resolve(const Datatype& datatype) {
  int size = 0;
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  if (datatype.handle == MPI_DATATYPE_NULL || PMPI_Type_size(datatype.handle, &size) != MPI_SUCCESS ||
      PMPI_Type_get_extent(datatype.handle, &lower_bound, &extent) != MPI_SUCCESS) {
    return std::nullopt;
  }
  for (const Traits& traits : kTraits) {
    if (traits.family == datatype.family && traits.size == size && traits.extent == extent && lower_bound == 0) {
      return traits.type;
    }
  }
  return std::nullopt;
}

std::vector<Representation> resolveAll() {
  std::vector<Representation> representations;
  for (const Datatype& datatype : predefinedDatatypes()) {
    if (const auto type = resolve(datatype)) representations.push_back({datatype.handle, *type});
  }
  return representations;
}

}  // namespace

std::optional<ElementType> elementType(MPI_Datatype datatype) {
  // The program may still reduce where its static objects are destroyed: this never is.
  static const auto& representations = *new std::vector<Representation>(resolveAll());
  for (const Representation& representation : representations) {
    if (representation.handle == datatype) return representation.type;
  }
  return std::nullopt;
}

std::optional<Operation> operation(MPI_Op op) {
  if (op == MPI_SUM) return Operation::kSum;
  if (op == MPI_MAX) return Operation::kMaximum;
  if (op == MPI_MIN) return Operation::kMinimum;
  if (op == MPI_PROD) return Operation::kProduct;
  if (op == MPI_LAND) return Operation::kLogicalAnd;
  if (op == MPI_LOR) return Operation::kLogicalOr;
  if (op == MPI_LXOR) return Operation::kLogicalXor;
  if (op == MPI_BAND) return Operation::kBitwiseAnd;
  if (op == MPI_BOR) return Operation::kBitwiseOr;
  if (op == MPI_BXOR) return Operation::kBitwiseXor;
  if (op == MPI_MAXLOC) return Operation::kMaxloc;
  if (op == MPI_MINLOC) return Operation::kMinloc;
  if (op == MPI_OP_NULL || op == MPI_REPLACE || op == MPI_NO_OP) return std::nullopt;
  return Operation::kUser;
}

bool arePredefined(MPI_Datatype datatype, MPI_Op op) {
  if (operation(op) == Operation::kUser) return false;
  if (elementType(datatype)) return true;
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = 0;
  const int code = PMPI_Type_get_envelope(datatype, &integers, &addresses, &types, &combiner);
  return code == MPI_SUCCESS && combiner == MPI_COMBINER_NAMED;
}

std::int64_t elementSize(ElementType type) { return traitsOf(type).size; }

std::int64_t elementExtent(ElementType type) { return traitsOf(type).extent; }

}  // namespace starling
