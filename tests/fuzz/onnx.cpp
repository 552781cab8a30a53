// ONNX files. What is read is a sound model.
#include "partition/onnx.hpp"
#include "tests/fuzz/target.hpp"

namespace shingle::fuzz {

void onnx(Bytes bytes) {
  size_t text = 0;
  for (const MetadataEntry& entry : read_onnx_metadata(bytes))
    text += entry.key.size() + entry.value.size();
  expect(text <= bytes.size(), "metadata come from the file");
  const Result<Model> model = read_onnx(bytes);
  if (!model) return expect_sentence(model.error());
  expect(defects(*model).empty(), "an ONNX file that is read makes a sound model");
}

}  // namespace shingle::fuzz
