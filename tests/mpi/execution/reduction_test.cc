#include "mpi/execution/reduction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace starling {
namespace {

template <typename Real>
struct Complex {
  Real re, im;
};

template <typename Value, typename Index>
struct Pair {
  Value value;
  Index index;
};

// Equal for the receiver of a result: NaNs are alike, zeros of different sign are not, gaps do not count.
template <typename T>
requires std::is_arithmetic_v<T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b && std::signbit(a) == std::signbit(b);
  } else {
    return a == b;
  }
}
template <typename Real>
bool same(Complex<Real> a, Complex<Real> b) {
  return same(a.re, b.re) && same(a.im, b.im);
}
template <typename Value, typename Index>
bool same(Pair<Value, Index> a, Pair<Value, Index> b) {
  return same(a.value, b.value) && same(a.index, b.index);
}

// Operands: the special values meet one another first, then random ones follow.
template <typename T>
std::vector<T> operands(const std::vector<T>& special, const std::function<T()>& random, std::size_t count, bool left) {
  std::vector<T> values;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t n = special.size();
    values.push_back(i < n * n ? special[left ? i / n : i % n] : random());
  }
  return values;
}

// Runs one kernel at all counts, with all placements of `out`, and compares with `reference`.
template <typename T>
class Check {
 public:
  Check(ElementType type, std::vector<T> special, std::function<T()> random)
      : type_(type), special_(std::move(special)), random_(std::move(random)) {}

  void operator()(Operation operation, const std::function<T(T, T)>& reference) const {
    SCOPED_TRACE(std::string(elementTypeName(type_)) + " " + operationName(operation));
    const ReductionKernel kernel = reductionKernel(type_, operation);
    ASSERT_NE(kernel, nullptr);
    for (std::size_t count : {0, 1, 2, 3, 7, 8, 64, 1001}) {
      // One element more in front: the vectors do not begin where an aligned load could.
      const std::vector<T> left = operands(special_, random_, count + 1, true);
      const std::vector<T> right = operands(special_, random_, count + 1, false);
      std::vector<T> apart(count + 2, special_.front());
      kernel(&left[1], &right[1], &apart[1], static_cast<std::int64_t>(count));
      std::vector<T> in_left = left;
      kernel(&in_left[1], &right[1], &in_left[1], static_cast<std::int64_t>(count));
      std::vector<T> in_right = right;
      kernel(&left[1], &in_right[1], &in_right[1], static_cast<std::int64_t>(count));

      for (std::size_t i = 1; i <= count; ++i) {
        const T expected = reference(left[i], right[i]);
        ASSERT_TRUE(same(apart[i], expected)) << "apart, count " << count << ", element " << i - 1;
        ASSERT_TRUE(same(in_left[i], expected)) << "out == left, count " << count << ", element " << i - 1;
        ASSERT_TRUE(same(in_right[i], expected)) << "out == right, count " << count << ", element " << i - 1;
      }
      EXPECT_TRUE(same(apart.front(), special_.front())) << "wrote before the vector, count " << count;
      EXPECT_TRUE(same(apart.back(), special_.front())) << "wrote behind the vector, count " << count;
    }
  }

 private:
  ElementType type_;
  std::vector<T> special_;
  std::function<T()> random_;
};

std::mt19937_64& generator() {
  static std::mt19937_64 random(20240607);
  return random;
}

template <typename T>
void checkLogical(const Check<T>& check) {
  check(Operation::kLogicalAnd, [](T a, T b) -> T { return a && b ? 1 : 0; });
  check(Operation::kLogicalOr, [](T a, T b) -> T { return a || b ? 1 : 0; });
  check(Operation::kLogicalXor, [](T a, T b) -> T { return !a != !b ? 1 : 0; });
}

template <typename T>
void checkBitwise(const Check<T>& check) {
  check(Operation::kBitwiseAnd, [](T a, T b) { return static_cast<T>(a & b); });
  check(Operation::kBitwiseOr, [](T a, T b) { return static_cast<T>(a | b); });
  check(Operation::kBitwiseXor, [](T a, T b) { return static_cast<T>(a ^ b); });
}

template <typename T>
Check<T> integerCheck(ElementType type) {
  using Limits = std::numeric_limits<T>;
  return Check<T>(type, {0, 1, static_cast<T>(-1), Limits::max(), Limits::min()},
                  [] { return static_cast<T>(generator()() >> 7); });
}

