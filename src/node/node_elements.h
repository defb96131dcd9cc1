// Elements of vectors in the memory of a node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "node/association_tree.h"

namespace starling {

inline const std::byte* elementAt(const void* vector, std::int64_t element, const Combiner& combiner) {
  return static_cast<const std::byte*>(vector) + element * combiner.element_bytes;
}

inline std::byte* elementAt(void* vector, std::int64_t element, const Combiner& combiner) {
  return static_cast<std::byte*>(vector) + element * combiner.element_bytes;
}

// Leaves gaps alone.
inline void copyElements(const std::byte* from, std::byte* to, std::int64_t elements, const Combiner& combiner) {
  if (combiner.has_gaps) return combiner(from, from, to, elements);
  std::memcpy(to, from, static_cast<std::size_t>(elements * combiner.element_bytes));
}

}  // namespace starling
