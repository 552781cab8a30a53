// `shingle model check`: how layers are cut and computed, what is said of it, and what is advised.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/shingle/check_report.hpp"
#include "apps/shingle/export_advice.hpp"
#include "tests/apps/verbs.hpp"
#include "tests/networks/onnx_graph.hpp"

using namespace shingle;
using networks::OnnxGraph;
using Json = nlohmann::json;

namespace {

constexpr Window three{.kernel = 3, .stride = 1, .dilation = 1, .pad_begin = 1, .pad_end = 1};

TensorId convolution(Model& model, const std::string& name, TensorId input, Window window,
                     int32_t outputs, int32_t groups = 1) {
  const int64_t weights =
      int64_t{outputs} * (model.at(input).shape.c / groups) * window.kernel * window.kernel;
  const ConstantId values =
      add_constant(model, std::vector<float>(static_cast<size_t>(weights), 0.5F));
  return add_layer(
      model, name,
      Convolution{.y = window, .x = window, .groups = groups, .weights = values, .bias = {}},
      {input});
}

// A map that is doubled by transposed convolutions, and a branch through one pixel.
Model some_of_everything() {
  Model model;
  const TensorId input = add_input(model, "in", {16, 16, 32});
  const TensorId narrow = convolution(model, "narrow", input, three, 32, 8);
  const TensorId depth = convolution(model, "depth", narrow, three, 32, 32);
  const TensorId pool = add_layer(model, "pool", Reduction{.y = true, .x = true}, {depth});
  const TensorId pixel = convolution(model, "pixel", pool, {}, 32);
  const TensorId scaled = add_layer(model, "scale", Binary{Binary::Kind::mul}, {depth, pixel});
  const Window twice{.kernel = 2, .stride = 2, .dilation = 1, .pad_begin = 0, .pad_end = 0};
  const ConstantId up = add_constant(model, std::vector<float>(32 * 8 * 4, 0.5F));
  const auto doubled = [&](const char* name, TensorId from, int32_t groups, Shape out) {
    const TransposedConvolution op{
        .y = twice, .x = twice, .groups = groups, .weights = up, .bias = {}};
    return add_layer(model, name, op, {from}, {}, out);
  };
  const TensorId grown = doubled("up", scaled, 1, {32, 32, 8});
  const TensorId large = doubled("grouped up", grown, 2, {64, 64, 64});
  const TensorId last = add_layer(model, "softmax", Softmax{.axis = Axis::x}, {large});
  add_output(model, "out", last);
  return model;
}

const CheckedLayer& layer(const ModelCheck& check, const std::string& name) {
  const auto found = std::find_if(check.layers.begin(), check.layers.end(),
                                  [&](const CheckedLayer& each) { return each.name == name; });
  REQUIRE(found != check.layers.end());
  return *found;
}

// A file whose nodes are not read.
std::string unread_in(const ScratchFolder& folder) {
  OnnxGraph graph;
  graph.input("in", {1, 4, 6, 6}, ElementType::f32);
  std::string value = graph.node("QuantizeLinear", {"in"});
  value = graph.node("com.microsoft::FusedConv", {value});
  graph.output(graph.node("QuantizeLinear", {value}), {});
  return folder.with_text("unread.onnx", graph.file());
}

bool advises(const std::vector<std::string>& advice, const std::string& part) {
  return std::any_of(advice.begin(), advice.end(),
                     [&](const std::string& sentence) { return has(sentence, part); });
}

}  // namespace

TEST_CASE("the check says of each layer how it is cut, what computes it, and why that is slow") {
  const Model model = some_of_everything();
  REQUIRE(defects(model).empty());
  const ModelCheck check = check_of(model);
  REQUIRE(check.layers.size() == model.layers.size());
  CHECK(layer(check, "narrow").op == "grouped Convolution 3x3");
  CHECK(layer(check, "narrow").kernel == KernelKind::xnnpack);
  CHECK(has(layer(check, "narrow").why_slow, "4 output channels"));
  CHECK(layer(check, "depth").op == "depthwise Convolution 3x3");
  CHECK(layer(check, "depth").kernel == KernelKind::depthwise);
  CHECK(layer(check, "depth").cut == MapKind::map);
  CHECK(layer(check, "depth").why_slow.empty());
  CHECK(layer(check, "pool").cut == MapKind::whole);
  CHECK(has(layer(check, "pool").why_whole, "reduces all of the map"));
  CHECK(layer(check, "pixel").why_whole == "its map is one pixel");
  CHECK(layer(check, "scale").cut == MapKind::map);
  CHECK(layer(check, "up").kernel == KernelKind::direct);
  CHECK(layer(check, "up").why_slow.empty());
  CHECK(layer(check, "grouped up").kernel == KernelKind::plain);
  CHECK(has(layer(check, "grouped up").why_slow, "no fast kernel"));
  CHECK(has(layer(check, "softmax").why_whole, "softmax over the map's width"));
  CHECK(check.gathers == 1);  // the softmax comes last
  CHECK(check.macs == total_macs(model));
  CHECK(check.macs - check.distributed_macs == 32 * 32);  // "pixel"
}