template <typename T>
void checkInteger(ElementType type) {
  const Check<T> check = integerCheck<T>(type);
  // Modulo 2^64, then modulo the width.
  check(Operation::kSum,
        [](T a, T b) { return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b)); });
  check(Operation::kProduct,
        [](T a, T b) { return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b)); });
  check(Operation::kMaximum, [](T a, T b) { return std::max(a, b); });
  check(Operation::kMinimum, [](T a, T b) { return std::min(a, b); });
  checkLogical(check);
  checkBitwise(check);
}

template <typename Real>
std::vector<Real> specialReals() {
  using Limits = std::numeric_limits<Real>;
  return {0,
          -Real(0),
          1,
          -Limits::infinity(),
          Limits::infinity(),
          Limits::quiet_NaN(),
          Limits::denorm_min(),
          Limits::max()};
}

template <typename Real>
Real randomReal() {
  return std::normal_distribution<Real>(0, 1000)(generator());
}

template <typename Real>
void checkReal(ElementType type) {
  const Check<Real> check(type, specialReals<Real>(), randomReal<Real>);
  check(Operation::kSum, [](Real a, Real b) { return a + b; });
  check(Operation::kProduct, [](Real a, Real b) { return a * b; });
  check(Operation::kMaximum, [](Real a, Real b) { return a > b ? a : b; });
  check(Operation::kMinimum, [](Real a, Real b) { return a < b ? a : b; });
}

template <typename Real>
void checkComplex(ElementType type) {
  const auto random = [] { return Complex<Real>{randomReal<Real>(), randomReal<Real>()}; };
  const Real infinity = std::numeric_limits<Real>::infinity();
  const Check<Complex<Real>> check(type, {{0, 0}, {0, -1}, {1, 0}, {infinity, infinity}, {-infinity, 0}}, random);
  using Value = Complex<Real>;
  check(Operation::kSum, [](Value a, Value b) { return Value{a.re + b.re, a.im + b.im}; });
  check(Operation::kProduct, [](Value a, Value b) {
    // volatile: each product is rounded, whatever this file is compiled for.
    const volatile Real rr = a.re * b.re, ii = a.im * b.im, ri = a.re * b.im, ir = a.im * b.re;
    return Value{rr - ii, ri + ir};
  });
}

template <typename Value, typename Index>
void checkPair(ElementType type) {
  using Element = Pair<Value, Index>;
  // Few different values, so that ties are frequent.
  const auto random = [] {
    return Element{static_cast<Value>(generator()() % 4), static_cast<Index>(generator()() % 100)};
  };
  const Check<Element> check(type, {{1, 5}, {1, 3}, {2, 9}, {static_cast<Value>(-7), 0}}, random);
  const auto better = [](const Element& a, const Element& b, bool a_wins) {
    if (a.value == b.value) return Element{a.value, std::min(a.index, b.index)};
    return a_wins ? a : b;
  };
  check(Operation::kMaxloc, [&](Element a, Element b) { return better(a, b, a.value > b.value); });
  check(Operation::kMinloc, [&](Element a, Element b) { return better(a, b, a.value < b.value); });
}

template <typename T>
T combineOne(ElementType type, Operation operation, T left, T right) {
  T out{};
  reductionKernel(type, operation)(&left, &right, &out, 1);
  return out;
}

TEST(ReductionKernel, equalsScalarReferenceForIntegers) {
  checkInteger<std::int8_t>(ElementType::kInt8);
  checkInteger<std::int16_t>(ElementType::kInt16);
  checkInteger<std::int32_t>(ElementType::kInt32);
  checkInteger<std::int64_t>(ElementType::kInt64);
  checkInteger<std::uint8_t>(ElementType::kUint8);
  checkInteger<std::uint16_t>(ElementType::kUint16);
  checkInteger<std::uint32_t>(ElementType::kUint32);
  checkInteger<std::uint64_t>(ElementType::kUint64);
}

TEST(ReductionKernel, equalsScalarReferenceForReals) {
  checkReal<float>(ElementType::kFloat);
  checkReal<double>(ElementType::kDouble);
  checkReal<long double>(ElementType::kLongDouble);
}

TEST(ReductionKernel, equalsScalarReferenceForComplex) {
  checkComplex<float>(ElementType::kComplexFloat);
  checkComplex<double>(ElementType::kComplexDouble);
  checkComplex<long double>(ElementType::kComplexLongDouble);
}

TEST(ReductionKernel, equalsScalarReferenceForLogicalsAndBytes) {
  checkLogical(integerCheck<std::uint8_t>(ElementType::kBool));
  checkLogical(integerCheck<std::int32_t>(ElementType::kLogical));
  checkBitwise(integerCheck<std::uint8_t>(ElementType::kByte));
}

