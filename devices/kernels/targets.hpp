// The instruction sets for which Highway compiles every kernel file: AVX-512, AVX2 with FMA, SSE4
// and the portable baseline; NEON on AArch64. SSSE3 would only cost compile time. The size of SVE's
// vectors is not known to the compiler, so no array can hold a block of them. Include before any
// Highway header.
#pragma once

#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#endif
