#include "apps/findings/frame_result.hpp"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "apps/findings/finding_text.hpp"

namespace shingle {

std::string text_line(const FrameResult& result, const ClassNames& names) {
  char time[40];
  std::snprintf(time, sizeof time, " (%.0f ms)\n", result.milliseconds);
  const std::string found = result.late ? "missed its deadline" : text_of(result.finding, names);
  const std::string model = result.model.empty() ? "" : " [" + result.model + "]";
  return result.name + model + ": " + found + time;
}

std::string json_line(const FrameResult& result, const ClassNames& names) {
  using Json = nlohmann::ordered_json;
  Json json{{"frame", result.frame}};
  if (!result.name.empty()) json["name"] = result.name;
  if (!result.model.empty()) json["model"] = result.model;
  json["ms"] = std::round(result.milliseconds * 100.0) / 100.0;
  if (result.late) json["missed_deadline"] = true;
  json.update(json_of(result.finding, names));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace shingle
