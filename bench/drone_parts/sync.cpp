// Is a log's offset to its video found within a frame? Drawn flights of 40 s whose logs are late by
// 7.3 s. Prints one JSON object: bench-drone-sync [--seed N]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/drone/align/drawn_log.hpp"

int main(int argc, char** argv) {
  using namespace shingle::drone;
  constexpr uint64_t flights = 200;
  uint64_t seed = 1;
  if (argc == 3 && std::string(argv[1]) == "--seed")
    seed = std::strtoull(argv[2], nullptr, 10);
  else if (argc != 1) {
    std::fprintf(stderr, "usage: bench-drone-sync [--seed N]\n");
    return 2;
  }
  double worst = 0.0;
  uint64_t unknown = 0;
  for (uint64_t i = 0; i < flights; ++i) {
    const DrawnLog drawn(seed * 1000 + i);
    const auto found = offset_by_pictures(drawn.logged(true), drawn.pictures(seed + i), full_hd());
    if (found)
      worst = std::max(worst, std::abs(found->seconds - late_seconds) * video_rate);
    else {
      ++unknown;
      std::fprintf(stderr, "flight %lu: %s\n", static_cast<unsigned long>(i),
                   found.error().c_str());
    }
  }
  // An offset that was not found is as bad as one that is a second off.
  std::printf(
      "{\"sync_frames\": %.6g, \"worst_found\": %.6g, \"unknown\": %lu, \"flights\": %lu}\n",
      unknown > 0 ? std::max(worst, video_rate) : worst, worst, static_cast<unsigned long>(unknown),
      static_cast<unsigned long>(flights));
  return 0;
}
