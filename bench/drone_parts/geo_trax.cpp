#include "bench/drone_parts/geo_trax.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace shingle::geotrax {
namespace {

using Line = std::vector<std::string>;

Result<std::vector<Line>> lines_of(const std::string& path, size_t columns) {
  std::ifstream file(path);
  std::vector<Line> lines;
  for (std::string text; std::getline(file, text);) {
    std::istringstream fields(text);
    Line line;
    for (std::string field; std::getline(fields, field, ',');) line.push_back(field);
    if (line.size() < columns)
      return bad_input(path + " line " + std::to_string(lines.size() + 1) + " has too few columns");
    lines.push_back(line);
  }
  if (lines.empty()) return bad_input("cannot read " + path);
  return lines;
}

double number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }
int whole(const std::string& text) { return static_cast<int>(number(text)); }
Eigen::Vector2d pair_at(const Line& line, size_t column) {
  return {number(line[column]), number(line[column + 1])};
}
Eigen::Matrix3d matrix_at(const Line& line, size_t column) {
  Eigen::Matrix3d matrix;
  for (size_t i = 0; i < 9; ++i)
    matrix(static_cast<Eigen::Index>(i / 3), static_cast<Eigen::Index>(i % 3)) =
        number(line[column + i]);
  return matrix;
}

Row row_of(const Line& line) {
  return {.frame = whole(line[2]),
          .vehicle = whole(line[0]),
          .kind = whole(line[11]),
          .ortho = pair_at(line, 3),
          .local = pair_at(line, 5),
          .latitude = number(line[7]),
          .longitude = number(line[8]),
          .speed_kmh = line[12].empty() ? -1.0 : number(line[12])};
}

}  // namespace

Result<Sample> read(const std::string& folder) {
  const std::string stem = folder + "/U_video_cut";
  const auto boxes = lines_of(stem + ".txt", 14), rows = lines_of(stem + ".csv", 16),
             motions = lines_of(stem + "_vid_transf.txt", 10),
             ortho = lines_of(stem + "_geo_transf.txt", 9),
             log = lines_of(folder + "/flight_log.csv", 13);
  for (const auto* each : {&boxes, &rows, &motions, &ortho, &log})
    if (!*each) return each->failure();
  Sample sample;
  for (const Line& line : *boxes)
    sample.boxes[{whole(line[0]), whole(line[1])}] = {.seen = pair_at(line, 2),
                                                      .stabilised = pair_at(line, 6),
                                                      .size = pair_at(line, 4),
                                                      .kind = whole(line[10])};
  for (const Line& line : *motions) sample.to_first_frame[whole(line[0])] = matrix_at(line, 1);
  sample.to_ortho = matrix_at(ortho->front(), 0);
  for (size_t i = 1; i < rows->size(); ++i) {
    const Row row = row_of((*rows)[i]);
    sample.tracks[row.vehicle].push_back(row);
  }
  if (log->size() < 2) return bad_input(folder + "/flight_log.csv has no row");
  sample.focal_mm = number((*log)[1][8]);
  sample.height_m = number((*log)[1][11]);
  return sample;
}

}  // namespace shingle::geotrax
