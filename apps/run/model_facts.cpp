#include "apps/run/model_facts.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "partition/model/demand.hpp"
#include "partition/model/each_constant.hpp"

namespace shingle {
namespace {

std::vector<ConstantId> constants_of(const Model& model, const Layer& layer) {
  std::vector<ConstantId> held;
  each_constant(layer.op, [&](ConstantId id) { held.push_back(id); });
  for (const TensorId input : layer.inputs)
    if (model.at(input).constant) held.push_back(*model.at(input).constant);
  return held;
}

LayerFacts facts_of(const Model& model, LayerId id) {
  const Layer& layer = model.at(id);
  const Shape output = model.at(layer.output).shape;
  LayerFacts facts{.name = layer.name,
                   .op = name_of(layer.op),
                   .output = output,
                   .macs = macs(model, id, whole(output)),
                   .parameters = 0,
                   .whole_map = !goes_along_first_input(model, layer)};
  for (const ConstantId constant : constants_of(model, layer))
    facts.parameters += model.at(constant).count;
  return facts;
}

int64_t bytes_of(const Tensor& tensor) { return tensor.shape.elements() * bytes_of(tensor.type); }

std::string dims_of(const ModelOutput& output) {
  std::string text;
  for (const int64_t size : output.dims)
    text.append(text.empty() ? "" : "x").append(std::to_string(size));
  return text;
}

// ", of dimension 0 as many as out.count says"
std::string counts_of(const Model& model, const ModelOutput& output) {
  std::string text;
  for (const ModelOutput::Counted& counted : output.counted)
    text += ", of dimension " + std::to_string(counted.dim) + " as many as " +
            model.outputs[counted.output].name + " says";
  return text;
}

nlohmann::ordered_json json_of(const Model& model, const ModelOutput& output) {
  nlohmann::ordered_json json{{"name", output.name}, {"dims", output.dims}};
  for (const ModelOutput::Counted& counted : output.counted)
    json["counted"].push_back({{"dim", counted.dim}, {"by", model.outputs[counted.output].name}});
  return json;
}

std::string row_of(size_t index, const LayerFacts& layer) {
  char row[256];
  std::snprintf(row, sizeof row, "%4zu  %-36.36s %-22s %14s %10s %10s%s\n", index,
                layer.name.c_str(), layer.op.c_str(), to_string(layer.output).c_str(),
                with_unit(static_cast<double>(layer.macs)).c_str(),
                with_unit(static_cast<double>(layer.parameters)).c_str(),
                layer.whole_map ? "  whole map" : "");
  return row;
}

}  // namespace

std::string with_unit(double value) {
  static constexpr std::array units{"", " k", " M", " G", " T"};
  size_t unit = 0;
  for (; value >= 1000.0 && unit + 1 < units.size(); ++unit) value /= 1000.0;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f%s" : "%.1f%s", value, units[unit]);
  return text;
}

int64_t peak_map_bytes(const Model& model) {
  std::vector<size_t> last_use(model.tensors.size(), 0);
  for (size_t i = 0; i < model.layers.size(); ++i)
    for (const TensorId input : model.layers[i].inputs) last_use[input.value] = i;
  for (const ModelOutput& output : model.outputs) last_use[output.tensor.value] = SIZE_MAX;
  int64_t alive = 0;
  for (const TensorId input : model.inputs) alive += bytes_of(model.at(input));
  int64_t peak = alive;
  for (size_t i = 0; i < model.layers.size(); ++i) {
    alive += bytes_of(model.at(model.layers[i].output));
    peak = std::max(peak, alive);
    const std::vector<TensorId>& inputs = model.layers[i].inputs;
    for (const TensorId input : std::set<TensorId>(inputs.begin(), inputs.end()))
      if (last_use[input.value] == i && !model.at(input).constant)
        alive -= bytes_of(model.at(input));
  }
  return peak;
}

ModelFacts facts_of(const Model& model) {
  ModelFacts facts;
  for (uint32_t i = 0; i < model.layers.size(); ++i) {
    facts.layers.push_back(facts_of(model, LayerId{i}));
    if (facts.layers.back().whole_map) facts.whole_map_macs += facts.layers.back().macs;
  }
  facts.macs = total_macs(model);
  facts.parameters = parameters(model);
  facts.peak_bytes = peak_map_bytes(model);
  return facts;
}

std::string table_of(const Model& model, const ModelFacts& facts) {
  char head[256];
  std::snprintf(head, sizeof head, "%4s  %-36s %-22s %14s %10s %10s\n", "", "layer", "operator",
                "output", "MACs", "weights");
  std::string text = head;
  for (size_t i = 0; i < facts.layers.size(); ++i) text += row_of(i, facts.layers[i]);
  text += "\n";
  for (const TensorId id : model.inputs)
    text += "input   " + model.at(id).name + "  " + to_string(model.at(id).shape) + "\n";
  for (const ModelOutput& output : model.outputs)
    text += "output  " + output.name + "  " + dims_of(output) + counts_of(model, output) + "\n";
  text += "total   " + std::to_string(facts.layers.size()) + " layers, " +
          with_unit(static_cast<double>(facts.macs)) + " MACs, " +
          with_unit(static_cast<double>(facts.parameters)) + " weights (" +
          with_unit(static_cast<double>(bytes_of_floats(facts.parameters))) +
          "B), feature maps at most " + with_unit(static_cast<double>(facts.peak_bytes)) +
          "B at once on one machine\n";
  return text + "sha256  " + to_string(model.hash) + "\n";
}

std::string json_of(const Model& model, const ModelFacts& facts) {
  using Json = nlohmann::ordered_json;
  const auto shape = [](Shape value) { return Json::array({value.h, value.w, value.c}); };
  Json json{{"sha256", to_string(model.hash)}};
  json["inputs"] = Json::array();
  for (const TensorId id : model.inputs)
    json["inputs"].push_back({{"name", model.at(id).name}, {"shape", shape(model.at(id).shape)}});
  json["outputs"] = Json::array();
  for (const ModelOutput& output : model.outputs) json["outputs"].push_back(json_of(model, output));
  json["layers"] = Json::array();
  for (const LayerFacts& layer : facts.layers)
    json["layers"].push_back({{"name", layer.name},
                              {"operator", layer.op},
                              {"output", shape(layer.output)},
                              {"macs", layer.macs},
                              {"parameters", layer.parameters},
                              {"whole_map", layer.whole_map}});
  json["macs"] = facts.macs;
  json["parameters"] = facts.parameters;
  json["peak_bytes"] = facts.peak_bytes;
  json["whole_map_macs"] = facts.whole_map_macs;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace shingle
