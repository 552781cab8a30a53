// x86-64: Intel's SHA extensions if the processor has them. They are ten times as fast as plain
// C++: the hash of a 200 MB model takes a tenth of a second. CMake takes this file on x86-64 only.
#include <cpuid.h>
#include <immintrin.h>

#include "partition/base/hash_blocks.hpp"

namespace shingle {

namespace {

bool has_sha() {
  static const bool has = [] {
    uint32_t a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (b & bit_SHA) == 0) return false;
    return __builtin_cpu_supports("ssse3") != 0 && __builtin_cpu_supports("sse4.1") != 0;
  }();
  return has;
}

// Four rounds at a time: w[i] = the schedule's words 4i .. 4i+3. The instructions keep the state as
// (a b e f) and (c d g h), highest lane first.
[[gnu::target("sha,sse4.1,ssse3")]] void absorb_sha(HashState& state, const std::byte* at,
                                                    size_t blocks) {
  auto* words = reinterpret_cast<__m128i*>(state.data());
  const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(words), 0xB1);
  const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), 0x1B);
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8), cdgh = _mm_blend_epi16(hgfe, badc, 0xF0);
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  for (; blocks > 0; --blocks, at += hash_block_bytes) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[16];
    for (size_t i = 0; i < 16; ++i) {
      if (i < 4) {
        const auto* from = reinterpret_cast<const __m128i*>(at) + i;
        w[i] = _mm_shuffle_epi8(_mm_loadu_si128(from), big_endian);
      } else {
        const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w[i - 4], w[i - 3]),
                                          _mm_alignr_epi8(w[i - 1], w[i - 2], 4));
        w[i] = _mm_sha256msg2_epu32(sum, w[i - 1]);
      }
      const auto* constants = reinterpret_cast<const __m128i*>(hash_constants.data()) + i;
      const __m128i added = _mm_add_epi32(w[i], _mm_load_si128(constants));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, added);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(added, 0x0E));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128(words, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(words + 1, _mm_alignr_epi8(dchg, feba, 8));
}

}  // namespace

void absorb(HashState& state, const std::byte* at, size_t blocks) {
  if (has_sha()) return absorb_sha(state, at, blocks);
  absorb_plainly(state, at, blocks);
}

}  // namespace shingle
