#include "apps/findings/finding_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>

namespace shingle {
namespace {

using Json = nlohmann::ordered_json;

double rounded(float value, double places) { return std::round(double{value} * places) / places; }
double pixel(float value) { return rounded(value, 100.0); }
double share(float value) { return rounded(value, 1e4); }

Json class_of(int class_id, const ClassNames& names) {
  return {{"class", class_id}, {"name", name_of_class(names, class_id)}};
}

Json json_of(const Detection& detection, const ClassNames& names) {
  Json json = class_of(detection.class_id, names);
  json["score"] = share(detection.score);
  json["x"] = pixel(detection.box.x);
  json["y"] = pixel(detection.box.y);
  json["w"] = pixel(detection.box.w);
  json["h"] = pixel(detection.box.h);
  return json;
}

Json json_of(const Instance& instance, const ClassNames& names) {
  const Mask& mask = instance.mask;
  Json json = json_of(instance.detection, names);
  json["mask"] = {{"x", mask.x}, {"y", mask.y}, {"w", mask.w}, {"h", mask.h}, {"runs", mask.runs}};
  return json;
}

Json json_of(const BodyPose& pose, const ClassNames& names) {
  Json json = json_of(pose.detection, names);
  json["points"] = Json::array();
  for (const KeyPoint& point : pose.points)
    json["points"].push_back({pixel(point.x), pixel(point.y), share(point.score)});
  return json;
}

Json json_of(const TurnedBox& box, const ClassNames& names) {
  Json json = class_of(box.class_id, names);
  json["score"] = share(box.score);
  json["cx"] = pixel(box.x);
  json["cy"] = pixel(box.y);
  json["w"] = pixel(box.w);
  json["h"] = pixel(box.h);
  json["angle"] = pixel(box.angle * static_cast<float>(180.0 / std::numbers::pi));
  json["corners"] = Json::array();
  for (const PixelPoint& corner : corners_of(box))
    json["corners"].push_back(
        {pixel(static_cast<float>(corner.x)), pixel(static_cast<float>(corner.y))});
  return json;
}

double share_of(const ClassShare& of, const ClassMap& map) {
  return static_cast<double>(of.pixels) / static_cast<double>(map.classes.size());
}

Json runs_of(const std::vector<int32_t>& classes) {
  Json runs = Json::array();
  for (size_t i = 0; i < classes.size();) {
    size_t end = i + 1;
    while (end < classes.size() && classes[end] == classes[i]) ++end;
    runs.push_back(classes[i]);
    runs.push_back(end - i);
    i = end;
  }
  return runs;
}

// The mean of each of 16 x 12 parts of the map, of at least a pixel; null: no value there.
Json grid_of(const ValueMap& map) {
  const int columns = std::min(16, map.width), rows = std::min(12, map.height);
  Json grid = Json::array();
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      double sum = 0.0;
      int64_t count = 0;
      for (int y = row * map.height / rows; y < (row + 1) * map.height / rows; ++y)
        for (int x = column * map.width / columns; x < (column + 1) * map.width / columns; ++x) {
          const float value = map.values[static_cast<size_t>(y) * static_cast<size_t>(map.width) +
                                         static_cast<size_t>(x)];
          if (!std::isfinite(value)) continue;
          sum += double{value};
          ++count;
        }
      grid.push_back(count == 0 ? Json(nullptr) : Json(static_cast<float>(sum / double(count))));
    }
  return {{"columns", columns}, {"rows", rows}, {"means", std::move(grid)}};
}

struct JsonOf {
  const ClassNames& names;

