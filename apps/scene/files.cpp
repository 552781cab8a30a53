#include "apps/scene/files.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <opencv2/imgcodecs.hpp>

#include "apps/system/write_file.hpp"
#include "apps/vision/video_writer.hpp"

namespace shingle {
namespace {

constexpr const char* camera_header =
    "frame,seconds,centre_x,centre_y,yaw,altitude,metres_per_pixel,nadir_x,nadir_y\n";

std::string row_of(uint32_t frame, double seconds, const SceneCamera& camera) {
  char row[256];
  const cv::Point2d nadir = camera.centre + camera.slant;
  std::snprintf(row, sizeof row, "%u,%.4f,%.4f,%.4f,%.5f,%.3f,%.6f,%.4f,%.4f\n", frame, seconds,
                camera.centre.x, camera.centre.y, camera.yaw, camera.altitude,
                camera.metres_per_pixel, nadir.x, nadir.y);
  return row;
}

Status write_text(const std::string& path, const std::string& text) {
  return write_file(path, std::as_bytes(std::span(text.data(), text.size())));
}

std::string without_ending(const std::string& path) {
  return std::filesystem::path(path).replace_extension().string();
}

std::optional<VehicleClass> class_named(const std::string& name) {
  for (const VehicleClass known :
       {VehicleClass::car, VehicleClass::van, VehicleClass::truck, VehicleClass::bus})
    if (name == name_of(known)) return known;
  return std::nullopt;
}

std::optional<TruthRow> read_row(const std::string& line) {
  TruthRow row;
  char name[16] = "";
  VehicleTruth& truth = row.truth;
  const int read = std::sscanf(line.c_str(), "%u,%u,%15[a-z],%f,%f,%f,%f,%lf,%lf,%lf,%lf,%lf",
                               &row.frame, &truth.id, name, &truth.box.x, &truth.box.y,
                               &truth.box.w, &truth.box.h, &truth.visible, &truth.speed,
                               &truth.pose.at.x, &truth.pose.at.y, &truth.pose.heading);
  const auto known = class_named(name);
  if (read != 12 || !known) return std::nullopt;
  truth.vehicle_class = *known;
  return row;
}

}  // namespace

std::string row_of(uint32_t frame, const VehicleTruth& truth) {
  char row[256];
  std::snprintf(row, sizeof row, "%u,%u,%s,%.2f,%.2f,%.2f,%.2f,%.3f,%.3f,%.3f,%.3f,%.4f\n", frame,
                truth.id, name_of(truth.vehicle_class), truth.box.x, truth.box.y, truth.box.w,
                truth.box.h, truth.visible, truth.speed, truth.pose.at.x, truth.pose.at.y,
                truth.pose.heading);
  return row;
}

std::string numbered(uint64_t number) {
  char name[32];
  std::snprintf(name, sizeof name, "%06llu", static_cast<unsigned long long>(number));
  return name;
}

Status write_png(const std::string& path, const cv::Mat& picture) {
  std::vector<uchar> bytes;
  if (!cv::imencode(".png", picture, bytes)) return Error{"cannot encode '" + path + "' as PNG"};
  return write_file(path, std::as_bytes(std::span(bytes)));
}

Status write_clip(const SceneOptions& options, uint32_t frames, const std::string& path) {
  auto video = VideoWriter::open(path, options.frames_per_second, options.size);
  if (!video) return Error{video.error()};
  const std::string stem = without_ending(path), roads = stem + ".roads";
  if (const Status made = make_folder(roads); !made) return made;
  Scene scene = make_scene(options);
  const SceneRenderer renderer(scene);
  std::string truth = truth_header, cameras = camera_header;
  for (uint32_t frame = 0; frame < frames; ++frame) {
    const SceneFrame seen = renderer.render(scene, frame);
    if (const Status written = video->write(seen.picture); !written) return written;
    for (const VehicleTruth& vehicle : seen.vehicles) truth += row_of(frame, vehicle);
    cameras += row_of(frame, frame / options.frames_per_second, seen.camera);
    if (const Status road = write_png(roads + "/" + numbered(frame) + ".png", seen.road); !road)
      return road;
    advance(scene);
  }
  if (const Status closed = video->close(); !closed) return closed;
  if (const Status text = write_text(stem + ".truth.csv", truth); !text) return text;
  return write_text(stem + ".camera.csv", cameras);
}

Status write_stills(const SceneOptions& options, const StillRange& range,
                    const std::string& folder) {
  if (const Status made = make_folder(folder); !made) return made;
  for (uint32_t i = 0; i < range.count; ++i) {
    SceneOptions one = options;
    one.still = true;
    one.seed = options.seed + i;
    SceneDice dice(sim::mix(one.seed, 3));
    one.metres_per_pixel =
        range.finest * std::pow(range.coarsest / range.finest, dice.within(0, 1));
    one.altitude = dice.within(60, 600);
    const Scene scene = make_scene(one);
    const SceneFrame seen = SceneRenderer(scene).render(scene, 0);
    std::string truth = truth_header;
    for (const VehicleTruth& vehicle : seen.vehicles) truth += row_of(0, vehicle);
    const std::string stem = folder + "/" + numbered(one.seed);
    if (const Status picture = write_png(stem + ".png", seen.picture); !picture) return picture;
    if (const Status text = write_text(stem + ".csv", truth); !text) return text;
  }
  return success();
}

Result<std::vector<TruthRow>> read_truth(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Error{"cannot open '" + path + "'"};
  std::vector<TruthRow> rows;
  std::string line;
  std::getline(file, line);
  if (line + "\n" != truth_header)
    return Error{"'" + path + "' does not begin with a truth file's header"};
  for (size_t number = 2; std::getline(file, line); ++number) {
    const auto row = read_row(line);
    if (!row)
      return Error{"'" + path + "' line " + std::to_string(number) +
                   " is not a row of a truth file"};
    rows.push_back(*row);
  }
  return rows;
}

}  // namespace shingle
