// The options of the verb run that say what is computed of each picture: slices, their scale, and
// what may be left out.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/drone/pipeline/lookout.hpp"
#include "apps/run/run_options.hpp"

namespace CLI {
class App;
}

namespace shingle::drone {

struct SliceVerbOptions {
  std::string slices;             // "auto", "off" or a number; empty: auto if the scale is known
  std::optional<double> scale{};  // metres per pixel that the detector was trained at
  double full_every = 1.0;        // seconds
  double plan_ahead = 0.15;       // seconds by which slices are planned on what is old
  double min_length = shortest_car_metres;
  bool sheds = false, is_paced = false;
};
void describe(CLI::App& verb, SliceVerbOptions& options);

// The metres per pixel that the model's file states in its metadata, "metres_per_pixel"; none: it
// does not. Error: what it states is no scale.
Result<std::optional<double>> stated_scale(const Reading& reading);

struct LookoutParts {
  const RunModel& detector;
  const MediaInput& input;
  const RunOptions& run;
  double rate = 0.0;  // pictures per second
  std::optional<uint64_t> mask_every{};
};
// Errors: slices without a scale; an input too small to be a slice; shedding where pictures wait
// for us.
Result<LookoutOptions> lookout_options(const SliceVerbOptions& options, const LookoutParts& parts);

// For the run folder.
std::vector<std::pair<std::string, std::string>> facts_of(const SliceVerbOptions& options);

}  // namespace shingle::drone
