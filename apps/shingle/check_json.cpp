#include <nlohmann/json.hpp>

#include "apps/models/take_picture.hpp"
#include "apps/shingle/check_report.hpp"

namespace shingle {
namespace {

using Json = nlohmann::ordered_json;

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// What layers of one kind have in common.
Json kind_of(const CheckedLayer& layer) {
  Json json{
      {"operator", layer.op}, {"cut_into", name_of(layer.cut)}, {"kernel", name_of(layer.kernel)}};
  if (layer.grid > 1) json["grid"] = layer.grid;
  if (!layer.why_whole.empty()) json["why_whole"] = layer.why_whole;
  if (!layer.why_slow.empty()) json["why_slow"] = layer.why_slow;
  return json;
}

Json group_of(const LayerGroup& group) {
  Json json = kind_of(group.like);
  json["layers"] = group.layers;
  json["macs"] = group.macs;
  json["first"] = group.like.name;
  json["last"] = group.last;
  return json;
}

Json layer_of(const CheckedLayer& layer) {
  Json json{{"name", layer.name}};
  json.update(kind_of(layer));
  json["output"] = {layer.output.h, layer.output.w, layer.output.c};
  json["macs"] = layer.macs;
  return json;
}

}  // namespace

std::string json_of(const CheckReport& report) {
  const auto picture = picture_shape(report.model);
  Json json{{"runs", true},
            {"head", report.reading.head->name},
            {"possible_heads", Json::array()},
            {"takes_pictures", picture.ok()},
            {"macs", report.check.macs},
            {"tileable_macs", report.check.distributed_macs},
            {"gathers", report.check.gathers},
            {"groups", Json::array()},
            {"whole_map_layers", Json::array()},
            {"slow_layers", Json::array()},
            {"advice", report.advice}};
  for (const Head* head : possible_heads(report.reading.clues))
    json["possible_heads"].push_back(head->name);
  for (const LayerGroup& group : by_work(report.check)) json["groups"].push_back(group_of(group));
  for (const CheckedLayer& layer : report.check.layers) {
    if (!layer.why_whole.empty()) json["whole_map_layers"].push_back(layer.name);
    if (!layer.why_slow.empty()) json["slow_layers"].push_back(layer.name);
    if (report.layers) json["layers"].push_back(layer_of(layer));
  }
  return line_of(json);
}

std::string json_of(const RefusedReport& report) {
  Json json{{"runs", false},
            {"reason", report.reason},
            {"unread", Json::array()},
            {"advice", report.advice}};
  for (const OnnxUnread& each : report.unread)
    json["unread"].push_back({{"operator", each.op}, {"nodes", each.nodes}, {"first", each.first}});
  return line_of(json);
}

}  // namespace shingle
