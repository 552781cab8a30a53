// The verbs `shingle scene`, which renders a clip or stills with their truth, and `shingle score`,
// which holds detections against it.
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

struct ScoreOptions {
  std::string boxes, truth;
  float min_score = 0.3F;
  bool json = false;
};
void describe(CLI::App& verb, ScoreOptions& options);
int run_verb(const ScoreOptions& options);

}  // namespace shingle
