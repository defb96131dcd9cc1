// How vectors are copied.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace starling {

// Copies bytes from one place to another that does not overlap it, in pieces that are too short for string moves of the
// processor (rep movsb). THREADS: any.
inline void copyInPieces(const std::byte* from, std::byte* to, std::size_t bytes) {
  std::size_t piece = 1024;
  // Compilers copy by string moves, too, where they know the length.
  asm("" : "+r"(piece));
  for (std::size_t done = 0; done < bytes; done += piece) {
    std::memcpy(to + done, from + done, std::min(piece, bytes - done));
  }
}

// Returns whether the target begins 1 to 63 bytes behind the source, modulo 4096, as large memory of malloc, which
// begins 16 bytes behind the start of a page, lies behind memory that begins with a page.
inline bool liesJustBehind(const std::byte* from, const std::byte* to) {
  constexpr std::uintptr_t kPage = 4096;
  constexpr std::uintptr_t kLine = 64;
  const std::uintptr_t behind = (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) % kPage;
  return behind > 0 && behind < kLine;
}

// Returns whether the C library may take 15 to 25 times as long to copy so much as it should. What is longer than about
// two KiB glibc copies by string moves, which on some of AMD's processors are so slow up to half a MiB where the target
// lies just behind the source. On an Intel Xeon of 16 cores they are not, and there pieces take up to a third longer,
// where another core has the target's lines in its caches.
inline bool isSlowToCopy(const std::byte* from, const std::byte* to, std::size_t bytes) {
#if defined(__x86_64__)
  constexpr std::size_t kLongest = 1 << 19;
  return bytes <= kLongest && liesJustBehind(from, to) && __builtin_cpu_is("amd");
#else
  static_cast<void>(from), static_cast<void>(to), static_cast<void>(bytes);
  return false;
#endif
}

// Copies bytes from one place to another that does not overlap it, in the way that is fast there. THREADS: any.
inline void copyBytes(const std::byte* from, std::byte* to, std::size_t bytes) {
  if (isSlowToCopy(from, to, bytes))
    copyInPieces(from, to, bytes);
  else if (bytes > 0)
    std::memcpy(to, from, bytes);
}

// Copies bytes that are not read again soon: on x86-64 they go past the caches, so that the lines that they fill are
// not fetched first. What follows the call sees them, in any thread that it lets see anything. THREADS: any.
void copyPastCaches(const std::byte* from, std::byte* to, std::size_t bytes);

}  // namespace starling
