#include "workload.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "pause.h"
#include "random.h"

namespace starling::bench {
namespace {

// Data repeat after so many elements, so that few references serve for all elements. It is a prime, so that the blocks
// into which algorithms cut a vector do not begin alike.
constexpr std::size_t kPeriod = 1021;

// The bytes of a number are the rows of a 2 x 2 matrix: a b c d, from the lowest byte.
std::uint32_t multiplyMatrices(std::uint32_t left, std::uint32_t right) {
  const auto entry = [](std::uint32_t matrix, int index) { return (matrix >> (8 * index)) & 0xff; };
  std::uint32_t product = 0;
  for (int row = 0; row < 2; ++row) {
    for (int column = 0; column < 2; ++column) {
      const std::uint32_t value =
          entry(left, 2 * row) * entry(right, column) + entry(left, 2 * row + 1) * entry(right, 2 + column);
      product |= (value & 0xff) << (8 * (2 * row + column));
    }
  }
  return product;
}

template <typename Element>
Element combine(OperationKind kind, Element left, Element right) {
  switch (kind) {
    case OperationKind::kSum:
      return static_cast<Element>(left + right);
    case OperationKind::kProduct:
      return static_cast<Element>(left * right);
    case OperationKind::kMaximum:
      return std::max(left, right);
    case OperationKind::kMinimum:
      return std::min(left, right);
    case OperationKind::kMatrix:
      break;
  }
  if constexpr (std::is_same_v<Element, std::uint32_t>) {
    return multiplyMatrices(left, right);
  } else {
    return left;
  }
}

// Draws small whole numbers, so that sums are exact in every type. For products it draws 1 and -1, or, in types that
// wrap, any odd number, which no product loses.
template <typename Element>
Element randomElement(OperationKind kind, Random& random) {
  switch (kind) {
    case OperationKind::kProduct:
      if constexpr (std::is_signed_v<Element>) return static_cast<Element>(random.below(2) == 0 ? -1 : 1);
      return static_cast<Element>(random.next() | 1);
    case OperationKind::kMatrix:
      // The diagonal is odd and the rest even, so the determinant is odd, and no product loses what went into it.
      return static_cast<Element>((random.next() & 0xfefefefeU) | 0x01000001U);
    default:
      // MPI libraries let sums of bytes stop at 127, and MPI does not say what they are.
      return static_cast<Element>(random.below(sizeof(Element) == 1 ? 4 : 1000));
  }
}

// The slow operation's time per element. MPI gives a user operation no argument of its own, so the one workload of the
// process sets it here.
Seconds g_slow_cost;

template <typename Element, OperationKind kKind>
void userOperation(void* in, void* inout, int* length, MPI_Datatype*) {
  const auto* left = static_cast<const Element*>(in);
  auto* right = static_cast<Element*>(inout);
  for (int i = 0; i < *length; ++i) right[i] = combine(kKind, left[i], right[i]);
  if (g_slow_cost.value > 0.0) pauseFor(static_cast<double>(*length) * g_slow_cost);
}

template <typename Element>
MPI_Datatype datatypeOf();
template <>
MPI_Datatype datatypeOf<float>() {
  return MPI_FLOAT;
}
template <>
MPI_Datatype datatypeOf<double>() {
  return MPI_DOUBLE;
}
template <>
MPI_Datatype datatypeOf<std::int32_t>() {
  return MPI_INT32_T;
}
template <>
MPI_Datatype datatypeOf<std::int64_t>() {
  return MPI_INT64_T;
}
template <>
MPI_Datatype datatypeOf<std::uint32_t>() {
  return MPI_UINT32_T;
}
template <>
MPI_Datatype datatypeOf<std::uint64_t>() {
  return MPI_UINT64_T;
}

template <>
MPI_Datatype datatypeOf<char>() {
  return MPI_CHAR;
}

template <typename Element>
class TypedWorkload final : public Workload {
 public:
  explicit TypedWorkload(const OperationRow& row) : row_(row) {}
  ~TypedWorkload() override {
    if (user_operation_ != MPI_OP_NULL) MPI_Op_free(&user_operation_);
  }
  TypedWorkload(const TypedWorkload&) = delete;
  TypedWorkload& operator=(const TypedWorkload&) = delete;

  MPI_Datatype datatype() const override { return datatypeOf<Element>(); }
  Bytes elementSize() const override { return {sizeof(Element)}; }
  bool isCommutative() const override { return row_.commutes(); }

