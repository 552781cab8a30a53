// make-network NAME OUT.onnx [--size N] [--seed S]: writes a seeded network as an ONNX file.
// Exit codes: 0, 1 cannot write, 2 usage.
#include <charconv>
#include <cstring>
#include <fstream>
#include <iostream>

#include "tests/networks/networks.hpp"

namespace {

using namespace shingle;

int usage() {
  std::cerr << "usage: make-network NAME OUT.onnx [--size N] [--seed S]\nnetworks:";
  for (const std::string& name : networks::names()) std::cerr << ' ' << name;
  std::cerr << '\n';
  return 2;
}

template <class T>
bool parse(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc % 2 == 0) return usage();
  int32_t size = 0;
  uint64_t seed = 1;
  for (int i = 3; i < argc; i += 2) {
    const std::string_view option = argv[i], value = argv[i + 1];
    const bool good = option == "--size"   ? parse(value, size)
                      : option == "--seed" ? parse(value, seed)
                                           : false;
    if (!good) return usage();
  }
  const Result<Model> model = networks::make(argv[1], size, seed);
  if (!model) {
    std::cerr << "make-network: " << model.error() << '\n';
    return usage();
  }
  const std::string bytes = networks::to_onnx(*model);
  std::ofstream file(argv[2], std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    std::cerr << "make-network: cannot write '" << argv[2] << "': " << std::strerror(errno) << '\n';
    return 1;
  }
  std::cout << argv[2] << ": " << model->layers.size() << " layers, " << parameters(*model)
            << " parameters, " << static_cast<double>(2 * total_macs(*model)) * 1e-9 << " GFLOP\n";
  return 0;
}
