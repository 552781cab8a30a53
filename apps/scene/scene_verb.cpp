// The verb `shingle scene`.
#include <CLI/CLI.hpp>

#include "apps/scene/files.hpp"
#include "apps/scene/flight/flight_files.hpp"
#include "apps/scene/verb.hpp"
#include "apps/system/exit.hpp"

namespace shingle {
namespace {

void describe_street(CLI::App& verb, SceneVerbOptions& options, CLI::Option* scene) {
  verb.add_option(
          "--stills", options.stills,
          "write this many stills of different places instead; with --scene any, as a drone "
          "sees them")
      ->check(CLI::Range(1, 1000000));
  verb.add_option("--metres-per-pixel", options.metres_per_pixel,
                  "metres on the ground for each pixel (default: 0.12)")
      ->check(CLI::Range(0.03, 0.5))
      ->excludes(scene);
}

// Of a scene with a name.
void describe_flight(CLI::App& verb, SceneVerbOptions& options, CLI::Option* scene) {
  const auto number = [&](const char* name, std::optional<double>& value, const char* text,
                          double least, double most) {
    verb.add_option(name, value, text)->needs(scene)->check(CLI::Range(least, most));
  };
  number("--focal", options.focal_mm, "focal length in mm of a film 36 mm wide (default: 24)", 10,
         400);
  number("--pitch", options.pitch, "degrees below the horizon (default: the scene's, else 90)", 10,
         90);
  number("--yaw", options.yaw, "degrees clockwise from north (default: drawn)", -360, 360);
  number("--speed", options.speed, "metres per second of a camera that does not hover (default: 5)",
         0, 40);
  number("--turn", options.turn, "degrees a second of a turning camera (default: 6)", -45, 45);
  number("--haze", options.haze, "share of haze in what is 100 m away (default: 0, or 0.3)", 0,
         0.9);
}

Result<SceneClip> clip_of(const SceneVerbOptions& options) {
  auto clip = clip_named(options.scene, options.seed);
  if (!clip) return clip;
  FlightOptions& flight = clip->flight;
  flight.frames = options.frames.value_or(flight.frames);
  flight.frames_per_second = options.frames_per_second;
  flight.size = {options.width.value_or(flight.size.width),
                 options.height.value_or(flight.size.height)};
  flight.altitude = options.altitude.value_or(flight.altitude);
  flight.focal_mm = options.focal_mm.value_or(flight.focal_mm);
  flight.pitch_degrees = options.pitch.value_or(flight.pitch_degrees);
  flight.yaw_degrees = options.yaw.value_or(flight.yaw_degrees);
  flight.speed = options.speed.value_or(flight.speed);
  flight.turn_degrees = options.turn.value_or(flight.turn_degrees);
  clip->haze = options.haze.value_or(clip->haze);
  return clip;
}

Status write_named(const SceneVerbOptions& options, cv::Size size) {
  if (options.stills > 0) {
    if (options.scene != "any")
      return usage_error("--stills draws its scenes itself; use --scene any");
    return write_flight_stills({.count = options.stills, .seed = options.seed, .size = size},
                               options.out);
  }
  const auto clip = clip_of(options);
  return clip ? write_flight(*clip, options.out) : Status(clip.failure());
}

Status write_street(const SceneVerbOptions& options, cv::Size size) {
  const SceneOptions scene{.seed = options.seed,
                           .size = size,
                           .frames_per_second = options.frames_per_second,
                           .metres_per_pixel = options.metres_per_pixel,
                           .altitude = options.altitude.value_or(120.0)};
  return options.stills > 0 ? write_stills(scene, {.count = options.stills}, options.out)
                            : write_clip(scene, options.frames.value_or(250), options.out);
}

}  // namespace

void describe(CLI::App& verb, SceneVerbOptions& options) {
  verb.add_option("OUT", options.out, "the video to write; with --stills a folder")->required();
  auto* scene = verb.add_option(
      "--scene", options.scene,
      "a place as a drone sees it: local, rural, highway or roundabout, the altitude, and whatever "
      "is not usual, e.g. local-50, highway-100-4k, rural-100-45deg-dusk");
  verb.add_option("--seed", options.seed,
                  "seed of the place, its traffic and the camera's path (default: 1)");
  verb.add_option("--frames", options.frames, "frames of the clip (default: 250; with --scene 60)")
      ->check(CLI::Range(1, 1000000));
  verb.add_option("--width", options.width, "width in pixels (default: 640, or the scene's)")
      ->check(CLI::Range(64, 4096));
  verb.add_option("--height", options.height, "height in pixels (default: 384, or the scene's)")
      ->check(CLI::Range(64, 4096));
  verb.add_option("--fps", options.frames_per_second, "frames per second (default: 25)")
      ->check(CLI::Range(1.0, 240.0));
  verb.add_option("--altitude", options.altitude,
                  "altitude of the camera in metres (default: 120, or the scene's)")
      ->check(CLI::Range(20.0, 5000.0));
  describe_street(verb, options, scene);
  describe_flight(verb, options, scene);
  verb.footer(
      "\nExamples:\n"
      "  shingle scene street.mp4 --seed 7        also street.truth.csv, street.camera.csv, "
      "street.roads/\n"
      "  shingle scene flight.mp4 --scene roundabout-100-60deg --seed 3    also flight.srt, "
      "flight.gt.txt ..\n"
      "  shingle scene stills --stills 100        training pictures, PNG and CSV");
}

int run_verb(const SceneVerbOptions& options) {
  const cv::Size size{options.width.value_or(640), options.height.value_or(384)};
  const Status done =
      options.scene.empty() ? write_street(options, size) : write_named(options, size);
  return done ? static_cast<int>(Exit::ok) : fail(done.failure());
}

}  // namespace shingle
