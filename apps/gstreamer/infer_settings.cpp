#include "apps/gstreamer/infer_settings.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace shingle::gst {
namespace {

// Independent of the program's locale.
std::string text_of(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

bool is_property(const std::string& name) {
  static constexpr std::array<const char*, 16> names{
      "model", "weights", "cluster", "keys",  "head", "names",    "node-program", "id",
      "open",  "workers", "threads", "score", "nms",  "insecure", "pictures",     "options"};
  return std::ranges::find(names, name) != names.end();
}

OptionTexts refused(std::string sentence) { return {.error = std::move(sentence)}; }

}  // namespace

OptionTexts parse_option_list(const std::string& list) {
  OptionTexts parsed;
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    const std::string piece = list.substr(begin, end - begin);
    begin = end + 1;
    const size_t equals = piece.find('=');
    const std::string name = trimmed(piece.substr(0, std::min(equals, piece.size())));
    if (equals == std::string::npos && !parsed.texts.empty()) {
      parsed.texts.back().value.append(",").append(piece);
      continue;
    }
    if (equals == std::string::npos || name.empty())
      return refused("the property 'options' is \"" + list +
                     "\"; write \"name=value,name=value\" with the names of shingle.h");
    parsed.texts.push_back({name, trimmed(piece.substr(equals + 1))});
  }
  return parsed;
}

OptionTexts options_of(const InferSettings& settings) {
  if (settings.model.empty())
    return refused("set the property 'model': an ONNX file, a compiled file or a Darknet .cfg");
  OptionTexts all;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) all.texts.push_back({name, value});
  };
  add("model", settings.model);
  add("pictures", "yes");
  add("weights", settings.weights);
  add("cluster", settings.cluster);
  add("keys", settings.keys);
  add("head", settings.head);
  add("names", settings.names);
  add("node-program", settings.node_program);
  add("open", std::to_string(settings.open));
  add("workers", std::to_string(settings.workers));
  add("threads", std::to_string(settings.threads));
  if (settings.id >= 0) add("id", std::to_string(settings.id));
  if (settings.insecure) add("insecure", "yes");
  if (settings.score >= 0.0) add("score", text_of(settings.score));
  if (settings.nms >= 0.0) add("nms", text_of(settings.nms));
  OptionTexts further = parse_option_list(settings.options);
  if (!further.error.empty()) return further;
  for (OptionText& each : further.texts) {
    if (each.name == "pictures")
      return refused("the property 'options' names 'pictures': shingleinfer always takes pictures");
    if (is_property(each.name))
      return refused("the property 'options' names '" + each.name +
                     "', which is a property of its own: set that");
    all.texts.push_back(std::move(each));
  }
  return all;
}

}  // namespace shingle::gst
