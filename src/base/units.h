// Seconds and bytes as types of their own, so that one is never taken for the other.
#pragma once

#include <compare>
#include <cstdint>

namespace starling {

// A duration, or a point on a clock, in seconds.
struct Seconds {
  double value = 0.0;

  constexpr auto operator<=>(const Seconds&) const = default;
  constexpr Seconds& operator+=(Seconds other) {
    value += other.value;
    return *this;
  }
};
constexpr Seconds operator+(Seconds a, Seconds b) { return {a.value + b.value}; }
constexpr Seconds operator-(Seconds a, Seconds b) { return {a.value - b.value}; }
constexpr Seconds operator*(double factor, Seconds a) { return {factor * a.value}; }
constexpr double operator/(Seconds a, Seconds b) { return a.value / b.value; }

// A size in memory or on the wire.
struct Bytes {
  std::int64_t value = 0;

  constexpr auto operator<=>(const Bytes&) const = default;
};

// Converts to whole nanoseconds, the form in which ranks agree on durations, because integers compare equal everywhere.
constexpr std::int64_t toNanoseconds(Seconds a) { return static_cast<std::int64_t>(a.value * 1e9); }
constexpr Seconds fromNanoseconds(std::int64_t nanoseconds) { return {static_cast<double>(nanoseconds) * 1e-9}; }

}  // namespace starling
