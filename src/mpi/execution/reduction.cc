#include "mpi/execution/reduction.h"

#include <algorithm>
#include <concepts>
#include <functional>
#include <type_traits>

namespace starling {
namespace {

// This takes the place of std::complex, whose product recovers infinities by branches that cannot be vectorised.
template <typename Real>
struct Complex {
  Real real;
  Real imaginary;
};

template <typename Value, typename Index>
struct Pair {
  Value value;
  Index index;
};

// This type is unsigned, and wide enough not to be promoted to int, so arithmetic in it wraps.
template <std::integral T>
using Wrapping = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

struct Sum {
  template <std::integral T>
  static T of(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  }
  template <std::floating_point T>
  static T of(T a, T b) {
    return a + b;
  }
  template <typename Real>
  static Complex<Real> of(Complex<Real> a, Complex<Real> b) {
    return {a.real + b.real, a.imaginary + b.imaginary};
  }
};

struct Product {
  template <std::integral T>
  static T of(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  }
  template <std::floating_point T>
  static T of(T a, T b) {
    return a * b;
  }
};

struct Maximum {
  template <typename T>
  static T of(T a, T b) {
    return a > b ? a : b;
  }
};

struct Minimum {
  template <typename T>
  static T of(T a, T b) {
    return a < b ? a : b;
  }
};

struct LogicalAnd {
  template <std::integral T>
  static T of(T a, T b) {
    return static_cast<T>((a != 0) & (b != 0));
  }
};

struct LogicalOr {
  template <std::integral T>
  static T of(T a, T b) {
    return static_cast<T>((a != 0) | (b != 0));
  }
};

struct LogicalXor {
  template <std::integral T>
  static T of(T a, T b) {
    return static_cast<T>((a != 0) ^ (b != 0));
  }
};

struct BitwiseAnd {
  template <std::integral T>
  static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};

struct BitwiseOr {
  template <std::integral T>
  static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};

struct BitwiseXor {
  template <std::integral T>
  static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

template <typename IsBetter>
struct Location {
  template <typename Value, typename Index>
  static bool isLeft(const Pair<Value, Index>& left, const Pair<Value, Index>& right) {
    if (left.value == right.value) return left.index <= right.index;
    return IsBetter()(left.value, right.value);
  }
};

// The compiler vectorises the loop. Before it, g++ checks that no store comes ahead of a later load, which holds for
// out == left and out == right, so these run as fast.
template <typename T, typename Combine>
void combine(const void* left, const void* right, void* out, std::int64_t count) {
  const T* a = static_cast<const T*>(left);
  const T* b = static_cast<const T*>(right);
  T* result = static_cast<T*>(out);
  for (std::int64_t i = 0; i < count; ++i) result[i] = Combine::of(a[i], b[i]);
}

// Real and imaginary parts come from loops of their own: side by side, g++ 12 turns their difference and sum into fused
// instructions wherever the processor has them, even under -ffp-contract=off, and only in whole vectors, so that bits
// would depend on the machine and on where in the block an element is.
template <typename Real>
void multiplyComplex(const void* left, const void* right, void* out, std::int64_t count) {
  constexpr std::int64_t kChunk = 128;
  const auto* a = static_cast<const Complex<Real>*>(left);
  const auto* b = static_cast<const Complex<Real>*>(right);
  auto* result = static_cast<Complex<Real>*>(out);
  Real real[kChunk];
  for (std::int64_t begin = 0; begin < count; begin += kChunk) {
    const std::int64_t end = std::min(begin + kChunk, count);
    for (std::int64_t i = begin; i < end; ++i) {
      real[i - begin] = a[i].real * b[i].real - a[i].imaginary * b[i].imaginary;
    }
    for (std::int64_t i = begin; i < end; ++i) {
      result[i] = {real[i - begin], a[i].real * b[i].imaginary + a[i].imaginary * b[i].real};
    }
  }
}

template <typename T, typename Choice>
void choose(const void* left, const void* right, void* out, std::int64_t count) {
  const T* a = static_cast<const T*>(left);
  const T* b = static_cast<const T*>(right);
  T* result = static_cast<T*>(out);
  for (std::int64_t i = 0; i < count; ++i) {
    // The pair is assigned member by member, because assigning the whole would write the gap, too, and would need
    // vectors that are aligned as C wants it, which MPI does not ask for.
    const T& winner = Choice::isLeft(a[i], b[i]) ? a[i] : b[i];
    const auto value = winner.value;
    const auto index = winner.index;
    result[i].value = value;
    result[i].index = index;
  }
}

template <typename T>
ReductionKernel bitwiseKernel(Operation operation) {
  switch (operation) {
    case Operation::kBitwiseAnd:
      return combine<T, BitwiseAnd>;
    case Operation::kBitwiseOr:
      return combine<T, BitwiseOr>;
    case Operation::kBitwiseXor:
      return combine<T, BitwiseXor>;
    default:
      return nullptr;
  }
}

template <typename T>
ReductionKernel logicalKernel(Operation operation) {
  switch (operation) {
    case Operation::kLogicalAnd:
      return combine<T, LogicalAnd>;
    case Operation::kLogicalOr:
      return combine<T, LogicalOr>;
    case Operation::kLogicalXor:
      return combine<T, LogicalXor>;
    default:
      return nullptr;
  }
}

template <typename Real>
ReductionKernel complexKernel(Operation operation) {
  switch (operation) {
    case Operation::kSum:
      return combine<Complex<Real>, Sum>;
    case Operation::kProduct:
      return multiplyComplex<Real>;
    default:
      return nullptr;
  }
}

template <typename T>
ReductionKernel realKernel(Operation operation) {
  switch (operation) {
    case Operation::kSum:
      return combine<T, Sum>;
    case Operation::kProduct:
      return combine<T, Product>;
    case Operation::kMaximum:
      return combine<T, Maximum>;
    case Operation::kMinimum:
      return combine<T, Minimum>;
    default:
      return nullptr;
  }
}

template <typename T>
ReductionKernel integerKernel(Operation operation) {
  if (const ReductionKernel kernel = realKernel<T>(operation)) return kernel;
  if (const ReductionKernel kernel = logicalKernel<T>(operation)) return kernel;
  return bitwiseKernel<T>(operation);
}

template <typename Value, typename Index>
ReductionKernel locationKernel(Operation operation) {
  switch (operation) {
    case Operation::kMaxloc:
      return choose<Pair<Value, Index>, Location<std::greater<>>>;
    case Operation::kMinloc:
      return choose<Pair<Value, Index>, Location<std::less<>>>;
    default:
      return nullptr;
  }
}

}  // namespace

ReductionKernel reductionKernel(ElementType type, Operation operation) {
  switch (type) {
    case ElementType::kInt8:
      return integerKernel<std::int8_t>(operation);
    case ElementType::kInt16:
      return integerKernel<std::int16_t>(operation);
    case ElementType::kInt32:
      return integerKernel<std::int32_t>(operation);
    case ElementType::kInt64:
      return integerKernel<std::int64_t>(operation);
    case ElementType::kUint8:
      return integerKernel<std::uint8_t>(operation);
    case ElementType::kUint16:
      return integerKernel<std::uint16_t>(operation);
    case ElementType::kUint32:
      return integerKernel<std::uint32_t>(operation);
    case ElementType::kUint64:
      return integerKernel<std::uint64_t>(operation);
    case ElementType::kFloat:
      return realKernel<float>(operation);
    case ElementType::kDouble:
      return realKernel<double>(operation);
    case ElementType::kLongDouble:
      return realKernel<long double>(operation);
    case ElementType::kComplexFloat:
      return complexKernel<float>(operation);
    case ElementType::kComplexDouble:
      return complexKernel<double>(operation);
    case ElementType::kComplexLongDouble:
      return complexKernel<long double>(operation);
    case ElementType::kBool:
      return logicalKernel<std::uint8_t>(operation);  // as bytes: a bool that is neither 0 nor 1 may not be read
    case ElementType::kLogical:
      return logicalKernel<std::int32_t>(operation);
    case ElementType::kByte:
      return bitwiseKernel<std::uint8_t>(operation);
    case ElementType::kShortInt:
      return locationKernel<std::int16_t, std::int32_t>(operation);
    case ElementType::kTwoInt:
      return locationKernel<std::int32_t, std::int32_t>(operation);
    case ElementType::kLongInt:
      return locationKernel<std::int64_t, std::int32_t>(operation);
    case ElementType::kFloatInt:
      return locationKernel<float, std::int32_t>(operation);
    case ElementType::kDoubleInt:
      return locationKernel<double, std::int32_t>(operation);
    case ElementType::kLongDoubleInt:
      return locationKernel<long double, std::int32_t>(operation);
    case ElementType::kTwoFloat:
      return locationKernel<float, float>(operation);
    case ElementType::kTwoDouble:
      return locationKernel<double, double>(operation);
  }
  return nullptr;
}

}  // namespace starling
