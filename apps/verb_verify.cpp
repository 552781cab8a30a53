// shingle verify: every layer on two executors, and where they part.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "apps/exit.hpp"
#include "apps/model_file.hpp"
#include "apps/print.hpp"
#include "apps/session.hpp"
#include "apps/verbs.hpp"
#include "devices/layer_check.hpp"

namespace shingle {
namespace {

using Json = nlohmann::ordered_json;

// "native", or "native-direct": without Winograd.
struct Side {
  std::string name;
  std::unique_ptr<Executor> executor;
  WinogradUse winograd = WinogradUse::where_faster;

  CheckedSide checked() const { return {*executor, winograd}; }
};

Result<Side> side_of(const std::string& name, uint32_t threads) {
  constexpr std::string_view direct = "-direct";
  const bool without = name.ends_with(direct);
  auto executor =
      make_executor(without ? name.substr(0, name.size() - direct.size()) : name, threads);
  if (!executor) return Error{executor.error()};
  return Side{name, std::move(*executor), without ? WinogradUse::never : WinogradUse::where_faster};
}

// Bytes for u8, floats in [-1, 1) for f32: the same for a seed on every machine.
std::vector<std::byte> seeded_input(const Tensor& tensor, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(
      static_cast<size_t>(tensor.shape.elements() * bytes_of(tensor.type)));
  if (tensor.type == ElementType::u8) {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() >> 56);
    return bytes;
  }
  for (size_t i = 0; i < bytes.size(); i += sizeof(float)) {
    const float value =
        static_cast<float>(static_cast<int64_t>(random() >> 40) - (1 << 23)) * (1.0F / (1 << 23));
    std::memcpy(bytes.data() + i, &value, sizeof value);
  }
  return bytes;
}

struct Verdict {
  const Model& model;
  const std::vector<LayerDifference>& layers;
  double tolerance;

  template <class Condition>
  const LayerDifference* first(const Condition& condition) const {
    const auto found = std::find_if(layers.begin(), layers.end(), condition);
    return found == layers.end() ? nullptr : &*found;
  }
  const LayerDifference* other_bits() const {
    return first([](const LayerDifference& l) { return l.difference.differing() > 0; });
  }
  const LayerDifference* departs() const {
    return first([&](const LayerDifference& l) { return !(l.difference.rms <= tolerance); });
  }
  std::string name(const LayerDifference* layer) const { return model.at(layer->layer).name; }
};

std::string json_of(const Verdict& verdict, const VerifyOptions& options) {
  const auto named = [&](const LayerDifference* layer) {
    return layer == nullptr ? Json(nullptr) : Json(verdict.name(layer));
  };
  Json json{{"of", options.of}, {"against", options.against}, {"tolerance", options.tolerance}};
  json["layers"] = Json::array();
  for (const LayerDifference& layer : verdict.layers) {
    const Difference& d = layer.difference;
    json["layers"].push_back({{"name", verdict.name(&layer)},
                              {"operator", name_of(verdict.model.at(layer.layer).op)},
                              {"values", d.values},
                              {"differing", d.differing()},
                              {"max", d.largest},
                              {"rms", d.rms},
                              {"ulps", d.ulps}});
  }
  json["first_other_bits"] = named(verdict.other_bits());
  json["first_that_departs"] = named(verdict.departs());
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string table_of(const Verdict& verdict, const VerifyOptions& options) {
  std::array<char, 256> line{};
  std::string text =
      "layer                        operator        largest      rms   share of values by ulps "
      "apart\n" +
      std::string(59, ' ') + "     0     1   2-3  4-15  -255  more\n";
  for (const LayerDifference& layer : verdict.layers) {
    const Difference& d = layer.difference;
    std::snprintf(line.data(), line.size(), "%-28.28s %-14s %8.1e %8.1e",
                  verdict.name(&layer).c_str(), name_of(verdict.model.at(layer.layer).op),
                  d.largest, d.rms);
    text += line.data();
    for (const int64_t count : d.ulps) {
      std::snprintf(
          line.data(), line.size(), " %5.3f",
          static_cast<double>(count) / static_cast<double>(std::max<int64_t>(d.values, 1)));
      text += line.data();
    }
    text += '\n';
  }
  const LayerDifference *bits = verdict.other_bits(), *departs = verdict.departs();
  text += bits == nullptr ? options.of + " and " + options.against + " give the same bits\n"
                          : "first layer with other bits: " + verdict.name(bits) + "\n";
  std::snprintf(line.data(), line.size(), " by more than %g\n", options.tolerance);
  text += departs == nullptr ? "no layer departs" + std::string(line.data())
                             : "first layer that departs: " + verdict.name(departs) + line.data();
  return text;
}

}  // namespace

void describe(CLI::App& verb, VerifyOptions& options) {
  describe_model(verb, options.model, options.weights);
  verb.add_option("--of", options.of,
                  "native, xnnpack or reference, each also as NAME-direct (native)")
      ->type_name("NAME");
  verb.add_option("--against", options.against, "the other one (reference)")->type_name("NAME");
  verb.add_option("--threads", options.threads, "threads (1)")
      ->type_name("N")
      ->check(CLI::Range(1, 256));
  verb.add_option("--seed", options.seed, "of the frame's values (1)")->type_name("N");
  verb.add_option("--tolerance", options.tolerance,
                  "a layer departs beyond this rms of differences, relative to its values (1e-5)")
      ->type_name("RMS")
      ->check(CLI::NonNegativeNumber);
  verb.add_flag("--json", options.json, "one JSON object on stdout");
  verb.footer(
      "\nExamples:\n"
      "  shingle verify yolox_nano.onnx\n"
      "  shingle verify yolox_nano.onnx --of native --against xnnpack --tolerance 0\n"
      "  shingle verify yolox_nano.onnx --of native --against native-direct --json");
}

int run_verb(const VerifyOptions& options) {
  const auto file = open_model({options.model, options.weights});
  if (!file) return fail(Exit::bad_input, file.error());
  const Model& model = file->model;
  const auto of = side_of(options.of, options.threads);
  if (!of) return fail(Exit::usage, of.error());
  const auto against = side_of(options.against, options.threads);
  if (!against) return fail(Exit::usage, against.error());
  const std::vector<std::byte> input = seeded_input(model.at(model.inputs[0]), options.seed);
  const auto layers = check_layers(model, input, of->checked(), against->checked());
  if (!layers) return fail(Exit::runtime, layers.error());
  const Verdict verdict{model, *layers, options.tolerance};
  const int printed = print(options.json ? json_of(verdict, options) : table_of(verdict, options));
  if (printed != static_cast<int>(Exit::ok)) return printed;
  return static_cast<int>(verdict.departs() == nullptr ? Exit::ok : Exit::runtime);
}

}  // namespace shingle
