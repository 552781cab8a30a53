#include "apps/drone/pipeline/frame_line.hpp"

#include "apps/drone/pipeline/sighting_json.hpp"

namespace shingle::drone {

std::string frame_line(const FrameReport& report,
                       const std::function<std::string(int class_id)>& name_of) {
  using Json = nlohmann::ordered_json;
  Json json{{"frame", report.frame},
            {"seconds", rounded(report.seconds, 1e6)},
            {"ms", rounded(report.milliseconds, 100.0)}};
  if (report.is_late) json["missed_deadline"] = true;
  json["camera"] = report.knows_camera;
  json["tracks"] = Json::array();
  for (const Sighting& each : report.sightings)
    json["tracks"].push_back(sighting_json(each, name_of(each.class_id)));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace shingle::drone
