// The entry point of the ONNX reader: bytes to structs, structs to a Model. The only place that
// catches exceptions.
#include "partition/readers/onnx.hpp"

#include <exception>

#include "partition/base/text.hpp"
#include "partition/readers/onnx/branches.hpp"
#include "partition/readers/onnx/external.hpp"
#include "partition/readers/onnx/file.hpp"
#include "partition/readers/onnx/input_sizes.hpp"
#include "partition/readers/onnx/opsets.hpp"
#include "partition/readers/onnx/patterns/fusion.hpp"
#include "partition/readers/onnx/refusal.hpp"
#include "partition/readers/onnx/survey.hpp"
#include "partition/readers/onnx/translator.hpp"

namespace shingle {

namespace {

constexpr size_t max_held_bytes = size_t{1} << 40;

constexpr size_t max_sized_inputs = 16;  // as many as a plan's text allows

int64_t held_bytes(std::span<const std::byte> bytes, const OnnxRequest& request) {
  size_t held = bytes.size();
  for (const OnnxExternal& file : request.external) held += file.bytes.size();
  return static_cast<int64_t>(std::min<size_t>(held, max_held_bytes));
}

ModelHash named(std::span<const std::byte> bytes, const OnnxRequest& request) {
  if (request.name) return *request.name;
  std::vector<Hash> external;
  for (const OnnxExternal& file : request.external) external.push_back(sha256(file.bytes));
  return read_as(onnx_hash(sha256(bytes), external), request.opset);
}

int64_t opset_of(const onnx::File& file, const OnnxRequest& request) {
  const int64_t opset = request.opset != 0 ? request.opset : file.opset;
  if (opset > onnx::newest_opset && request.opset == 0) {
    onnx::refuse("the ONNX file uses opset " + std::to_string(opset) + ", and shingle reads " +
                 std::to_string(onnx::oldest_opset) + " to " + std::to_string(onnx::newest_opset) +
                 "; export it with one of these, or read it as one with --opset " +
                 std::to_string(onnx::newest_opset));
  }
  if (opset < onnx::oldest_opset || opset > onnx::newest_opset) {
    onnx::refuse("the ONNX file uses opset " + std::to_string(opset) + ", and shingle reads " +
                 std::to_string(onnx::oldest_opset) + " to " + std::to_string(onnx::newest_opset));
  }
  return opset;
}

Model read(std::span<const std::byte> bytes, const OnnxLimits& limits, const OnnxRequest& request) {
  onnx::File file = onnx::decode(bytes, limits);
  if (file.graph.nodes.empty()) onnx::refuse("the ONNX file holds no graph");
  const int64_t opset = opset_of(file, request);
  if (request.opset != 0)  // the functions' nodes are read as of it, too
    for (onnx::Function& function : file.functions) function.opset = 0;
  onnx::Inlining inlining(file, limits);
  inlining.inline_functions();
  onnx::check_operators(file.graph);
  onnx::InputSizes sizes = onnx::sizes_of(onnx::frame_inputs(file.graph), request.shapes, limits);
  if (sizes.said_outside && sizes.dims.size() > max_sized_inputs)
    onnx::refuse("the ONNX file has more than " + std::to_string(max_sized_inputs) +
                 " inputs and leaves sizes open; export it with fixed sizes");
  const onnx::Circumstances with{.opset = opset,
                                 .limits = limits,
                                 .sizes = sizes.dims,
                                 .external = request.external,
                                 .held_bytes = held_bytes(bytes, request)};
  onnx::take_branches(file.graph, inlining, with);
  onnx::check_operators(file.graph);  // those of the branches
  onnx::fuse_patterns(file.graph);
  Model model = onnx::Translator(file.graph, with).translate();
  model.hash = named(bytes, request);
  if (sizes.said_outside) take_sizes(model, std::move(sizes.dims));
  const std::vector<std::string> wrong = defects(model);
  if (!wrong.empty()) onnx::refuse("the ONNX file makes no sound model: " + wrong.front());
  return model;
}

// The result of `read`, or the sentence of the Refusal that it threw.
template <class Read>
auto caught(Read read) -> Result<decltype(read())> {
  try {
    return read();
  } catch (const onnx::Refusal& refusal) {
    return bad_input(refusal.sentence);
  } catch (const std::bad_alloc&) {
    return bad_input("the ONNX file asks for more memory than there is");
  } catch (const std::exception& exception) {
    return bad_input(std::string("the bytes are not an ONNX file: ") + exception.what());
  }
}

// The refusal of `read`, if that is what it throws.
template <class Read>
std::optional<onnx::Refusal> refusal_of(Read read) {
  try {
    read();
  } catch (const onnx::Refusal& refusal) {
    return refusal;
  } catch (const std::exception&) {
  }
  return std::nullopt;
}

std::vector<OnnxInput> inputs_of(const onnx::File& file) {
  std::vector<OnnxInput> inputs;
  for (const onnx::ValueInfo* info : onnx::frame_inputs(file.graph)) {
    OnnxInput& input = inputs.emplace_back();
    input.name = readable(info->name);
    for (const onnx::Dimension& dimension : info->dims)
      input.dims.push_back({.size = std::max<int64_t>(dimension.value.value_or(0), 0),
                            .symbol = readable(dimension.symbol)});
  }
  return inputs;
}

}  // namespace

OnnxMetadata read_onnx_metadata(std::span<const std::byte> bytes) {
  OnnxMetadata metadata;
  try {
    onnx::decode_metadata(bytes, metadata);
  } catch (const std::exception&) {  // metadata are optional: what was read so far is kept
  }
  return metadata;
}

Result<Model> read_onnx(std::span<const std::byte> bytes, const OnnxLimits& limits,
                        const OnnxRequest& request) {
  return caught([&] { return read(bytes, limits, request); });
}

std::vector<OnnxUnread> onnx_unread(std::span<const std::byte> bytes, const OnnxLimits& limits,
                                    const OnnxRequest& request) {
  const auto refusal = refusal_of([&] { read(bytes, limits, request); });
  return refusal ? refusal->unread : std::vector<OnnxUnread>();
}

Result<std::vector<std::string>> onnx_external_files(std::span<const std::byte> bytes) {
  try {
    const std::vector<std::string_view> found = onnx::external_locations(bytes);
    return std::vector<std::string>(found.begin(), found.end());
  } catch (const onnx::Refusal& refusal) {
    return bad_input(refusal.sentence);
  } catch (const std::exception&) {
    return std::vector<std::string>();
  }
}

Result<std::vector<OnnxInput>> read_onnx_inputs(std::span<const std::byte> bytes,
                                                const OnnxLimits& limits) {
  return caught([&] { return inputs_of(onnx::decode(bytes, limits)); });
}

Result<OnnxExport> read_onnx_export(std::span<const std::byte> bytes, const OnnxLimits& limits) {
  return caught([&] {
    const onnx::File file = onnx::decode(bytes, limits);
    return OnnxExport{.opset = file.opset, .producer = readable(file.producer)};
  });
}

OnnxOpsets onnx_opsets() { return {onnx::oldest_opset, onnx::newest_opset}; }

ModelHash onnx_hash(const Hash& file, std::span<const Hash> external) {
  if (external.empty()) return file;
  std::string text = "onnx " + to_string(file);
  for (const Hash& hash : external) text.append(" ").append(to_string(hash));
  return sha256(text);
}

ModelHash read_as(const ModelHash& name, int64_t opset) {
  if (opset == 0) return name;
  return sha256("onnx opset " + std::to_string(opset) + " " + to_string(name));
}

std::optional<int64_t> opset_behind(const ModelHash& wanted, const ModelHash& name) {
  if (wanted == name) return 0;
  for (int64_t opset = onnx::oldest_opset; opset <= onnx::newest_opset; ++opset)
    if (wanted == read_as(name, opset)) return opset;
  return std::nullopt;
}

}  // namespace shingle
