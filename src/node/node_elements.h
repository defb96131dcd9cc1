// Elements of vectors in the memory of a node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/copies.h"
#include "node/association_tree.h"

namespace starling {

inline const std::byte* elementAt(const void* vector, std::int64_t element, const Combiner& combiner) {
  return static_cast<const std::byte*>(vector) + element * combiner.element_bytes;
}

inline std::byte* elementAt(void* vector, std::int64_t element, const Combiner& combiner) {
  return static_cast<std::byte*>(vector) + element * combiner.element_bytes;
}

// Cache lines; parts of vectors begin where one does.
inline constexpr std::int64_t kLineBytes = 64;
inline std::int64_t elementsOfLine(const Combiner& combiner) {
  return std::max<std::int64_t>(kLineBytes / combiner.element_bytes, 1);
}

// Leaves gaps alone.
inline void copyElements(const std::byte* from, std::byte* to, std::int64_t elements, const Combiner& combiner) {
  if (combiner.has_gaps) return combiner(from, from, to, elements);
  copyBytes(from, to, static_cast<std::size_t>(elements * combiner.element_bytes));
}

// Copies a part of a result to where the program has it. Of `past_caches` see NodeCall.
inline void copyResult(const std::byte* from, std::byte* to, std::int64_t elements, const Combiner& combiner,
                       bool past_caches) {
  if (!past_caches || combiner.has_gaps) return copyElements(from, to, elements, combiner);
  copyPastCaches(from, to, static_cast<std::size_t>(elements * combiner.element_bytes));
}

}  // namespace starling
