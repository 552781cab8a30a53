// make-network NAME OUT [--size N] [--seed S]: writes a seeded network as an ONNX file, or as
// Darknet's two files if OUT ends in .cfg. With --opset N the network is one of those that
// exporters write (tests/networks/exported); --stored float16 rounds its weights, and --stored
// float16-twin stores the rounded ones as float32. Exit codes: 0 success, 1 cannot write, 2 usage.
#include <charconv>
#include <cstring>
#include <fstream>
#include <iostream>

#include "partition/readers/darknet.hpp"
#include "partition/readers/onnx.hpp"
#include "tests/networks/darknet.hpp"
#include "tests/networks/exported/exported.hpp"
#include "tests/networks/float_types.hpp"
#include "tests/networks/networks.hpp"

namespace {

using namespace shingle;

struct Options {
  std::string_view name;
  std::string out;
  int32_t size = 0;
  uint64_t seed = 1;
  int64_t opset = 0;  // 0: not one that exporters write
  std::string_view stored = "float32";
};

int usage() {
  std::cerr
      << "usage: make-network NAME OUT.onnx|OUT.cfg [--size N] [--seed S] [--opset N [--stored "
         "float32|float16|float16-twin]]\nas .onnx:";
  for (const std::string& name : networks::names()) std::cerr << ' ' << name;
  std::cerr << "\nas .onnx, with --opset:";
  for (const auto& network : networks::exported_names()) std::cerr << ' ' << network.name;
  std::cerr << "\nas .cfg (and .weights):";
  for (const std::string& name : networks::darknet_names()) std::cerr << ' ' << name;
  std::cerr << '\n';
  return 2;
}

template <class T>
bool parse(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

bool write(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    std::cerr << "make-network: cannot write '" << path << "': " << std::strerror(errno) << '\n';
  }
  return static_cast<bool>(file);
}

int conclude(const std::string& out, const Model& model) {
  std::cout << out << ": " << model.layers.size() << " layers, " << parameters(model)
            << " parameters, " << static_cast<double>(2 * total_macs(model)) * 1e-9 << " GFLOP\n";
  return 0;
}

int refuse(const std::string& why) {
  std::cerr << "make-network: " << why << '\n';
  return usage();
}

int make_onnx(const Options& options) {
  const Result<Model> model = networks::make(options.name, options.size, options.seed);
  if (!model) return refuse(model.error());
  return write(options.out, networks::to_onnx(*model)) ? conclude(options.out, *model) : 1;
}

int make_exported(const Options& options) {
  const auto network = networks::exported(
      options.name, {.opset = options.opset, .size = options.size, .seed = options.seed});
  if (!network) return refuse(network.error());
  std::string file = network->file;
  if (options.stored != "float32") file = networks::stored_as(file, networks::FloatType::f16);
  if (options.stored == "float16-twin") file = networks::twin(file);
  if (!write(options.out, file)) return 1;
  const Result<Model> model = read_onnx(std::as_bytes(std::span(file)));
  if (model) return conclude(options.out, *model);
  std::cout << options.out << ": written, and not read yet: " << model.error() << '\n';
  return 0;
}

int make_darknet(const Options& options) {
  const auto files = networks::make_darknet(options.name, options.size, options.seed);
  if (!files) return refuse(files.error());
  const std::string weights = options.out.substr(0, options.out.size() - 4) + ".weights";
  if (!write(options.out, files->cfg) || !write(weights, files->weights)) return 1;
  const auto read = read_darknet(files->cfg, std::as_bytes(std::span(files->weights)));
  return conclude(options.out, read.value().model);
}

bool set(std::string_view option, std::string_view value, Options& options) {
  if (option == "--size") return parse(value, options.size);
  if (option == "--seed") return parse(value, options.seed);
  if (option == "--opset") return parse(value, options.opset);
  if (option != "--stored") return false;
  options.stored = value;
  return value == "float32" || value == "float16" || value == "float16-twin";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc % 2 == 0) return usage();
  Options options{.name = argv[1], .out = argv[2]};
  for (int i = 3; i < argc; i += 2) {
    const std::string_view option = argv[i], value = argv[i + 1];
    if (!set(option, value, options)) return usage();
  }
  if (options.opset > 0) return make_exported(options);
  if (options.stored != "float32") return usage();  // only exported networks are stored otherwise
  return options.out.ends_with(".cfg") ? make_darknet(options) : make_onnx(options);
}
