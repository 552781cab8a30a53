// The verb `shingle scene`: renders a clip or stills with their truth.
#pragma once

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace shingle {

struct SceneVerbOptions {
  std::string out;
  uint64_t seed = 1;
  uint32_t frames = 250, stills = 0;
  int width = 640, height = 384;
  double frames_per_second = 25.0;
  double metres_per_pixel = 0.12, altitude = 120.0;
};
void describe(CLI::App& verb, SceneVerbOptions& options);
int run_verb(const SceneVerbOptions& options);

}  // namespace shingle
