#include "apps/run/results.hpp"

#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "apps/run/model_facts.hpp"

namespace shingle {
namespace {

using Json = nlohmann::ordered_json;

double rounded(double value, double places) { return std::round(value * places) / places; }

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json class_of(int class_id, const ClassNames& names) {
  return {{"class", class_id}, {"name", name_of_class(names, class_id)}};
}

Json box_of(const Detection& detection, const ClassNames& names) {
  const auto pixel = [](float value) { return rounded(static_cast<double>(value), 100.0); };
  Json json = class_of(detection.class_id, names);
  json["score"] = rounded(static_cast<double>(detection.score), 1e4);
  json["x"] = pixel(detection.box.x);
  json["y"] = pixel(detection.box.y);
  json["w"] = pixel(detection.box.w);
  json["h"] = pixel(detection.box.h);
  return json;
}

double share_of(const ClassShare& share, const ClassMap& map) {
  return static_cast<double>(share.pixels) / static_cast<double>(map.classes.size());
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

// What a finding adds to a frame's line.
struct JsonOf {
  Json& json;
  const ClassNames& names;

  void operator()(const Unread&) const {}
  void operator()(const Detections& detections) const {
    json["boxes"] = Json::array();
    for (const Detection& detection : detections) json["boxes"].push_back(box_of(detection, names));
  }
  void operator()(const ClassMap& map) const {
    Json& mask = json["mask"] = {{"w", map.width}, {"h", map.height}};
    mask["classes"] = Json::array();
    for (const ClassShare& share : shares_of(map)) {
      Json of_class = class_of(share.class_id, names);
      of_class["share"] = rounded(share_of(share, map), 1e4);
      mask["classes"].push_back(std::move(of_class));
    }
    mask["runs"] = runs_of(map.classes);
  }
  void operator()(const Classification& best) const {
    json["best"] = Json::array();
    for (const ClassScore& of : best) {
      Json of_class = class_of(of.class_id, names);
      of_class["score"] = rounded(static_cast<double>(of.score), 1e4);
      json["best"].push_back(std::move(of_class));
    }
  }
};

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, " %.0f %%", 100.0 * share);
  return text;
}

struct TextOf {
  const ClassNames& names;

  std::string operator()(const Unread&) const { return "computed"; }
  std::string operator()(const Detections& detections) const {
    std::map<std::string, int> counts;
    for (const Detection& detection : detections)
      ++counts[name_of_class(names, detection.class_id)];
    std::vector<std::string> parts;
    for (const auto& [name, count] : counts) parts.push_back(std::to_string(count) + " " + name);
    return parts.empty() ? "nothing found" : joined(parts);
  }
  std::string operator()(const ClassMap& map) const {
    std::vector<std::string> parts;
    for (const ClassShare& share : shares_of(map))
      parts.push_back(name_of_class(names, share.class_id) + percent(share_of(share, map)));
    return parts.empty() ? "nothing found" : joined(parts);
  }
  std::string operator()(const Classification& best) const {
    std::vector<std::string> parts;
    for (const ClassScore& of : best)
      parts.push_back(name_of_class(names, of.class_id) + percent(static_cast<double>(of.score)));
    return parts.empty() ? "nothing found" : joined(parts);
  }
};

Json json_of(const FurtherSummary& further, bool has_deadline) {
  Json json{{"every", further.every}, {"frames", further.frames}};
  json["identical"] =
      further.compared > 0 ? Json(further.identical == further.compared) : Json(nullptr);
  json["tiles_per_node"] = further.tiles_per_node;
  json["new_plans"] = further.switches;
  if (has_deadline) json["late"] = further.late;
  if (further.not_compared() > 0) json["not_compared"] = further.not_compared();
  return json;
}

std::string text_of(const FurtherSummary& further) {
  std::string text = further.name + ": " + std::to_string(further.frames) +
                     (further.frames == 1 ? " frame" : " frames") + ", one in " +
                     std::to_string(further.every);
  if (further.late > 0) text += ", " + std::to_string(further.late) + " late";
  if (further.compared > 0)
    text += ", identical to one machine: " + std::to_string(further.identical) + " of " +
            std::to_string(further.compared);
  if (further.not_compared() > 0)
    text += ", not compared: " + std::to_string(further.not_compared());
  return text + "\n";
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

std::optional<std::string> Summary::always_late() const {
  if (late > 0 && in_time() == 0) return "";
  for (const FurtherSummary& each : further)
    if (each.late > 0 && each.late == each.frames) return each.name;
  return std::nullopt;
}

std::string text_line(const FrameResult& result, const ClassNames& names) {
  char time[40];
  std::snprintf(time, sizeof time, " (%.0f ms)\n", result.milliseconds);
  const std::string found =
      result.late ? "missed its deadline" : std::visit(TextOf{names}, result.finding);
  const std::string model = result.model.empty() ? "" : " [" + result.model + "]";
  return result.name + model + ": " + found + time;
}

std::string json_line(const FrameResult& result, const ClassNames& names) {
  Json json{{"frame", result.frame}};
  if (!result.name.empty()) json["name"] = result.name;
  if (!result.model.empty()) json["model"] = result.model;
  json["ms"] = rounded(result.milliseconds, 100.0);
  if (result.late) json["missed_deadline"] = true;
  std::visit(JsonOf{json, names}, result.finding);
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
  json["identical"] = summary.compared > 0 ? Json(summary.all_identical()) : Json(nullptr);
  json["fps"] = rounded(summary.frames_per_second(), 1000.0);
  json["tiles_per_node"] = tally.tiles();
  json["thefts"] = tally.all_thefts();
  json["wire_bytes_per_frame"] = summary.wire_bytes_per_frame;
  json["new_plans"] = summary.switches;
  if (summary.deadline_seconds) json["late"] = summary.late;
  if (summary.audits) {
    json["audited"] = summary.audits->tiles;
    json["different"] = summary.audits->different;
    json["distrusted"] = Json::array();
    for (const NodeId node : summary.audits->distrusted) json["distrusted"].push_back(node.value);
  }
  if (!summary.left_out.empty()) json["left_out"] = summary.left_out;
  if (summary.not_compared() > 0) json["not_compared"] = summary.not_compared();
  for (const FurtherSummary& each : summary.further)
    json["models"][each.name] = json_of(each, summary.deadline_seconds.has_value());
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
  if (summary.deadline_seconds)
    text += "late: " + std::to_string(summary.late) + " of " + std::to_string(summary.frames) +
            " frames missed their deadline\n";
  if (summary.switches > 0)
    text += "planned anew as nodes' speeds changed: " + std::to_string(summary.switches) + "x\n";
  if (summary.audits)
    text += "audited: " + std::to_string(summary.audits->tiles) + " tiles, " +
            std::to_string(summary.audits->different) + " computed differently, " +
            std::to_string(summary.audits->distrusted.size()) + " nodes trusted no more\n";
  for (const FurtherSummary& each : summary.further) text += text_of(each);
  if (!summary.out.empty()) text += "written: " + summary.out + "\n";
  if (summary.compared > 0)
    text += std::string("identical to one machine: ") + (summary.all_identical() ? "yes" : "no") +
            " (" + std::to_string(summary.identical) + " of " + std::to_string(summary.compared) +
            " frames)\n";
  if (summary.not_compared() > 0)
    text += "not compared with one machine: " + std::to_string(summary.not_compared()) +
            " frames, as the run ended before\n";
  return text;
}

}  // namespace shingle
