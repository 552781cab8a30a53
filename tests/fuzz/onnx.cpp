// Fuzzes ONNX files. The target gives sizes for the dimensions that a file leaves open, and the
// input itself takes the place of external files. What was read is a sound model, and its name says
// how to read it again.
#include <algorithm>

#include "partition/readers/onnx.hpp"
#include "tests/fuzz/target.hpp"

namespace shingle::fuzz {

namespace {

constexpr OnnxLimits limits{.max_constant_bytes = 16 << 20};  // small, so that inputs reach it

// The sizes in the file; where it has none, small sizes that follow from the input's bytes.
InputShapes shapes_for(const std::vector<OnnxInput>& inputs, size_t seed) {
  InputShapes shapes;
  for (const OnnxInput& input : inputs) {
    std::vector<int64_t>& shape = shapes.emplace_back();
    for (size_t i = 0; i < input.dims.size(); ++i) {
      const auto open = static_cast<int64_t>(i == 0 ? 1 : 1 + (seed + i * 7) % 32);
      shape.push_back(input.dims[i].size > 0 ? input.dims[i].size : open);
    }
  }
  return shapes;
}

void judge(Bytes bytes, const OnnxRequest& request) {
  const Result<Model> model = read_onnx(bytes, limits, request);
  if (!model) return expect_sentence(model.error());
  expect(defects(*model).empty(), "an ONNX file that is read makes a sound model");
  if (!model->sized) return;
  OnnxRequest again = request;
  again.shapes = model->sized->shapes;
  const Result<Model> same = read_onnx(bytes, limits, again);
  expect(same.ok() && same->hash == model->hash, "a model is made again by what its name says");
}

}  // namespace

void onnx(Bytes bytes) {
  size_t text = 0;
  for (const MetadataEntry& entry : read_onnx_metadata(bytes))
    text += entry.key.size() + entry.value.size();
  expect(text <= bytes.size(), "metadata come from the file");
  std::vector<OnnxExternal> external;
  const auto files = onnx_external_files(bytes);
  if (!files) expect_sentence(files.error());
  if (files)
    for (const std::string& location : *files) {
      expect(!location.starts_with('/') && ("/" + location + "/").find("/../") == std::string::npos,
             "a file beside the model lies below its folder");
      external.push_back({location, bytes});
    }
  judge(bytes, {.external = external});
  const auto inputs = read_onnx_inputs(bytes, limits);
  if (!inputs) return expect_sentence(inputs.error());
  judge(bytes, {.shapes = shapes_for(*inputs, bytes.size()), .external = external});
}

}  // namespace shingle::fuzz