#ifndef STARLING_SANITIZED  // which ends programs whose objects are not aligned as C wants it
// MPI asks for no alignment, and its libraries need none for this type, whose parts may lie in packed memory.
TEST(ReductionKernel, takesPairsThatAreNotAligned) {
  using Element = Pair<long double, std::int32_t>;
  constexpr std::int64_t kCount = 5;
  for (const std::size_t offset : {1U, 4U, 8U}) {
    std::vector<std::byte> left(kCount * sizeof(Element) + 16);
    std::vector<std::byte> right(left.size());
    for (std::int64_t i = 0; i < kCount; ++i) {
      const Element a{static_cast<long double>(i), 1};
      const Element b{2.0L, 2};
      std::memcpy(left.data() + offset + i * sizeof(Element), &a, sizeof a);
      std::memcpy(right.data() + offset + i * sizeof(Element), &b, sizeof b);
    }
    reductionKernel(ElementType::kLongDoubleInt, Operation::kMaxloc)(left.data() + offset, right.data() + offset,
                                                                     right.data() + offset, kCount);
    for (std::int64_t i = 0; i < kCount; ++i) {
      Element result{};
      std::memcpy(&result, right.data() + offset + i * sizeof(Element), sizeof result);
      EXPECT_EQ(result.value, std::max(static_cast<long double>(i), 2.0L));
      EXPECT_EQ(result.index, i >= 2 ? 1 : 2);
    }
  }
}
#endif

TEST(ReductionKernel, equalsScalarReferenceForPairs) {
  checkPair<std::int16_t, std::int32_t>(ElementType::kShortInt);
  checkPair<std::int32_t, std::int32_t>(ElementType::kTwoInt);
  checkPair<std::int64_t, std::int32_t>(ElementType::kLongInt);
  checkPair<float, std::int32_t>(ElementType::kFloatInt);
  checkPair<double, std::int32_t>(ElementType::kDoubleInt);
  checkPair<long double, std::int32_t>(ElementType::kLongDoubleInt);
  checkPair<float, float>(ElementType::kTwoFloat);
  checkPair<double, double>(ElementType::kTwoDouble);
}

// The tables of MPI 4.1, 6.9.2 and 6.9.4.
TEST(ReductionKernel, existsExactlyWhereMpiDefinesTheOperation) {
  using Set = std::vector<Operation>;
  const Set arithmetic{Operation::kSum, Operation::kProduct};
  const Set extremum{Operation::kMaximum, Operation::kMinimum};
  const Set logical{Operation::kLogicalAnd, Operation::kLogicalOr, Operation::kLogicalXor};
  const Set bitwise{Operation::kBitwiseAnd, Operation::kBitwiseOr, Operation::kBitwiseXor};
  const Set location{Operation::kMaxloc, Operation::kMinloc};
  const auto legal = [&](ElementType type) -> std::vector<Set> {
    if (type <= ElementType::kUint64) return {arithmetic, extremum, logical, bitwise};
    if (type <= ElementType::kLongDouble) return {arithmetic, extremum};
    if (type <= ElementType::kComplexLongDouble) return {arithmetic};
    if (type <= ElementType::kLogical) return {logical};
    if (type == ElementType::kByte) return {bitwise};
    return {location};
  };
  for (int t = 0; t < kElementTypes; ++t) {
    const auto type = static_cast<ElementType>(t);
    std::vector<bool> expected(kOperations, false);
    for (const Set& set : legal(type)) {
      for (Operation operation : set) expected[static_cast<std::size_t>(operation)] = true;
    }
    for (int o = 0; o < kOperations; ++o) {
      const auto operation = static_cast<Operation>(o);
      EXPECT_EQ(reductionKernel(type, operation) != nullptr, expected[static_cast<std::size_t>(o)])
          << elementTypeName(type) << " " << operationName(operation);
    }
  }
}

TEST(ReductionKernel, wrapsWhenIntegersOverflow) {
  EXPECT_EQ(combineOne<std::int8_t>(ElementType::kInt8, Operation::kSum, 100, 100), -56);
  EXPECT_EQ(combineOne<std::uint8_t>(ElementType::kUint8, Operation::kSum, 200, 100), 44);
  EXPECT_EQ(combineOne<std::int16_t>(ElementType::kInt16, Operation::kSum, 30000, 30000), -5536);
  EXPECT_EQ(combineOne<std::uint16_t>(ElementType::kUint16, Operation::kSum, 65535, 2), 1);
  EXPECT_EQ(combineOne<std::uint16_t>(ElementType::kUint16, Operation::kProduct, 65535, 65535), 1);
  EXPECT_EQ(combineOne<std::int32_t>(ElementType::kInt32, Operation::kSum, 2147483647, 1), -2147483647 - 1);
  EXPECT_EQ(combineOne<std::int64_t>(ElementType::kInt64, Operation::kProduct, INT64_MAX, 2), -2);
}