  Json operator()(const Unread&) const { return Json::object(); }
  Json operator()(const Detections& found) const { return {{"boxes", all_of(found)}}; }
  Json operator()(const Instances& found) const { return {{"boxes", all_of(found)}}; }
  Json operator()(const BodyPoses& found) const { return {{"boxes", all_of(found)}}; }
  Json operator()(const TurnedBoxes& found) const { return {{"turned", all_of(found)}}; }
  Json operator()(const ClassMap& map) const {
    Json mask{{"w", map.width}, {"h", map.height}, {"classes", Json::array()}};
    for (const ClassShare& each : shares_of(map)) {
      Json of_class = class_of(each.class_id, names);
      of_class["share"] = std::round(share_of(each, map) * 1e4) / 1e4;
      mask["classes"].push_back(std::move(of_class));
    }
    mask["runs"] = runs_of(map.classes);
    return {{"mask", std::move(mask)}};
  }
  Json operator()(const Classification& best) const {
    Json list = Json::array();
    for (const ClassScore& of : best) {
      Json of_class = class_of(of.class_id, names);
      of_class["score"] = share(of.score);
      list.push_back(std::move(of_class));
    }
    return {{"best", std::move(list)}};
  }
  Json operator()(const ValueMap& map) const {
    const FoundRange range = range_of(map);
    return {{"map",
             {{"w", map.width},
              {"h", map.height},
              {"least", range.least},
              {"most", range.most},
              {"grid", grid_of(map)}}}};
  }
  Json operator()(const NewPicture& made) const {
    return {{"picture", {{"w", made.image.size.width}, {"h", made.image.size.height}}}};
  }
  Json operator()(const ReadText& read) const {
    return {{"text", read.text}, {"letters", read.classes}, {"score", share(read.score)}};
  }
  // A number that is none becomes null.
  Json operator()(const Features& features) const { return {{"features", features.values}}; }

  template <class T>
  Json all_of(const std::vector<T>& found) const {
    Json list = Json::array();
    for (const T& of : found) list.push_back(json_of(of, names));
    return list;
  }
};

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return parts.empty() ? "nothing found" : text;
}

std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, " %.0f %%", 100.0 * share);
  return text;
}

int class_id_of(const Detection& of) { return of.class_id; }
int class_id_of(const Instance& of) { return of.detection.class_id; }
int class_id_of(const BodyPose& of) { return of.detection.class_id; }
int class_id_of(const TurnedBox& of) { return of.class_id; }

struct TextOf {
  const ClassNames& names;

  std::string operator()(const Unread&) const { return "computed"; }
  template <class T>
  std::string operator()(const std::vector<T>& found) const {
    std::map<std::string, int> counts;
    for (const T& of : found) ++counts[name_of_class(names, class_id_of(of))];
    std::vector<std::string> parts;
    for (const auto& [name, count] : counts) parts.push_back(std::to_string(count) + " " + name);
    return joined(parts);
  }
  std::string operator()(const ClassMap& map) const {
    std::vector<std::string> parts;
    for (const ClassShare& each : shares_of(map))
      parts.push_back(name_of_class(names, each.class_id) + percent(share_of(each, map)));
    return joined(parts);
  }
  std::string operator()(const Classification& best) const {
    std::vector<std::string> parts;
    for (const ClassScore& of : best)
      parts.push_back(name_of_class(names, of.class_id) + percent(double{of.score}));
    return joined(parts);
  }
  std::string operator()(const ValueMap& map) const {
    const FoundRange range = range_of(map);
    char text[64];
    std::snprintf(text, sizeof text, "values from %.4g to %.4g", double{range.least},
                  double{range.most});
    return text;
  }
  std::string operator()(const NewPicture& made) const {
    return "a picture of " + std::to_string(made.image.size.width) + "x" +
           std::to_string(made.image.size.height);
  }
  std::string operator()(const ReadText& read) const {
    return read.text.empty() ? "no text" : "'" + read.text + "'";
  }
  std::string operator()(const Features& features) const {
    return std::to_string(features.values.size()) + " features";
  }
};

}  // namespace

Json json_of(const Finding& finding, const ClassNames& names) {
  return std::visit(JsonOf{names}, finding);
}

std::string text_of(const Finding& finding, const ClassNames& names) {
  return std::visit(TextOf{names}, finding);
}

}  // namespace shingle
