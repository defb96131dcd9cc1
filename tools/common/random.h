// Random numbers that are equal with every standard library.
#pragma once

#include <cstdint>

namespace starling {

// The generator SplitMix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  // Returns a number in [0, bound). The bias of the remainder is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  // Returns a number in (0, 1].
  double uniform() { return static_cast<double>((next() >> 11) + 1) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

// Makes a seed for part `part` of what `seed` stands for.
inline std::uint64_t seedOf(std::uint64_t seed, std::uint64_t part) {
  return Random(Random(seed).next() ^ (part * 0xd1342543de82ef95ULL)).next();
}

}  // namespace starling
