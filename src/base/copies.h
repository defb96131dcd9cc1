// How vectors are copied.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace starling {

// Copies bytes from one place to another that does not overlap it. It does so piece by piece: what is longer than
// about two KiB glibc copies by string moves of the processor (rep movsb), which on some of AMD take 15 to 25 times as
// long where the target lies up to 63 bytes behind the source, modulo 4096, as large memory of malloc, which begins 16
// bytes behind the start of a page, lies behind memory that begins with a page. From half a MiB on they are fast there,
// too, and where caches are exceeded faster than anything else. THREADS: any.
inline void copyBytes(const std::byte* from, std::byte* to, std::size_t bytes) {
  constexpr std::size_t kLongest = 1 << 20;  // that is copied in pieces
  if (bytes > kLongest) {
    std::memcpy(to, from, bytes);
    return;
  }
  std::size_t piece = 1024;
  // Compilers copy by string moves, too, where they know the length.
  asm("" : "+r"(piece));
  for (std::size_t done = 0; done < bytes; done += piece) {
    std::memcpy(to + done, from + done, std::min(piece, bytes - done));
  }
}

// Copies bytes that are not read again soon: on x86-64 they go past the caches, so that the lines that they fill are
// not fetched first. What follows the call sees them, in any thread that it lets see anything. THREADS: any.
void copyPastCaches(const std::byte* from, std::byte* to, std::size_t bytes);

}  // namespace starling
