#include "apps/results.hpp"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "apps/model_facts.hpp"

namespace shingle {
namespace {

using Json = nlohmann::ordered_json;

double rounded(double value, double places) { return std::round(value * places) / places; }

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json box_of(const Detection& detection) {
  const auto pixel = [](float value) { return rounded(static_cast<double>(value), 100.0); };
  return {{"class", detection.class_id},
          {"name", coco_name(detection.class_id)},
          {"score", rounded(static_cast<double>(detection.score), 1e4)},
          {"x", pixel(detection.box.x)},
          {"y", pixel(detection.box.y)},
          {"w", pixel(detection.box.w)},
          {"h", pixel(detection.box.h)}};
}

std::string node_row(const Tally& tally, size_t member) {
  int64_t all = 0;
  for (const int64_t macs : tally.macs()) all += macs;
  char row[160];
  std::snprintf(
      row, sizeof row, "  node %-4u %7llu tiles  %5.1f %% of the MACs  %6llu thefts\n",
      tally.members()[member].value, static_cast<unsigned long long>(tally.tiles()[member]),
      all == 0 ? 0.0 : 100.0 * static_cast<double>(tally.macs()[member]) / static_cast<double>(all),
      static_cast<unsigned long long>(tally.thefts()[member]));
  return row;
}

}  // namespace

std::string json_line(const FrameResult& result) {
  Json json{{"frame", result.frame}};
  if (!result.name.empty()) json["name"] = result.name;
  json["ms"] = rounded(result.milliseconds, 100.0);
  json["boxes"] = Json::array();
  for (const Detection& detection : result.detections) json["boxes"].push_back(box_of(detection));
  return line_of(json);
}

std::string summary_json(const Summary& summary, const Tally& tally) {
  std::string lines;
  for (size_t i = 0; i < tally.members().size(); ++i)
    lines += line_of({{"node", tally.members()[i].value},
                      {"tiles", tally.tiles()[i]},
                      {"thefts", tally.thefts()[i]},
                      {"macs", tally.macs()[i]}});
  if (summary.dropped > 0) lines += line_of({{"dropped", summary.dropped}});
  Json json{{"nodes", tally.members().size()}, {"frames", summary.frames}};
  json["identical"] = summary.verified ? Json(summary.all_identical()) : Json(nullptr);
  json["fps"] = rounded(summary.frames_per_second(), 1000.0);
  json["tiles_per_node"] = tally.tiles();
  json["thefts"] = tally.all_thefts();
  json["wire_bytes_per_frame"] = summary.wire_bytes_per_frame;
  return lines + line_of(json);
}

std::string summary_text(const Summary& summary, const Tally& tally) {
  char head[160];
  std::snprintf(head, sizeof head,
                "%llu frame%s in %.1f s: %.2f frames/s, %s per frame on the wire\n",
                static_cast<unsigned long long>(summary.frames), summary.frames == 1 ? "" : "s",
                summary.seconds, summary.frames_per_second(),
                (with_unit(static_cast<double>(summary.wire_bytes_per_frame)) + "B").c_str());
  std::string text = head;
  for (size_t i = 0; i < tally.members().size(); ++i) text += node_row(tally, i);
  if (summary.dropped > 0)
    text += "dropped: " + std::to_string(summary.dropped) + " frames of the live source\n";
  if (!summary.out.empty()) text += "written: " + summary.out + "\n";
  if (summary.verified)
    text += std::string("identical to one machine: ") + (summary.all_identical() ? "yes" : "no") +
            " (" + std::to_string(summary.identical) + " of " + std::to_string(summary.frames) +
            " frames)\n";
  return text;
}

}  // namespace shingle
