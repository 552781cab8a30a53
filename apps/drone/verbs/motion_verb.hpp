// The verb `motion`: how the camera of a video moved, from its pictures.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace shingle::drone {

struct MotionVerbOptions {
  std::string video, boxes, out;
  bool to_first = false, json = false;
};
void describe(CLI::App& verb, MotionVerbOptions& options);
int run_verb(const MotionVerbOptions& options);

}  // namespace shingle::drone
