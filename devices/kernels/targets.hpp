// Which instruction sets Highway compiles every kernel file for: AVX-512, AVX2 with FMA, SSE4 and
// the portable baseline; NEON on AArch64. SSSE3 would only cost compile time. Include before any
// Highway header.
#pragma once

#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3)
#endif