  MPI_Op operation() override {
    if (row_.kind == OperationKind::kMatrix || row_.slow) return userOp();
    switch (row_.kind) {
      case OperationKind::kProduct:
        return MPI_PROD;
      case OperationKind::kMaximum:
        return MPI_MAX;
      case OperationKind::kMinimum:
        return MPI_MIN;
      default:
        return MPI_SUM;
    }
  }

  void fill(std::uint64_t seed, std::uint64_t call, std::int32_t rank, std::span<std::byte> data) const override {
    const std::vector<Element> table = tableOf(seed, call);
    const std::size_t shift = shiftOf(seed, call, rank);
    std::vector<Element> period(kPeriod);
    for (std::size_t i = 0; i < kPeriod; ++i) period[i] = table[(i + shift) % kPeriod];
    const std::size_t bytes = kPeriod * sizeof(Element);
    for (std::size_t at = 0; at < data.size(); at += bytes) {
      std::memcpy(data.data() + at, period.data(), std::min(bytes, data.size() - at));
    }
  }

  std::int64_t countWrong(std::uint64_t seed, std::uint64_t call, std::int32_t ranks,
                          std::span<const std::byte> result) const override {
    const std::vector<Element> expected = referenceOf(seed, call, ranks);
    const std::size_t bytes = kPeriod * sizeof(Element);
    std::int64_t wrong = 0;
    for (std::size_t at = 0; at < result.size(); at += bytes) {
      const std::size_t size = std::min(bytes, result.size() - at);
      if (std::memcmp(result.data() + at, expected.data(), size) == 0) continue;
      for (std::size_t i = 0; i < size / sizeof(Element); ++i) {
        const bool same = std::memcmp(result.data() + at + i * sizeof(Element), &expected[i], sizeof(Element)) == 0;
        wrong += same ? 0 : 1;
      }
    }
    return wrong;
  }

 private:
  MPI_Op userOp() {
    if (user_operation_ != MPI_OP_NULL) return user_operation_;
    if constexpr (std::is_same_v<Element, std::uint32_t>) {
      if (row_.kind == OperationKind::kMatrix)
        MPI_Op_create(userOperation<Element, OperationKind::kMatrix>, 0, &user_operation_);
    }
    if (row_.kind == OperationKind::kSum)
      MPI_Op_create(userOperation<Element, OperationKind::kSum>, 1, &user_operation_);
    return user_operation_;
  }

  std::vector<Element> tableOf(std::uint64_t seed, std::uint64_t call) const {
    Random random(seedOf(seed, 2 * call));
    std::vector<Element> table(kPeriod);
    for (Element& element : table) element = randomElement<Element>(row_.kind, random);
    return table;
  }

  static std::size_t shiftOf(std::uint64_t seed, std::uint64_t call, std::int32_t rank) {
    return Random(seedOf(seedOf(seed, 2 * call + 1), static_cast<std::uint64_t>(rank))).below(kPeriod);
  }

  std::vector<Element> referenceOf(std::uint64_t seed, std::uint64_t call, std::int32_t ranks) const {
    const std::vector<Element> table = tableOf(seed, call);
    std::vector<Element> reference(kPeriod);
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      const std::size_t shift = shiftOf(seed, call, rank);
      for (std::size_t i = 0; i < kPeriod; ++i) {
        const Element operand = table[(i + shift) % kPeriod];
        reference[i] = rank == 0 ? operand : combine(row_.kind, reference[i], operand);
      }
    }
    return reference;
  }

  const OperationRow row_;
  MPI_Op user_operation_ = MPI_OP_NULL;
};

template <typename Element>
std::unique_ptr<Workload> make(const OperationRow& row) {
  return std::make_unique<TypedWorkload<Element>>(row);
}

std::unique_ptr<Workload> make(const OperandChoice& choice) {
  switch (choice.element) {
    case Element::kFloat:
      return make<float>(choice.operation);
    case Element::kDouble:
      return make<double>(choice.operation);
    case Element::kInt32:
      return make<std::int32_t>(choice.operation);
    case Element::kInt64:
      return make<std::int64_t>(choice.operation);
    case Element::kUint32:
      return make<std::uint32_t>(choice.operation);
    case Element::kChar:
      return make<char>(choice.operation);
    case Element::kUint64:
      break;
  }
  return make<std::uint64_t>(choice.operation);
}

}  // namespace

std::unique_ptr<Workload> makeWorkload(const OperandChoice& choice, Seconds slow_cost) {
  g_slow_cost = choice.operation.slow ? slow_cost : Seconds{};
  return make(choice);
}

}  // namespace starling::bench
