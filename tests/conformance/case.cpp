#include "tests/conformance/case.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "partition/readers/onnx/refusal.hpp"
#include "tests/conformance/rewrite.hpp"
#include "tests/conformance/rule.hpp"

namespace shingle::conformance {

namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class T>
std::vector<float> raw_floats(std::string_view raw) {
  std::vector<float> values;
  for (size_t at = 0; at + sizeof(T) <= raw.size(); at += sizeof(T)) {
    T value{};
    std::memcpy(&value, raw.data() + at, sizeof(T));
    values.push_back(static_cast<float>(value));
  }
  return values;
}

float of_bits(uint32_t bits) { return std::bit_cast<float>(bits); }

// Of sign, exponent and fraction of an IEEE half.
float half(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const auto fraction = static_cast<float>(bits & 1023) / 1024.0F;
  const float size = exponent == 0    ? std::ldexp(fraction, -14)
                     : exponent == 31 ? (fraction == 0.0F ? HUGE_VALF : NAN)
                                      : std::ldexp(1.0F + fraction, exponent - 15);
  return (bits & 0x8000) != 0 ? -size : size;
}

std::vector<float> sixteen_bits(const onnx::TensorProto& tensor, bool brain) {
  std::vector<int64_t> bits = tensor.integers;
  for (size_t at = 0; tensor.raw && at + 2 <= tensor.raw->size(); at += 2) {
    uint16_t one = 0;
    std::memcpy(&one, tensor.raw->data() + at, 2);
    bits.push_back(one);
  }
  std::vector<float> values;
  for (const int64_t each : bits) {
    const auto one = static_cast<uint16_t>(each);
    values.push_back(brain ? of_bits(uint32_t{one} << 16) : half(one));
  }
  return values;
}

template <class T, class Listed>
std::vector<float> numbers_of(const onnx::TensorProto& tensor, const std::vector<Listed>& listed) {
  if (tensor.raw) return raw_floats<T>(*tensor.raw);
  std::vector<float> values;
  for (const Listed value : listed) values.push_back(static_cast<float>(value));
  return values;
}

std::vector<float> floats_of(const onnx::TensorProto& tensor) {
  switch (tensor.data_type) {
    case type_float:
      return numbers_of<float>(tensor, tensor.floats);
    case type_double:
      return numbers_of<double>(tensor, tensor.doubles);
    case type_int32:
      return numbers_of<int32_t>(tensor, tensor.integers);
    case type_int64:
      return numbers_of<int64_t>(tensor, tensor.integers);
    case type_bool:
      return numbers_of<uint8_t>(tensor, tensor.integers);
    case type_half:
    case type_bfloat16:
      return sixteen_bits(tensor, tensor.data_type == type_bfloat16);
    default:
      return {};
  }
}

TestTensor tensor_of(std::string encoded) {
  TestTensor tensor{.encoded = std::move(encoded), .type = 0, .dims = {}, .floats = {}};
  const std::string wrapped = file_of_one_tensor(tensor.encoded);
  const Result<onnx::File> file = decoded(wrapped);
  if (!file || file->graph.initializers.empty()) return tensor;  // the file holds a sequence
  const onnx::TensorProto& proto = file->graph.initializers.front();
  tensor.type = proto.data_type;
  tensor.dims = proto.dims;
  tensor.floats = floats_of(proto);
  return tensor;
}

TestTensor read_tensor(const fs::path& path) { return tensor_of(contents(path)); }

// ONNX's generator of tests has no type for bfloat16 and writes its bits as uint16. The graph says
// what they are.
void take_declared_type(const onnx::ValueInfo& value, TestTensor& tensor) {
  if (value.element_type == type_bfloat16 && tensor.type == type_uint16)
    tensor = tensor_of(retyped(tensor.encoded, type_bfloat16));
}

void take_declared_types(const onnx::Graph& graph, DataSet& set) {
  const std::vector<const onnx::ValueInfo*> inputs = fed_inputs(graph);
  for (size_t i = 0; i < std::min(inputs.size(), set.inputs.size()); ++i)
    take_declared_type(*inputs[i], set.inputs[i]);
  for (size_t i = 0; i < std::min(graph.outputs.size(), set.outputs.size()); ++i)
    take_declared_type(graph.outputs[i], set.outputs[i]);
}

std::vector<TestTensor> read_tensors(const fs::path& set, const std::string& stem) {
  std::vector<TestTensor> tensors;
  for (size_t i = 0;; ++i) {
    const fs::path path = set / (stem + "_" + std::to_string(i) + ".pb");
    if (!fs::exists(path)) return tensors;
    tensors.push_back(read_tensor(path));
  }
}

TestTensor counted_up(const onnx::ValueInfo& input) {
  TestTensor tensor{.encoded = {}, .type = input.element_type, .dims = {}, .floats = {}};
  int64_t count = 1;
  for (const onnx::Dimension& dimension : input.dims) {
    tensor.dims.push_back(dimension.value.value_or(1));
    count *= tensor.dims.back();
  }
  for (int64_t i = 0; i < count; ++i) {
    tensor.floats.push_back(
        static_cast<float>(static_cast<double>(i) / static_cast<double>(count)));
  }
  return tensor;
}

Case read_network(const fs::path& folder, const std::string& name) {
  Case test{.folder = networks_folder,
            .name = name,
            .bytes = contents(folder / (name + ".onnx")),
            .unexpanded = {},
            .sets = {}};
  const Result<onnx::File> file = decoded(test.bytes);
  if (!file) return test;
  DataSet set{.inputs = {}, .outputs = {read_tensor(folder / (name + "_output_0.pb"))}};
  for (const onnx::ValueInfo* input : fed_inputs(file->graph))
    set.inputs.push_back(counted_up(*input));
  test.sets.push_back(std::move(set));
  return test;
}

// "test_NAME_expanded" and "test_NAME_expanded_verN" have test_NAME's operator written out.
std::string unexpanded_of(const fs::path& folder, const std::string& name) {
  const size_t suffix = name.find("_expanded");
  if (suffix == std::string::npos) return {};
  return contents(folder / name.substr(0, suffix) / "model.onnx");
}

}  // namespace

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code absent;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, absent)) {
    if (fs::exists(entry.path() / "model.onnx")) names.push_back(entry.path().filename());
    if (entry.path().extension() == ".onnx") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Case read_case(const fs::path& data, const std::string& folder, const std::string& name) {
  if (folder == networks_folder) return read_network(data / folder, name);
  const fs::path path = data / folder / name;
  Case test{.folder = folder,
            .name = name,
            .bytes = contents(path / "model.onnx"),
            .unexpanded = unexpanded_of(data / folder, name),
            .sets = {}};
  const Result<onnx::File> file = decoded(test.bytes);
  for (size_t i = 0;; ++i) {
    const fs::path set = path / ("test_data_set_" + std::to_string(i));
    if (!fs::exists(set)) return test;
    DataSet& tensors = test.sets.emplace_back();
    tensors.inputs = read_tensors(set, "input");
    tensors.outputs = read_tensors(set, "output");
    if (file) take_declared_types(file->graph, tensors);
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
