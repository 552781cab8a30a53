#include "apps/drone/verbs/place_options.hpp"

#include <CLI/CLI.hpp>

#include "apps/drone/boxes/number_lines.hpp"
#include "apps/drone/results/camera_file.hpp"

namespace shingle::drone {

void describe(CLI::App& verb, PlaceOptions& options) {
  auto* log = verb.add_option("--log", options.log,
                              "the flight's log, or the video or photographs that have it within: "
                              "places on the ground and speeds become known")
                  ->type_name("FILE");
  verb.add_option("--offset", options.offset,
                  "seconds of the log = seconds of the video + offset; 'log FILE --video' finds it")
      ->type_name("SECONDS")
      ->needs(log);
  describe_reading(verb, options.of_log, log);
  describe_view(verb, options.of_log, log);
  verb.add_option("--camera", options.camera,
                  "the calibrated lens (TOML): focal length in pixels, centre, distortion")
      ->type_name("FILE")
      ->needs(log)
      ->excludes(verb.get_option("--focal-35mm"));
  verb.add_option("--crs", options.crs,
                  "also tell easting and northing in this projected system, such as EPSG:32633")
      ->type_name("EPSG:N")
      ->needs(log);
}

std::vector<std::pair<std::string, std::string>> facts_of(const PlaceOptions& options) {
  const auto number = [](const std::optional<double>& value) {
    return value ? as_written(*value) : std::string();
  };
  const FlightLogOptions& log = options.of_log;
  return {{"log", options.log},
          {"columns", log.columns},
          {"zone", number(log.zone_hours)},
          {"offset", number(options.offset)},
          {"gimbal_pitch", number(log.gimbal_pitch)},
          {"focal_35mm", number(log.focal_35mm)},
          {"camera", options.camera},
          {"ground_height", number(log.ground_height)}};
}

Result<std::optional<Flight>> read_log(const PlaceOptions& options,
                                       std::optional<double> photos_per_second) {
  if (options.log.empty()) return std::optional<Flight>{};
  auto flight = read_flight_file(options.log, file_options(options.of_log, photos_per_second));
  if (!flight) return flight.failure();
  if (flight->time != LogTime::video && !options.offset)
    return usage_error("'" + options.log + "' does not count in the video's time; give --offset, " +
                       "which 'shingle-drone log " + options.log + " --video VIDEO' finds");
  if (const auto frame = local_frame_of(*flight); !frame) return frame.failure();
  return std::optional(std::move(*flight));
}

Result<ViewOptions> view_options(const PlaceOptions& options) {
  ViewOptions view = view_options(options.of_log);
  if (options.camera.empty()) return view;
  const auto camera = load_camera(options.camera);
  if (!camera) return camera.failure();
  view.camera = *camera;
  return view;
}

}  // namespace shingle::drone
