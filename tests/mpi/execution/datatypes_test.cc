#include "mpi/execution/datatypes.h"

#include <gtest/gtest.h>
#include <mpi.h>

#include <set>
#include <string>
#include <vector>

#include "mpi/execution/call_kind.h"

namespace starling {
namespace {

// Sizes can be asked only of an initialised library: this program runs as the only rank of a world of its own.
class MpiEnvironment : public testing::Environment {
 public:
  void SetUp() override { ASSERT_EQ(MPI_Init(nullptr, nullptr), MPI_SUCCESS); }
  void TearDown() override { ASSERT_EQ(MPI_Finalize(), MPI_SUCCESS); }
};
[[maybe_unused]] const testing::Environment* const kMpi = testing::AddGlobalTestEnvironment(new MpiEnvironment);

struct Expectation {
  const char* name;
  MPI_Datatype datatype;
  ElementType type;
};

#define STARLING_ROW(datatype, type) \
  { #datatype, datatype, ElementType::type }

// For compilers of 64-bit Linux, and Fortran's default kinds.
const std::vector<Expectation>& expectations() {
  static const std::vector<Expectation> kRows{
#ifdef OPEN_MPI
      STARLING_ROW(MPI_CHAR, kInt8),
#endif
      STARLING_ROW(MPI_SIGNED_CHAR, kInt8),
      STARLING_ROW(MPI_UNSIGNED_CHAR, kUint8),
      STARLING_ROW(MPI_SHORT, kInt16),
      STARLING_ROW(MPI_UNSIGNED_SHORT, kUint16),
      STARLING_ROW(MPI_INT, kInt32),
      STARLING_ROW(MPI_UNSIGNED, kUint32),
      STARLING_ROW(MPI_LONG, kInt64),
      STARLING_ROW(MPI_UNSIGNED_LONG, kUint64),
      STARLING_ROW(MPI_LONG_LONG, kInt64),
      STARLING_ROW(MPI_LONG_LONG_INT, kInt64),
      STARLING_ROW(MPI_UNSIGNED_LONG_LONG, kUint64),
      STARLING_ROW(MPI_INT8_T, kInt8),
      STARLING_ROW(MPI_INT16_T, kInt16),
      STARLING_ROW(MPI_INT32_T, kInt32),
      STARLING_ROW(MPI_INT64_T, kInt64),
      STARLING_ROW(MPI_UINT8_T, kUint8),
      STARLING_ROW(MPI_UINT16_T, kUint16),
      STARLING_ROW(MPI_UINT32_T, kUint32),
      STARLING_ROW(MPI_UINT64_T, kUint64),
      STARLING_ROW(MPI_AINT, kInt64),
      STARLING_ROW(MPI_OFFSET, kInt64),
      STARLING_ROW(MPI_COUNT, kInt64),
      STARLING_ROW(MPI_INTEGER, kInt32),
      STARLING_ROW(MPI_INTEGER1, kInt8),
      STARLING_ROW(MPI_INTEGER2, kInt16),
      STARLING_ROW(MPI_INTEGER4, kInt32),
      STARLING_ROW(MPI_INTEGER8, kInt64),
      STARLING_ROW(MPI_FLOAT, kFloat),
      STARLING_ROW(MPI_DOUBLE, kDouble),
      STARLING_ROW(MPI_LONG_DOUBLE, kLongDouble),
      STARLING_ROW(MPI_REAL, kFloat),
      STARLING_ROW(MPI_DOUBLE_PRECISION, kDouble),
      STARLING_ROW(MPI_REAL4, kFloat),
      STARLING_ROW(MPI_REAL8, kDouble),
      STARLING_ROW(MPI_C_COMPLEX, kComplexFloat),
      STARLING_ROW(MPI_C_FLOAT_COMPLEX, kComplexFloat),
      STARLING_ROW(MPI_C_DOUBLE_COMPLEX, kComplexDouble),
      STARLING_ROW(MPI_C_LONG_DOUBLE_COMPLEX, kComplexLongDouble),
      STARLING_ROW(MPI_CXX_FLOAT_COMPLEX, kComplexFloat),
      STARLING_ROW(MPI_CXX_DOUBLE_COMPLEX, kComplexDouble),
      STARLING_ROW(MPI_CXX_LONG_DOUBLE_COMPLEX, kComplexLongDouble),
      STARLING_ROW(MPI_COMPLEX, kComplexFloat),
      STARLING_ROW(MPI_DOUBLE_COMPLEX, kComplexDouble),
      STARLING_ROW(MPI_COMPLEX8, kComplexFloat),
      STARLING_ROW(MPI_COMPLEX16, kComplexDouble),
      STARLING_ROW(MPI_C_BOOL, kBool),
      STARLING_ROW(MPI_CXX_BOOL, kBool),
      STARLING_ROW(MPI_LOGICAL, kLogical),
      STARLING_ROW(MPI_BYTE, kByte),
      STARLING_ROW(MPI_SHORT_INT, kShortInt),
      STARLING_ROW(MPI_2INT, kTwoInt),
      STARLING_ROW(MPI_LONG_INT, kLongInt),
      STARLING_ROW(MPI_FLOAT_INT, kFloatInt),
      STARLING_ROW(MPI_DOUBLE_INT, kDoubleInt),
      STARLING_ROW(MPI_LONG_DOUBLE_INT, kLongDoubleInt),
      STARLING_ROW(MPI_2INTEGER, kTwoInt),
      STARLING_ROW(MPI_2REAL, kTwoFloat),
      STARLING_ROW(MPI_2DOUBLE_PRECISION, kTwoDouble),
  };
  return kRows;
}

TEST(Datatypes, equalRepresentationsAreOneElementType) {
  for (const Expectation& row : expectations()) {
    const auto type = elementType(row.datatype);
    ASSERT_TRUE(type.has_value()) << row.name;
    EXPECT_STREQ(elementTypeName(*type), elementTypeName(row.type)) << row.name;
  }
}

TEST(Datatypes, sizeAndExtentEqualThoseOfTheLibrary) {
  std::set<ElementType> seen;
  for (const Expectation& row : expectations()) {
    int size = 0;
    MPI_Aint lower_bound = 0;
    MPI_Aint extent = 0;
    ASSERT_EQ(MPI_Type_size(row.datatype, &size), MPI_SUCCESS) << row.name;
    ASSERT_EQ(MPI_Type_get_extent(row.datatype, &lower_bound, &extent), MPI_SUCCESS) << row.name;
    EXPECT_EQ(elementSize(row.type), size) << row.name;
    EXPECT_EQ(elementExtent(row.type), extent) << row.name;
    seen.insert(row.type);
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kElementTypes));
}

TEST(Datatypes, isEmptyWhenATypeCannotBeReduced) {
  for (MPI_Datatype datatype : {MPI_DATATYPE_NULL, MPI_WCHAR, MPI_CHARACTER, MPI_PACKED}) {
    EXPECT_FALSE(elementType(datatype).has_value());
  }
#ifndef OPEN_MPI
  EXPECT_FALSE(elementType(MPI_CHAR).has_value());
#endif
}

TEST(Datatypes, isEmptyWhenNoElementTypeHasTheRepresentation) {
#ifdef MPI_REAL16
  // As wide as long double, but IEEE quadruple precision.
  EXPECT_FALSE(elementType(MPI_REAL16).has_value());
  EXPECT_FALSE(elementType(MPI_COMPLEX32).has_value());
#endif
#ifdef MPI_LOGICAL8
  EXPECT_FALSE(elementType(MPI_LOGICAL8).has_value());
#endif
}

TEST(Datatypes, isEmptyForDerivedTypes) {
  MPI_Datatype duplicate = MPI_DATATYPE_NULL;
  MPI_Datatype contiguous = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_dup(MPI_DOUBLE, &duplicate), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_contiguous(4, MPI_DOUBLE, &contiguous), MPI_SUCCESS);
  EXPECT_FALSE(elementType(duplicate).has_value());
  EXPECT_FALSE(elementType(contiguous).has_value());
  MPI_Type_free(&duplicate);
  MPI_Type_free(&contiguous);
}

TEST(Datatypes, predefinedOperationsAreKnown) {
  EXPECT_EQ(operation(MPI_SUM), Operation::kSum);
  EXPECT_EQ(operation(MPI_PROD), Operation::kProduct);
  EXPECT_EQ(operation(MPI_MAX), Operation::kMaximum);
  EXPECT_EQ(operation(MPI_MIN), Operation::kMinimum);
  EXPECT_EQ(operation(MPI_LAND), Operation::kLogicalAnd);
  EXPECT_EQ(operation(MPI_LOR), Operation::kLogicalOr);
  EXPECT_EQ(operation(MPI_LXOR), Operation::kLogicalXor);
  EXPECT_EQ(operation(MPI_BAND), Operation::kBitwiseAnd);
  EXPECT_EQ(operation(MPI_BOR), Operation::kBitwiseOr);
  EXPECT_EQ(operation(MPI_BXOR), Operation::kBitwiseXor);
  EXPECT_EQ(operation(MPI_MAXLOC), Operation::kMaxloc);
  EXPECT_EQ(operation(MPI_MINLOC), Operation::kMinloc);
}

TEST(Datatypes, operationIsEmptyWhenItIsForOneSidedUseOrNull) {
  EXPECT_FALSE(operation(MPI_REPLACE).has_value());
  EXPECT_FALSE(operation(MPI_NO_OP).has_value());
  EXPECT_FALSE(operation(MPI_OP_NULL).has_value());
}

void keepInOut(void*, void*, int*, MPI_Datatype*) {}

TEST(Datatypes, operationIsUserWhenTheProgramMadeIt) {
  MPI_Op op = MPI_OP_NULL;
  ASSERT_EQ(MPI_Op_create(keepInOut, 1, &op), MPI_SUCCESS);
  EXPECT_EQ(operation(op), Operation::kUser);
  MPI_Op_free(&op);
}

// Rules for another library must not be for a program whose operations it does not keep in order.
TEST(CallKinds, tellOperationsThatDoNotCommuteApartOnDerivedTypesToo) {
  MPI_Datatype derived = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(2, MPI_INT, &derived), MPI_SUCCESS);
  for (const int commutes : {0, 1}) {
    MPI_Op op = MPI_OP_NULL;
    ASSERT_EQ(MPI_Op_create(keepInOut, commutes, &op), MPI_SUCCESS);
    for (MPI_Datatype datatype : {MPI_INT, derived}) {
      const CallKind kind = classifyCall(1, datatype, op);
      EXPECT_EQ(operationName(kind.signature.operation), commutes != 0 ? "user" : "user_noncommutative");
      EXPECT_EQ(kind.tunable, datatype == MPI_INT);
    }
    MPI_Op_free(&op);
  }
  MPI_Type_free(&derived);
}

TEST(CallKinds, knowHowLongHugeElementsAre) {
  MPI_Datatype huge = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(750'000'000, MPI_INT, &huge), MPI_SUCCESS);
  EXPECT_EQ(classifyCall(2, huge, MPI_SUM).signature.bytes(), 6'000'000'000);
  MPI_Datatype larger = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(1'000'000'000, huge, &larger), MPI_SUCCESS);
  EXPECT_GT(classifyCall(2'000'000'000, larger, MPI_SUM).signature.bytes(), std::int64_t{1} << 62);
  MPI_Type_free(&larger);
  MPI_Type_free(&huge);
}

}  // namespace
}  // namespace starling
