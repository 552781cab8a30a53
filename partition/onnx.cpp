// The reader's one entry: bytes to structs, structs to a Model; the only place that catches.
#include "partition/onnx.hpp"

#include <exception>

#include "partition/onnx/file.hpp"
#include "partition/onnx/fusion.hpp"
#include "partition/onnx/opsets.hpp"
#include "partition/onnx/refusal.hpp"
#include "partition/onnx/translator.hpp"

namespace shingle {

namespace {

Model read(std::span<const std::byte> bytes, const OnnxLimits& limits,
           const std::optional<ModelHash>& name) {
  onnx::File file = onnx::decode(bytes, limits);
  if (file.graph.nodes.empty()) onnx::refuse("the ONNX file holds no graph");
  if (file.opset < onnx::oldest_opset || file.opset > onnx::newest_opset) {
    onnx::refuse("the ONNX file uses opset " + std::to_string(file.opset) + ", and shingle reads " +
                 std::to_string(onnx::oldest_opset) + " to " + std::to_string(onnx::newest_opset));
  }
  onnx::fuse_gates(file.graph);
  Model model = onnx::Translator(file.graph, file.opset, limits, static_cast<int64_t>(bytes.size()))
                    .translate();
  model.hash = name ? *name : sha256(bytes);
  const std::vector<std::string> wrong = defects(model);
  if (!wrong.empty()) onnx::refuse("the ONNX file makes no sound model: " + wrong.front());
  return model;
}

}  // namespace

OnnxMetadata read_onnx_metadata(std::span<const std::byte> bytes) {
  OnnxMetadata metadata;
  try {
    onnx::decode_metadata(bytes, metadata);
  } catch (const std::exception&) {  // metadata are a help, not a need: what was read is kept
  }
  return metadata;
}

Result<Model> read_onnx(std::span<const std::byte> bytes, const OnnxLimits& limits,
                        const std::optional<ModelHash>& name) {
  try {
    return read(bytes, limits, name);
  } catch (const onnx::Refusal& refusal) {
    return Error{refusal.sentence};
  } catch (const std::bad_alloc&) {
    return Error{"the ONNX file asks for more memory than there is"};
  } catch (const std::exception& exception) {
    return Error{std::string("the bytes are not an ONNX file: ") + exception.what()};
  }
}

}  // namespace shingle
