#include "base/copies.h"

#include <cstdint>
#include <iterator>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace starling {
namespace {

constexpr std::size_t kLineBytes = 64;

}  // namespace

// The loop takes whole lines of the target; what is before the first and behind the last of them goes as usual.
void copyPastCaches(const std::byte* from, std::byte* to, std::size_t bytes) {
#if defined(__SSE2__)
  const std::size_t before = (kLineBytes - reinterpret_cast<std::uintptr_t>(to) % kLineBytes) % kLineBytes;
  const std::size_t head = std::min(before, bytes);
  std::memcpy(to, from, head);
  std::size_t done = head;
  for (; bytes - done >= kLineBytes; done += kLineBytes) {
    __m128i line[kLineBytes / sizeof(__m128i)];
    std::memcpy(line, from + done, kLineBytes);
    auto* const target = reinterpret_cast<__m128i*>(to + done);
    for (std::size_t i = 0; i < std::size(line); ++i) _mm_stream_si128(target + i, line[i]);
  }
  std::memcpy(to + done, from + done, bytes - done);
  _mm_sfence();
#else
  std::memcpy(to, from, bytes);
#endif
}

}  // namespace starling
