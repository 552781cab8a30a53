#include "tests/conformance/case.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "partition/readers/onnx/refusal.hpp"
#include "tests/conformance/rewrite.hpp"

namespace shingle::conformance {

namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<float> floats_of(const onnx::TensorProto& tensor) {
  if (tensor.data_type != static_cast<int32_t>(onnx::DataType::f32)) return {};
  if (!tensor.raw) return tensor.floats;
  std::vector<float> values(tensor.raw->size() / sizeof(float));
  if (!values.empty()) {
    std::memcpy(values.data(), tensor.raw->data(), values.size() * sizeof(float));
  }
  return values;
}

TestTensor read_tensor(const fs::path& path) {
  TestTensor tensor{.encoded = contents(path), .type = 0, .dims = {}, .floats = {}};
  const std::string wrapped = file_of_one_tensor(tensor.encoded);
  const Result<onnx::File> file = decoded(wrapped);
  if (!file || file->graph.initializers.empty()) return tensor;  // the file holds a sequence
  const onnx::TensorProto& proto = file->graph.initializers.front();
  tensor.type = proto.data_type;
  tensor.dims = proto.dims;
  tensor.floats = floats_of(proto);
  return tensor;
}

std::vector<TestTensor> read_tensors(const fs::path& set, const std::string& stem) {
  std::vector<TestTensor> tensors;
  for (size_t i = 0;; ++i) {
    const fs::path path = set / (stem + "_" + std::to_string(i) + ".pb");
    if (!fs::exists(path)) return tensors;
    tensors.push_back(read_tensor(path));
  }
}

}  // namespace

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code absent;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, absent)) {
    if (fs::exists(entry.path() / "model.onnx")) names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Case read_case(const fs::path& data, const std::string& folder, const std::string& name) {
  const fs::path path = data / folder / name;
  Case test{.folder = folder, .name = name, .bytes = contents(path / "model.onnx"), .sets = {}};
  for (size_t i = 0;; ++i) {
    const fs::path set = path / ("test_data_set_" + std::to_string(i));
    if (!fs::exists(set)) return test;
    test.sets.push_back(
        {.inputs = read_tensors(set, "input"), .outputs = read_tensors(set, "output")});
  }
}

Result<onnx::File> decoded(const std::string& bytes) {
  try {
    return onnx::decode(std::as_bytes(std::span(bytes)), OnnxLimits{});
  } catch (const onnx::Refusal& refusal) {
    return Error{refusal.sentence};
  } catch (const std::exception& exception) {
    return Error{exception.what()};
  }
}

}  // namespace shingle::conformance
