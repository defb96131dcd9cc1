// Datatypes and operations with inputs whose results are exact in any association, in MPI and in plain C++.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace starling {

struct DoubleInt {
  double value;
  int index;
  bool operator==(const DoubleInt&) const = default;
};
struct TwoInt {
  int value;
  int index;
  bool operator==(const TwoInt&) const = default;
};

// One datatype and operation.
template <typename Value>
struct Case {
  const char* name;
  MPI_Datatype datatype;
  MPI_Op op;
  Value (*input)(int rank, std::int64_t index);
  Value (*combine)(const Value& left, const Value& right);
  bool commutative = true;

  std::vector<Value> inputs(int rank, int count) const {
    std::vector<Value> values;
    for (int i = 0; i < count; ++i) values.push_back(input(rank, i));
    return values;
  }

  // How many elements are not what all ranks' inputs combine to, in rank order.
  int wrongElements(const std::vector<Value>& results, int ranks) const {
    int wrong = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const auto index = static_cast<std::int64_t>(i);
      Value expected = input(0, index);
      for (int rank = 1; rank < ranks; ++rank) expected = combine(expected, input(rank, index));
      wrong += results[i] == expected ? 0 : 1;
    }
    return wrong;
  }
};

template <typename Value>
Value smallNumber(int rank, std::int64_t index) {
  return static_cast<Value>((7 * rank + 3 * index) % 17 - 8);
}
template <typename Pair>
Pair smallPair(int rank, std::int64_t index) {
  return {smallNumber<decltype(Pair::value)>(rank, index / 2), rank};
}

template <typename Value>
Value sum(const Value& left, const Value& right) {
  return left + right;
}
template <typename Value>
Value larger(const Value& left, const Value& right) {
  return std::max(left, right);
}
template <typename Pair>
Pair lowestPair(const Pair& left, const Pair& right) {
  if (left.value != right.value) return left.value < right.value ? left : right;
  return left.index < right.index ? left : right;
}
template <typename Pair>
Pair highestPair(const Pair& left, const Pair& right) {
  if (left.value != right.value) return left.value > right.value ? left : right;
  return left.index < right.index ? left : right;
}

inline constexpr std::int64_t kPrime = 10007;

// (1 + a)(1 + b) - 1 modulo a prime: associative and commutative.
inline std::int64_t circled(const std::int64_t& left, const std::int64_t& right) {
  return (left + right + left * right) % kPrime;
}
inline std::int64_t residue(int rank, std::int64_t index) { return (31 * rank + 17 * index + 5) % kPrime; }

// The map x -> slope x + offset modulo a prime, as slope 2^32 + offset. "First left, then right" is associative and
// does not commute.
inline std::int64_t afterwards(const std::int64_t& left, const std::int64_t& right) {
  const std::int64_t slope = right >> 32;
  const std::int64_t offset = right & 0xffffffff;
  return ((((left >> 32) * slope) % kPrime) << 32) | (((left & 0xffffffff) * slope + offset) % kPrime);
}
inline std::int64_t mapOf(int rank, std::int64_t index) {
  return (std::int64_t{rank + 2} << 32) | residue(rank, index);
}

template <std::int64_t (*kCombine)(const std::int64_t&, const std::int64_t&)>
void combineAll(void* left, void* right, int* count, MPI_Datatype*) {
  const auto* in = static_cast<const std::int64_t*>(left);
  auto* in_out = static_cast<std::int64_t*>(right);
  for (int i = 0; i < *count; ++i) in_out[i] = kCombine(in[i], in_out[i]);
}

template <typename Value>
Case<Value> sumOf(MPI_Datatype datatype) {
  return {"sum", datatype, MPI_SUM, smallNumber, sum};
}
template <typename Value>
Case<Value> maximumOf(MPI_Datatype datatype) {
  return {"max", datatype, MPI_MAX, smallNumber, larger};
}
template <typename Pair>
Case<Pair> minimumLocationOf(MPI_Datatype datatype) {
  return {"minloc", datatype, MPI_MINLOC, smallPair, lowestPair};
}
template <typename Pair>
Case<Pair> maximumLocationOf(MPI_Datatype datatype) {
  return {"maxloc", datatype, MPI_MAXLOC, smallPair, highestPair};
}

// Operations that the program makes; freed at the end.
class UserOperations {
 public:
  UserOperations() {
    MPI_Op_create(combineAll<circled>, 1, &circled_);
    MPI_Op_create(combineAll<afterwards>, 0, &afterwards_);
  }
  ~UserOperations() {
    MPI_Op_free(&circled_);
    MPI_Op_free(&afterwards_);
  }
  UserOperations(const UserOperations&) = delete;
  UserOperations& operator=(const UserOperations&) = delete;

  Case<std::int64_t> commutative() const { return {"user", MPI_INT64_T, circled_, residue, circled}; }
  Case<std::int64_t> nonCommutative() const {
    return {"user, not commutative", MPI_INT64_T, afterwards_, mapOf, afterwards, false};
  }

 private:
  MPI_Op circled_ = MPI_OP_NULL;
  MPI_Op afterwards_ = MPI_OP_NULL;
};

}  // namespace starling
