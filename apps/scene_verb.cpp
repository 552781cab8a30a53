#include "apps/scene_verb.hpp"

#include <CLI/CLI.hpp>

#include "apps/exit.hpp"
#include "apps/scene_files.hpp"

namespace shingle {

void describe(CLI::App& verb, SceneVerbOptions& options) {
  verb.add_option("OUT", options.out, "the video to write; with --stills a folder")->required();
  verb.add_option("--seed", options.seed, "the place, its traffic and the camera's path (1)");
  verb.add_option("--frames", options.frames, "length of the clip (250)")
      ->check(CLI::Range(1, 1000000));
  verb.add_option("--stills", options.stills, "so many stills of different places instead")
      ->check(CLI::Range(1, 1000000));
  verb.add_option("--width", options.width, "pixels (640)")->check(CLI::Range(64, 4096));
  verb.add_option("--height", options.height, "pixels (384)")->check(CLI::Range(64, 4096));
  verb.add_option("--fps", options.frames_per_second, "frames per second (25)")
      ->check(CLI::Range(1.0, 240.0));
  verb.add_option("--metres-per-pixel", options.metres_per_pixel, "on the ground (0.12)")
      ->check(CLI::Range(0.03, 0.5));
  verb.add_option("--altitude", options.altitude, "metres (120)")->check(CLI::Range(30.0, 5000.0));
  verb.footer(
      "\nExamples:\n"
      "  shingle scene street.mp4 --seed 7        also street.truth.csv, street.camera.csv, "
      "street.roads/\n"
      "  shingle scene stills --stills 100        training pictures, PNG and CSV");
}

int run_verb(const SceneVerbOptions& options) {
  const SceneOptions scene{.seed = options.seed,
                           .size = {options.width, options.height},
                           .frames_per_second = options.frames_per_second,
                           .metres_per_pixel = options.metres_per_pixel,
                           .altitude = options.altitude};
  const Status done = options.stills > 0
                          ? write_stills(scene, {.count = options.stills}, options.out)
                          : write_clip(scene, options.frames, options.out);
  return done ? static_cast<int>(Exit::ok) : fail(Exit::runtime, done.error());
}

}  // namespace shingle
