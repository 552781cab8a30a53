// make-network NAME OUT [--size N] [--seed S]: writes a seeded network as an ONNX file, or as
// Darknet's two files if OUT ends in .cfg. Exit codes: 0 success, 1 cannot write, 2 usage.
#include <charconv>
#include <cstring>
#include <fstream>
#include <iostream>

#include "partition/readers/darknet.hpp"
#include "tests/networks/darknet.hpp"
#include "tests/networks/networks.hpp"

namespace {

using namespace shingle;

struct Options {
  std::string_view name;
  std::string out;
  int32_t size = 0;
  uint64_t seed = 1;
};

int usage() {
  std::cerr << "usage: make-network NAME OUT.onnx|OUT.cfg [--size N] [--seed S]\nas .onnx:";
  for (const std::string& name : networks::names()) std::cerr << ' ' << name;
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

int make_darknet(const Options& options) {
  const auto files = networks::make_darknet(options.name, options.size, options.seed);
  if (!files) return refuse(files.error());
  const std::string weights = options.out.substr(0, options.out.size() - 4) + ".weights";
  if (!write(options.out, files->cfg) || !write(weights, files->weights)) return 1;
  const auto read = read_darknet(files->cfg, std::as_bytes(std::span(files->weights)));
  return conclude(options.out, read.value().model);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc % 2 == 0) return usage();
  Options options{.name = argv[1], .out = argv[2]};
  for (int i = 3; i < argc; i += 2) {
    const std::string_view option = argv[i], value = argv[i + 1];
    const bool good = option == "--size"   ? parse(value, options.size)
                      : option == "--seed" ? parse(value, options.seed)
                                           : false;
    if (!good) return usage();
  }
  return options.out.ends_with(".cfg") ? make_darknet(options) : make_onnx(options);
}
