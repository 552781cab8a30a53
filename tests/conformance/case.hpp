// One of ONNX's backend tests on disk: a folder with
//
//   model.onnx
//   test_data_set_N/input_I.pb, output_I.pb      TensorProtos, in the order of the graph's lists
//
// Debian's package libonnx-testdata installs them under `installed_tests()`.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "partition/readers/onnx/file.hpp"
#include "partition/readers/onnx/view.hpp"

namespace shingle::conformance {

using onnx::Dims;

struct TestTensor {
  std::string encoded;  // the TensorProto
  int32_t type = 0;     // onnx::DataType
  Dims dims;
  std::vector<float> floats;  // empty unless it is of f32
};

struct DataSet {
  std::vector<TestTensor> inputs, outputs;
};

struct Case {
  std::string folder, name;  // "node", "test_relu"
  std::string bytes;         // of model.onnx
  std::vector<DataSet> sets;
};

inline std::filesystem::path installed_tests() {
  return "/usr/lib/python3/dist-packages/onnx/backend/test/data";
}

// The sorted names of a folder's tests. Empty if the folder does not exist.
std::vector<std::string> names_in(const std::filesystem::path& folder);

Case read_case(const std::filesystem::path& data, const std::string& folder,
               const std::string& name);

// The file's graph as the product's reader decodes it, or the reader's error.
Result<onnx::File> decoded(const std::string& bytes);

}  // namespace shingle::conformance
