#include "apps/drone/verbs/export_verb.hpp"

#include <CLI/CLI.hpp>
#include <span>

#include "apps/drone/boxes/mot_text.hpp"
#include "apps/drone/results/detections_csv.hpp"
#include "apps/drone/verbs/export_drawing.hpp"
#include "apps/drone/verbs/export_earth.hpp"
#include "apps/drone/verbs/input_file.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/write_file.hpp"

namespace shingle::drone {
namespace {

std::string mot_text(const Run& run) {
  std::string text;
  for (const Sighting& each : run.sightings)
    text += mot_line({each.frame, each.track, each.box, each.score, each.class_id});
  return text;
}

// MOT text of the boxes that the tracker got; `shingle-drone track` reads it.
Result<std::string> detections_text(const std::string& folder) {
  const std::string path = folder + "/detections.csv";
  const auto bytes = read_text(path);
  if (!bytes) return bytes.failure();
  const auto found = read_detections(*bytes, path);
  if (!found) return found.failure();
  std::string text;
  for (const FoundInFrame& each : *found)
    if (each.found.is_on_road.value_or(true))
      text += mot_line({.frame = each.frame,
                        .box = each.found.box.box,
                        .score = each.found.box.score,
                        .class_id = each.found.box.class_id});
  return text;
}

Result<std::string> text_of(Run& run, const ExportVerbOptions& options) {
  if (options.format == "mot") return mot_text(run);
  if (options.format == "detections") return detections_text(options.run);
  return earth_text(run, options);
}

int save(const std::string& path, std::span<const std::byte> bytes) {
  const Status saved = write_file(path, bytes);
  return saved ? static_cast<int>(Exit::ok) : fail(saved.failure());
}

}  // namespace

void describe(CLI::App& verb, ExportVerbOptions& options) {
  verb.add_option("RUN", options.run, "the folder of a run, as 'track --run' writes it")
      ->type_name("")
      ->required();
  verb.add_option("--format", options.format,
                  "mot, detections, csv, geojson, kml, heatmap or time-space")
      ->type_name("NAME")
      ->check(
          CLI::IsMember({"mot", "detections", "csv", "geojson", "kml", "heatmap", "time-space"}))
      ->required();
  verb.add_option("-o,--out", options.out, "the file to write")->type_name("FILE")->required();
  verb.add_option("--site", options.site,
                  "ground points, lines, zones and lanes; heatmap and time-space are drawn in its "
                  "coordinates")
      ->type_name("FILE");
  verb.add_option("--lane", options.lane,
                  "time-space: the site's lane to draw along (default: the only one)")
      ->type_name("NAME");
  verb.add_option("--crs", options.crs,
                  "csv, geojson: also easting and northing in this projected system, such as "
                  "EPSG:32633 (default: the run's)")
      ->type_name("EPSG:N");
  verb.footer(
      "\nExamples:\n"
      "  shingle-drone export flight --format mot -o tracks.txt\n"
      "  shingle-drone export flight --format detections -o boxes.txt\n"
      "  shingle-drone export flight --format geojson --site site.toml -o tracks.geojson\n"
      "  shingle-drone export flight --format csv --crs EPSG:32633 -o tracks.csv\n"
      "  shingle-drone export flight --format heatmap -o heat.png\n"
      "  shingle-drone export flight --format time-space --site site.toml -o lanes.png");
}

int run_verb(const ExportVerbOptions& options) {
  if (!options.crs.empty() && options.format != "csv" && options.format != "geojson")
    return fail(Exit::usage, "--crs is for the formats csv and geojson; " + options.format +
                                 " has no columns for easting and northing");
  auto run = read_run(options.run);
  if (!run) return fail(run.failure());
  for (const std::string& each : run->notes) note(each);
  if (options.format == "heatmap" || options.format == "time-space") {
    const auto picture = drawing(*run, options);
    return picture ? save(options.out, std::as_bytes(std::span(*picture)))
                   : fail(picture.failure());
  }
  const auto text = text_of(*run, options);
  return text ? save(options.out, std::as_bytes(std::span(*text))) : fail(text.failure());
}

}  // namespace shingle::drone