TEST(ReductionKernel, extremaAreTheRightOperandWhenOneIsNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (Operation operation : {Operation::kMaximum, Operation::kMinimum}) {
    EXPECT_EQ(combineOne(ElementType::kFloat, operation, nan, 1.0F), 1.0F);
    EXPECT_TRUE(std::isnan(combineOne(ElementType::kFloat, operation, 1.0F, nan)));
    EXPECT_TRUE(std::signbit(combineOne(ElementType::kFloat, operation, 0.0F, -0.0F)));
    EXPECT_FALSE(std::signbit(combineOne(ElementType::kFloat, operation, -0.0F, 0.0F)));
  }
}

TEST(ReductionKernel, locationIsTheRightPairWhenOneValueIsNan) {
  using Element = Pair<double, std::int32_t>;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (Operation operation : {Operation::kMaxloc, Operation::kMinloc}) {
    EXPECT_TRUE(same(combineOne(ElementType::kDoubleInt, operation, Element{nan, 1}, Element{4.0, 2}), {4.0, 2}));
    EXPECT_TRUE(same(combineOne(ElementType::kDoubleInt, operation, Element{4.0, 1}, Element{nan, 2}), {nan, 2}));
  }
}

TEST(ReductionKernel, locationTakesTheLowerIndexWhenValuesTie) {
  using Element = Pair<float, std::int32_t>;
  for (Operation operation : {Operation::kMaxloc, Operation::kMinloc}) {
    EXPECT_EQ(combineOne(ElementType::kFloatInt, operation, Element{2.0F, 7}, Element{2.0F, 3}).index, 3);
    EXPECT_EQ(combineOne(ElementType::kFloatInt, operation, Element{2.0F, 3}, Element{2.0F, 7}).index, 3);
    EXPECT_EQ(combineOne(ElementType::kFloatInt, operation, Element{2.0F, -4}, Element{2.0F, 0}).index, -4);
  }
}

TEST(ReductionKernel, logicalResultIsOneWhateverNonZeroIsTrue) {
  EXPECT_EQ(combineOne<std::int32_t>(ElementType::kLogical, Operation::kLogicalAnd, -1, 256), 1);
  EXPECT_EQ(combineOne<std::int32_t>(ElementType::kLogical, Operation::kLogicalXor, 1, -1), 0);
  EXPECT_EQ(combineOne<std::uint8_t>(ElementType::kBool, Operation::kLogicalOr, 0, 128), 1);
}

TEST(ReductionKernel, complexProductEqualsHandComputedValue) {
  using Element = Complex<double>;
  const Element product = combineOne(ElementType::kComplexDouble, Operation::kProduct, Element{1, 2}, Element{3, 4});
  EXPECT_EQ(product.re, -5.0);
  EXPECT_EQ(product.im, 10.0);
}

// a^2 - b^2 with a and b one unit in the last place apart: a fused multiply-add keeps what rounding drops.
TEST(ReductionKernel, complexProductIsNeverFused) {
  const double a = 1.0 + std::numeric_limits<double>::epsilon();
  using Element = Complex<double>;
  const Element product = combineOne(ElementType::kComplexDouble, Operation::kProduct, Element{a, a}, Element{a, a});
  EXPECT_EQ(product.re, 0.0);
}

TEST(ReductionKernel, leavesTheGapsOfPairsAlone) {
  constexpr std::size_t kCount = 9;
  const std::size_t size = static_cast<std::size_t>(elementSize(ElementType::kDoubleInt));
  const std::size_t extent = static_cast<std::size_t>(elementExtent(ElementType::kDoubleInt));
  std::vector<Pair<double, std::int32_t>> left(kCount), right(kCount), out(kCount);
  std::memset(static_cast<void*>(out.data()), 0xab, kCount * extent);
  reductionKernel(ElementType::kDoubleInt, Operation::kMaxloc)(left.data(), right.data(), out.data(), kCount);
  const auto* bytes = reinterpret_cast<const unsigned char*>(out.data());
  for (std::size_t i = 0; i < kCount; ++i) {
    for (std::size_t gap = size; gap < extent; ++gap) EXPECT_EQ(bytes[i * extent + gap], 0xab) << "element " << i;
  }
}

}  // namespace
}  // namespace starling
