// A signature is what MPI guarantees equal on all ranks of a call; a key is what is tuned.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

namespace starling {

// The caller (src/mpi) chooses the codes of type and operation; here they only have to be equal on all ranks.
struct Signature {
  std::int64_t count = 0;         // elements
  std::int64_t element_size = 0;  // bytes
  std::int16_t type = 0;
  std::int16_t operation = 0;
  bool commutative = true;

  std::int64_t bytes() const { return count * element_size; }
  bool operator==(const Signature&) const = default;
};

// Returns the size class: bytes in (2^(c-1), 2^c] have class c, and 0 and 1 byte have class 0.
inline std::int32_t sizeClass(std::int64_t bytes) {
  return bytes <= 1 ? 0 : static_cast<std::int32_t>(std::bit_width(static_cast<std::uint64_t>(bytes - 1)));
}

// The id of a site, agreed by the ranks of one communicator: 0 stands for "wherever it was called", sites that the
// ranks found equal count from 1, and handles of starling_site_create() count from kFirstHandleSite.
using SiteId = std::int32_t;
inline constexpr SiteId kAnySite = 0;
inline constexpr SiteId kFirstHandleSite = 1 << 20;

// Where the calls of a site are a repeating sequence, its special calls are tuned by themselves.
enum class Part : std::uint8_t { kUsual, kSpecial };

struct Key {
  SiteId site = kAnySite;
  std::int32_t size_class = 0;
  std::int16_t type = 0;
  std::int16_t operation = 0;
  Part part = Part::kUsual;  // of the calls of the site that are alike in all else

  bool operator==(const Key&) const = default;
};

inline Key keyOf(SiteId site, const Signature& signature) {
  return {site, sizeClass(signature.bytes()), signature.type, signature.operation, Part::kUsual};
}

// Returns the key of the special calls among those of `key`.
inline Key specialOf(Key key) {
  key.part = Part::kSpecial;
  return key;
}

// Mixes one more value into a 64-bit hash (the finalizer of SplitMix64).
constexpr std::uint64_t mixHash(std::uint64_t hash, std::uint64_t value) {
  std::uint64_t z = hash ^ (value + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2));
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

inline std::uint64_t hashOf(const Signature& signature) {
  std::uint64_t hash = mixHash(0, static_cast<std::uint64_t>(signature.count));
  hash = mixHash(hash, static_cast<std::uint64_t>(signature.element_size));
  return mixHash(hash, (static_cast<std::uint64_t>(static_cast<std::uint16_t>(signature.type)) << 16) |
                           static_cast<std::uint16_t>(signature.operation));
}

// Returns the key of any site that is like this one, all calls of a site together.
inline Key anySiteOf(Key key) {
  key.site = kAnySite;
  key.part = Part::kUsual;
  return key;
}

// Return a key of any site as one number, for messages, and such a number's key. Empty: it has none, or is none.
constexpr std::int32_t kKindBits = 8;
inline std::optional<std::int32_t> kindOf(const Key& key) {
  constexpr std::int32_t kMost = (1 << kKindBits) - 1;
  const bool has_kind = key.type >= 0 && key.type <= kMost && key.operation >= 0 && key.operation <= kMost;
  if (!has_kind) return std::nullopt;
  return (((key.size_class << kKindBits) | key.type) << kKindBits) | key.operation;
}
inline std::optional<Key> keyOfKind(std::int32_t kind) {
  constexpr std::int32_t kMask = (1 << kKindBits) - 1;
  Key key;
  key.size_class = kind >> (2 * kKindBits);
  key.type = static_cast<std::int16_t>((kind >> kKindBits) & kMask);
  key.operation = static_cast<std::int16_t>(kind & kMask);
  const bool is_size = key.size_class >= 0 && key.size_class < std::numeric_limits<std::int64_t>::digits;
  return is_size ? std::optional(key) : std::nullopt;
}

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    const auto low = (static_cast<std::uint64_t>(static_cast<std::uint16_t>(key.type)) << 16) |
                     static_cast<std::uint16_t>(key.operation);
    const auto kind = static_cast<std::uint64_t>(key.size_class) << 1 | static_cast<std::uint64_t>(key.part);
    return mixHash(mixHash(static_cast<std::uint64_t>(key.site), kind), low);
  }
};

}  // namespace starling
