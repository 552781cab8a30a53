// The verbs `shingle scene`, which renders a clip or stills with their truth, and `shingle score`,
// which holds detections against it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace shingle {

// What is not given is the clip's own: of the street, or of the scene with that name.
struct SceneVerbOptions {
  std::string out, scene;
  uint64_t seed = 1;
  uint32_t stills = 0;
  std::optional<uint32_t> frames{};
  std::optional<int> width{}, height{};
  double frames_per_second = 25.0, metres_per_pixel = 0.12;
  std::optional<double> altitude{}, focal_mm{}, pitch{}, yaw{}, speed{}, turn{}, haze{};
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
