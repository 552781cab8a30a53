// The entry point of the Darknet reader: translates the sections one by one to layers of a Model.
#include "partition/readers/darknet.hpp"

#include <new>

#include "partition/base/text.hpp"
#include "partition/model/prune.hpp"
#include "partition/model/shape.hpp"
#include "partition/readers/darknet/layer.hpp"

namespace shingle {

namespace {

using namespace darknet;

// Sections that only matter in training: they pass their input on.
std::optional<TensorId> passed_on(LayerBuilder& layer) { return layer.input(); }

struct Translation {
  std::string_view kind;
  std::optional<TensorId> (*translate)(LayerBuilder&);
};

constexpr Translation translations[] = {
    {"convolutional", convolutional},
    {"conv", convolutional},
    {"connected", connected},
    {"conn", connected},
    {"maxpool", maxpool},
    {"max", maxpool},
    {"avgpool", avgpool},
    {"avg", avgpool},
    {"softmax", softmax},
    {"soft", softmax},
    {"dropout", passed_on},
    {"cost", passed_on},
    {"upsample", upsample},
    {"route", route},
    {"shortcut", shortcut},
    {"scale_channels", scale_channels},
    {"sam", sam},
    {"reorg", reorg},
    {"reorg3d", reorg3d},
    {"region", region},
    {"yolo", yolo},
};

Result<Shape> input_of(const CfgSection& cfg) {
  Section section(cfg, -1);
  if (cfg.kind != "net" && cfg.kind != "network") {
    section.refuse("a .cfg begins with [net], which says the input's width, height and channels");
  }
  for (const char* key : {"width", "height"}) {
    if (!section.has(key)) section.refuse(in_quotes(key) + " is missing; say the input's size");
  }
  const Range sizes{1, 1 << 20};
  const Shape shape{.h = section.integer("height", 1, sizes),
                    .w = section.integer("width", 1, sizes),
                    .c = section.integer("channels", 3, sizes)};
  if (!within_limits(shape)) section.refuse("an input of " + to_string(shape) + " is too large");
  if (!section.sound()) return Error{section.wrong()};
  return shape;
}

Status translate(Network& network, const CfgSection& cfg, const DarknetLimits& limits) {
  Section section(cfg, static_cast<int32_t>(network.maps.size()));
  LayerBuilder layer(network, section);
  for (const Translation& known : translations) {
    if (known.kind != cfg.kind) continue;
    network.maps.push_back(known.translate(layer));
    if (network.model.layers.size() > limits.max_layers) {
      section.refuse("the network comes to more than " + std::to_string(limits.max_layers) +
                     " layers here; shingle reads no larger one");
    }
    return section.sound() ? success() : Error{section.wrong()};
  }
  section.refuse(
      "shingle does not read this kind of section; docs/use/darknet.md lists those that it reads");
  return Error{section.wrong()};
}

// The output of a cfg without detections is the output of its last layer.
Status settle_output(Network& network, const CfgSection& last) {
  if (!network.model.outputs.empty()) return success();
  const std::optional<TensorId> map = network.maps.empty() ? std::nullopt : network.maps.back();
  if (!map || network.model.layers.empty() || *map == network.model.inputs[0]) {
    return Error{"line " + std::to_string(last.line) +
                 " begins the last section, and no layer computes anything; was the file cut off?"};
  }
  add_output(network.model, std::string(last.kind) + "_" + std::to_string(network.maps.size() - 1),
             *map);
  return success();
}

Result<DarknetModel> read(std::string_view cfg, std::span<const std::byte> bytes,
                          const DarknetLimits& limits, const DarknetPart* part) {
  const auto sections = parse_cfg(cfg, limits);
  if (!sections) return sections.failure();
  if (sections->empty()) return Error{"the .cfg holds no section; it should begin with [net]"};
  const Result<Shape> input = input_of(sections->front());
  if (!input) return input.failure();
  Result<Weights> weights = Weights::open(bytes);
  if (!weights) return weights.failure();
  Network network{
      .model = {}, .detections = {}, .maps = {}, .weights = *weights, .part = part, .foldings = {}};
  add_input(network.model, "data", *input);
  for (size_t i = 1; i < sections->size(); ++i) {
    const Status done = translate(network, (*sections)[i], limits);
    if (!done) return done.failure();
  }
  const Status output = settle_output(network, sections->back());
  if (!output) return output.failure();
  const Status settled = network.weights.settle();
  if (!settled) return settled.failure();
  prune(network.model);
  network.model.hash = part != nullptr ? part->name : darknet_hash(cfg, bytes);
  const std::vector<std::string> wrong = defects(network.model);
  if (!wrong.empty()) return Error{"the .cfg makes no sound model: " + wrong.front()};
  return DarknetModel{.model = std::move(network.model),
                      .detections = std::move(network.detections),
                      .foldings = std::move(network.foldings)};
}

}  // namespace

Result<DarknetModel> read_darknet(std::string_view cfg, std::span<const std::byte> weights,
                                  const DarknetLimits& limits, const DarknetPart* part) {
  try {
    return as_bad_input(read(cfg, weights, limits, part));
  } catch (const std::bad_alloc&) {
    return bad_input("the .cfg asks for more memory than there is");
  }
}

ModelHash darknet_hash(std::string_view cfg, std::span<const std::byte> weights) {
  return darknet_hash(sha256(cfg), sha256(weights));
}

ModelHash darknet_hash(const Hash& cfg, const Hash& weights) {
  return sha256("darknet " + to_string(cfg) + " " + to_string(weights));
}

}  // namespace shingle
