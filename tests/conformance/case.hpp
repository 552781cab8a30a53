// One of ONNX's backend tests on disk: a folder with
//
//   model.onnx
//   test_data_set_N/input_I.pb, output_I.pb      TensorProtos, in the order of the graph's lists
//
// Debian's package libonnx-testdata installs them under `installed_tests()`. Debian 12's has ONNX
// 1.12 (up to opset 17), Debian 13's ONNX 1.17 (up to 22).
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "partition/readers/onnx/file.hpp"
#include "partition/readers/onnx/view.hpp"

namespace shingle::conformance {

using onnx::Dims;

// TensorProto.DataType: the types that count.
enum Type : int32_t {
  type_float = 1,
  type_uint16 = 4,  // does not count; the bits of a bfloat16
  type_int32 = 6,
  type_int64 = 7,
  type_bool = 9,
  type_half = 10,
  type_double = 11,
  type_bfloat16 = 16
};

struct TestTensor {
  std::string encoded;  // the TensorProto
  int32_t type = 0;     // TensorProto.DataType
  Dims dims;
  std::vector<float> floats;  // of any type that counts(), rounded to float; otherwise empty
};

struct DataSet {
  std::vector<TestTensor> inputs, outputs;
};

// The folder of whole networks: light/NAME.onnx with constant weights and NAME_output_0.pb. The
// input is, as in ONNX's own runner, 0, 1/n, ... (n-1)/n for n elements.
inline constexpr const char* networks_folder = "light";

struct Case {
  std::string folder, name;  // "node", "test_relu"
  std::string bytes;         // of model.onnx
  std::string unexpanded;    // of the test whose operator this one has written out; empty: of none
  std::vector<DataSet> sets;
};

inline std::filesystem::path installed_tests() {
  return "/usr/lib/python3/dist-packages/onnx/backend/test/data";
}

// The sorted names of a folder's tests or networks. Empty if the folder does not exist.
std::vector<std::string> names_in(const std::filesystem::path& folder);

Case read_case(const std::filesystem::path& data, const std::string& folder,
               const std::string& name);

// The file's graph as the product's reader decodes it, or the reader's error.
Result<onnx::File> decoded(const std::string& bytes);

}  // namespace shingle::conformance
