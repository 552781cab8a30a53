#include "apps/drone/results/run_info.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

using Json = nlohmann::ordered_json;
constexpr int run_format = 1;

uint32_t count_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_unsigned()) return 0;
  const auto value = found->get<uint64_t>();
  return value > std::numeric_limits<uint32_t>::max() ? 0 : static_cast<uint32_t>(value);
}

std::string text_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool truth_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_boolean() && found->get<bool>();
}

Json text_json(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json size_json(uint32_t pixels) { return pixels == 0 ? Json(nullptr) : Json(pixels); }

}  // namespace

std::string run_json(const RunInfo& info) {
  Json options = Json::object();
  for (const auto& [name, value] : info.options) options[name] = value;
  const Json json{{"format", run_format},
                  {"program", info.program},
                  {"source", info.source},
                  {"fps", info.frames_per_second},
                  {"width", size_json(info.width)},
                  {"height", size_json(info.height)},
                  {"ground", info.has_ground},
                  {"crs", text_json(info.crs)},
                  {"options", options},
                  {"complete", info.is_complete},
                  {"frames", size_json(info.frames)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<RunInfo> read_run_json(std::string_view text, const std::string& name) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || count_in(json, "format") != run_format)
    return bad_input(in_quotes(name) +
                     " is not the run.json of this program's runs (format 1); give the folder "
                     "that 'shingle-drone track --run' wrote");
  RunInfo info{.program = text_in(json, "program"), .source = text_in(json, "source")};
  const auto rate = json.find("fps");
  if (rate == json.end() || !rate->is_number() || !(rate->get<double>() > 0.0))
    return bad_input(in_quotes(name) + " has no 'fps' above 0; the file was changed or damaged");
  info.frames_per_second = rate->get<double>();
  info.width = count_in(json, "width");
  info.height = count_in(json, "height");
  info.has_ground = truth_in(json, "ground");
  info.crs = text_in(json, "crs");
  info.is_complete = truth_in(json, "complete");
  info.frames = count_in(json, "frames");
  if (const auto options = json.find("options"); options != json.end() && options->is_object())
    for (const auto& [key, value] : options->items())
      if (value.is_string()) info.options.emplace_back(key, value.get<std::string>());
  return info;
}

}  // namespace shingle::drone
