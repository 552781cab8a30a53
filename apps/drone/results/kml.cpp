#include "apps/drone/results/csv_line.hpp"
#include "apps/drone/results/geo_text.hpp"

namespace shingle::drone {
namespace {

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '&')
      safe += "&amp;";
    else if (letter == '<')
      safe += "&lt;";
    else if (letter == '>')
      safe += "&gt;";
    else
      safe += letter;
  }
  return safe;
}

std::string coordinates(std::span<const PlanePoint> points) {
  std::string text = "<coordinates>";
  for (size_t index = 0; index < points.size(); ++index) {
    if (index > 0) text += ' ';
    text += csv_text(points[index].x, 8) + "," + csv_text(points[index].y, 8);
  }
  return text + "</coordinates>";
}

std::string line_geometry(std::span<const PlanePoint> points) {
  if (points.size() == 1) return "<Point>" + coordinates(points) + "</Point>";
  std::string lines;
  size_t count = 0;
  for (const auto& piece : cut_at_antimeridian(points)) {
    if (piece.size() < 2) continue;
    lines += "<LineString><tessellate>1</tessellate>" + coordinates(piece) + "</LineString>";
    ++count;
  }
  return count == 1 ? lines : "<MultiGeometry>" + lines + "</MultiGeometry>";
}

std::string datum(const char* name, const std::string& value) {
  return std::string("<Data name=\"") + name + "\"><value>" + value + "</value></Data>";
}

std::string placemark(const GeoTrack& track) {
  std::vector<PlanePoint> points;
  for (const GeoFix& fix : track.fixes) points.push_back(fix.at);
  std::string data = datum("track", std::to_string(track.track));
  if (track.class_id >= 0) data += datum("class", std::to_string(track.class_id));
  data += datum("first_seconds", csv_text(track.fixes.front().seconds, 3)) +
          datum("last_seconds", csv_text(track.fixes.back().seconds, 3));
  return "<Placemark><name>track " + std::to_string(track.track) + "</name><ExtendedData>" + data +
         "</ExtendedData>" + line_geometry(points) + "</Placemark>\n";
}

std::string placemark(const GeoShape& shape) {
  const std::string drawn =
      shape.is_area ? "<Polygon><tessellate>1</tessellate><outerBoundaryIs><LinearRing>" +
                          coordinates(counterclockwise_ring(shape.points)) +
                          "</LinearRing></outerBoundaryIs></Polygon>"
                    : line_geometry(shape.points);
  return "<Placemark><name>" + escaped(shape.kind + " " + shape.name) + "</name>" + drawn +
         "</Placemark>\n";
}

}  // namespace

std::string kml_text(std::span<const GeoTrack> tracks, std::span<const GeoShape> shapes) {
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<kml xmlns=\"http://www.opengis.net/kml/2.2\"><Document>\n";
  for (const GeoShape& shape : shapes) text += placemark(shape);
  for (const GeoTrack& track : tracks) text += placemark(track);
  return text + "</Document></kml>\n";
}

}  // namespace shingle::drone