TEST_CASE("a product of two values is computed by a kernel of its own, and is not slow") {
  Model model;
  const TensorId rows = add_input(model, "rows", {4, 4, 6});
  const TensorId columns = add_input(model, "columns", {2, 3, 8});  // one pixel for each of the 6
  add_output(model, "out", add_layer(model, "both", MatrixProduct{.stack = 1}, {rows, columns}));
  REQUIRE(defects(model).empty());
  const ModelCheck check = check_of(model);
  CHECK(layer(check, "both").kernel == KernelKind::product);
  CHECK(layer(check, "both").why_slow.empty());
}

TEST_CASE("groups hold every layer once, the most work first") {
  const ModelCheck check = check_of(some_of_everything());
  int64_t layers = 0, macs = 0, before = check.macs;
  for (const LayerGroup& group : by_work(check)) {
    layers += group.layers;
    macs += group.macs;
    CHECK(group.macs <= before);
    before = group.macs;
  }
  CHECK(layers == std::ssize(check.layers));
  CHECK(macs == check.macs);
}

TEST_CASE("the table and the object of a model that runs say the same") {
  const ScratchFolder folder;
  const std::string model = model_in(folder);
  Program table({"model", "check", model});
  REQUIRE(table.end() == "exit code 0");
  CHECK(has(table.out(), "runs: yes\nhead: "));
  CHECK(has(table.out(), "can be distributed: "));
  Program object({"model", "check", model, "--layers", "--json"});
  REQUIRE(object.end() == "exit code 0");
  const Json json = Json::parse(object.out());
  CHECK(json["runs"] == true);
  int64_t macs = 0;
  for (const Json& group : json["groups"]) {
    macs += group["macs"].get<int64_t>();
    CHECK(has(table.out(), group["operator"].get<std::string>()));
  }
  CHECK(json["macs"] == macs);
  Program listed({"model", "check", model, "--layers"});
  REQUIRE(listed.end() == "exit code 0");
  CHECK(listed.out_lines().size() ==
        table.out_lines().size() + json["layers"].size() - json["groups"].size());
}

TEST_CASE("a file that is refused for its operators lists them all, with advice") {
  const ScratchFolder folder;
  const std::string file = unread_in(folder);
  Program text({"model", "check", file});
  CHECK(text.end() == "exit code 3");
  CHECK(has(text.out(), "runs: no\n"));
  CHECK(has(text.out(), "com.microsoft.FusedConv"));
  CHECK(text.err_lines() == 1);
  CHECK(has(text.err(), "uses 2 operators that shingle does not support: QuantizeLinear (2 nodes"));
  Program object({"model", "check", file, "--json"});
  CHECK(object.end() == "exit code 3");
  const Json json = Json::parse(object.out());
  CHECK(json["runs"] == false);
  CHECK(has(object.err(), json["reason"].get<std::string>()));
  const Json expected = {
      {{"operator", "QuantizeLinear"}, {"nodes", 2}, {"first", "QuantizeLinear_1"}},
      {{"operator", "com.microsoft.FusedConv"}, {"nodes", 1}, {"first", "FusedConv_3"}}};
  CHECK(json["unread"] == expected);
  REQUIRE(json["advice"].size() == 2);
  CHECK(has(json["advice"][0], "before quantisation"));
  CHECK(has(json["advice"][1], "ONNX Runtime's optimiser"));
}

TEST_CASE("advice follows from what the file is") {
  CHECK(advice_for({}, {.opset = onnx_opsets().newest, .producer = {}}).empty());
  CHECK(advises(advice_for({}, {.opset = onnx_opsets().newest + 1, .producer = {}}),
                "opset_version=" + std::to_string(onnx_opsets().newest)));
  const OnnxUnread suppression{.op = "TRT.EfficientNMS_TRT", .nodes = 1, .first = "n"};
  CHECK(advises(advice_for({suppression}, {}), "without suppression"));

  Model model = some_of_everything();
  const ModelCheck check = check_of(model);
  const Reading reading;
  const auto advice = [&](const std::vector<OnnxInput>& inputs) {
    return advice_for(model, reading, check, inputs);
  };
  CHECK(advises(advice({}), "Transposed convolutions in groups"));
  CHECK(advises(advice({}), "many narrow groups are slow"));
  CHECK_FALSE(advises(advice({}), "fixed sizes"));
  const OnnxInput last{.name = "image", .dims = {{1, {}}, {224, {}}, {224, {}}, {3, {}}}};
  const OnnxInput first{.name = "image", .dims = {{1, {}}, {3, {}}, {224, {}}, {224, {}}}};
  CHECK(advises(advice({last}), "--inputs-as-nchw image): it is 1x224x224x3"));
  Model as_picture;  // the network brings it to channels first
  add_input(as_picture, "image", {224, 224, 3});
  CHECK_FALSE(advises(advice_for(as_picture, reading, check, {last}), "NCHW"));
  CHECK_FALSE(advises(advice({first}), "NCHW"));
  take_sizes(model, {{1, 32, 16, 16}});
  CHECK(advises(advice({}), "Export with fixed sizes"));
}
