#include "workload.h"

#include <gtest/gtest.h>

#include <cstring>

namespace starling::bench {
namespace {

constexpr std::uint64_t kSeed = 7;
constexpr std::uint64_t kCall = 3;
constexpr std::size_t kCount = 3000;  // more than two periods of the data, and no multiple

std::unique_ptr<Workload> workload(const char* type, const char* operation) {
  return makeWorkload(parseOperands(type, operation).value(), Seconds{});
}

std::vector<std::byte> dataOf(const Workload& workload, std::int32_t rank) {
  std::vector<std::byte> data(kCount * static_cast<std::size_t>(workload.elementSize().value));
  workload.fill(kSeed, kCall, rank, data);
  return data;
}

template <typename Element>
std::vector<Element> elementsOf(const Workload& workload, std::int32_t rank) {
  const std::vector<std::byte> data = dataOf(workload, rank);
  std::vector<Element> elements(kCount);
  std::memcpy(elements.data(), data.data(), data.size());
  return elements;
}

template <typename Element, typename Combine>
std::int64_t wrongOfSerial(const char* type, const char* operation, Combine combine, bool disturb = false) {
  constexpr std::int32_t kRanks = 5;
  const auto subject = workload(type, operation);
  std::vector<Element> result = elementsOf<Element>(*subject, 0);
  for (std::int32_t rank = 1; rank < kRanks; ++rank) {
    const std::vector<Element> operand = elementsOf<Element>(*subject, rank);
    for (std::size_t i = 0; i < kCount; ++i) result[i] = combine(result[i], operand[i]);
  }
  if (disturb) result[kCount - 1] = static_cast<Element>(result[kCount - 1] + 1);
  const auto* bytes = reinterpret_cast<const std::byte*>(result.data());
  return subject->countWrong(kSeed, kCall, kRanks, {bytes, kCount * sizeof(Element)});
}

TEST(Workload, referenceIsTheSerialReduction) {
  EXPECT_EQ(wrongOfSerial<float>("float", "sum", [](float a, float b) { return a + b; }), 0);
  EXPECT_EQ(wrongOfSerial<double>("double", "prod", [](double a, double b) { return a * b; }), 0);
  EXPECT_EQ(wrongOfSerial<std::int32_t>("int32", "max", [](auto a, auto b) { return std::max(a, b); }), 0);
  EXPECT_EQ(wrongOfSerial<char>("char", "sum", [](char a, char b) { return static_cast<char>(a + b); }), 0);
  EXPECT_EQ(wrongOfSerial<std::uint64_t>("uint64", "min", [](auto a, auto b) { return std::min(a, b); }), 0);
}

TEST(Workload, oneWrongElementIsFound) {
  EXPECT_EQ(wrongOfSerial<float>(
                "float", "sum", [](float a, float b) { return a + b; }, true),
            1);
  EXPECT_EQ(wrongOfSerial<std::int64_t>(
                "int64", "slow-sum", [](auto a, auto b) { return a + b; }, true),
            1);
}

TEST(Workload, aMissingRankIsFoundInNearlyEveryElement) {
  EXPECT_GT(wrongOfSerial<float>("float", "sum", [](float a, float) { return a; }), 2900);
}

std::uint32_t product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t entries[2][4];
  for (int i = 0; i < 4; ++i) {
    entries[0][i] = (a >> (8 * i)) & 0xff;
    entries[1][i] = (b >> (8 * i)) & 0xff;
  }
  const auto& [l, r] = entries;
  return ((l[0] * r[0] + l[1] * r[2]) & 0xff) | (((l[0] * r[1] + l[1] * r[3]) & 0xff) << 8) |
         (((l[2] * r[0] + l[3] * r[2]) & 0xff) << 16) | (((l[2] * r[1] + l[3] * r[3]) & 0xff) << 24);
}

TEST(Workload, matricesDoNotCommute) {
  const auto matrices = workload("", "matrix");
  EXPECT_FALSE(matrices->isCommutative());
  EXPECT_EQ(matrices->elementSize().value, 4);
  EXPECT_EQ(wrongOfSerial<std::uint32_t>("", "matrix", product), 0);
  const std::int64_t reversed =
      wrongOfSerial<std::uint32_t>("", "matrix", [](auto a, auto b) { return product(b, a); });
  EXPECT_GT(reversed, 2000);
}

TEST(Workload, dataDifferByRankAndCall) {
  const auto sums = workload("float", "sum");
  EXPECT_NE(dataOf(*sums, 0), dataOf(*sums, 1));
  std::vector<std::byte> other(kCount * 4);
  sums->fill(kSeed, kCall + 1, 0, other);
  EXPECT_NE(dataOf(*sums, 0), other);
}

TEST(Workload, noElementsAreNeverWrong) { EXPECT_EQ(workload("float", "sum")->countWrong(kSeed, kCall, 4, {}), 0); }

}  // namespace
}  // namespace starling::bench
