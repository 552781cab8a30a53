// render-clip OUT.mp4 [FRAMES]: a small video of moving shapes, for the demo without a real clip.
#include <cstdio>
#include <cstdlib>

#include "tests/clips/clips.hpp"

int main(int argc, char** argv) {
  const int frames = argc > 2 ? std::atoi(argv[2]) : 100;
  if (argc < 2 || frames < 1) {
    std::fputs("usage: render-clip OUT.mp4 [FRAMES]\n", stderr);
    return 2;
  }
  const auto rendered = shingle::clips::render(argv[1], frames, {640, 360}, 25.0);
  if (rendered) return 0;
  std::fprintf(stderr, "render-clip: %s\n", rendered.error().c_str());
  return 1;
}
