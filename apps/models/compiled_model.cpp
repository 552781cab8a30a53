#include "apps/models/compiled_model.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "apps/models/take_picture.hpp"
#include "apps/system/temporary_folder.hpp"
#include "devices/executor/weighted_window.hpp"
#include "devices/layers/native_layer.hpp"
#include "devices/native/native_executor.hpp"
#include "devices/weights/steady_reading.hpp"
#include "partition/base/text.hpp"
#include "partition/model/each_constant.hpp"

namespace shingle {
namespace {

struct Range {
  int64_t begin = 0, end = 0;
};

std::vector<TileProgram> programs_of(const Model& model, const CompileOrder& order) {
  std::vector<TileProgram> programs;
  for (const FusedBlock& block : order.plan.blocks)
    for (const Tile& tile : block.tiles)
      programs.push_back(tile_program(model, block, tile.outputs));
  return programs;
}

// Layers whose weights in the model's file will not be read, because they are packed and whole. A
// layer whose channels are split keeps its weights: its packed form serves only that split, and a
// run on one machine must still be possible.
std::vector<bool> layers_without(const Model& model, const std::vector<TileProgram>& programs,
                                 const NativeExecutor& executor) {
  std::vector<bool> without(model.layers.size(), true);
  for (const TileProgram& program : programs)
    for (const Step& step : program.steps) without[step.layer.value] = false;
  for (const LayerId layer : executor.layers_in_store()) without[layer.value] = true;
  for (const TileProgram& program : programs)
    for (const Step& step : program.steps)
      if (step.output.c != whole(model.at(model.at(step.layer).output).shape).c)
        without[step.layer.value] = false;
  return without;
}

// Constants that are used only as weights of the convolutions in `without`.
std::vector<bool> constants_to_drop(const Model& model, const std::vector<bool>& without) {
  std::vector<int> users(model.constants.size(), 0), dropping(model.constants.size(), 0);
  for (size_t i = 0; i < model.layers.size(); ++i) {
    each_constant(model.layers[i].op, [&](ConstantId id) { ++users[id.value]; });
    const std::optional<WeightedWindow> op = weighted_window(model.layers[i]);
    if (op && without[i]) ++dropping[op->weights.value];
  }
  for (const Tensor& tensor : model.tensors)
    if (tensor.constant) ++users[tensor.constant->value];
  std::vector<bool> drop;
  for (size_t i = 0; i < users.size(); ++i) drop.push_back(users[i] > 0 && users[i] == dropping[i]);
  return drop;
}

// Where in the file the bytes lie; none for bytes that the reader computed.
std::optional<Range> range_in(std::span<const std::byte> file, const FloatView& view) {
  const int64_t bytes = bytes_of_floats(view.count);
  if (view.data < file.data() || view.data + bytes > file.data() + file.size()) return std::nullopt;
  const int64_t begin = view.data - file.data();
  return Range{begin, begin + bytes};
}

// The constant as it stands in the file, before folding.
FloatView in_file(const ModelFile& file, const FloatView& constant) {
  for (const DarknetModel::Folding& folding : file.foldings)
    if (folding.folded == constant.data) return folding.from;
  return constant;
}

// Adds the parts of one file to keep: all but the dropped constants. Bytes that a kept constant
// shares stay.
void keep(const ModelFile& from, size_t index, std::span<const std::byte> file,
          const std::vector<bool>& drop, std::vector<CompiledContents::Kept>& parts) {
  std::vector<Range> kept, dropped;
  for (size_t i = 0; i < drop.size(); ++i)
    if (const auto range = range_in(file, in_file(from, from.model.constants[i])))
      (drop[i] ? dropped : kept).push_back(*range);
  std::erase_if(dropped, [&](const Range& one) {
    return std::any_of(kept.begin(), kept.end(), [&](const Range& other) {
      return one.begin < other.end && other.begin < one.end;
    });
  });
  std::sort(dropped.begin(), dropped.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  dropped.push_back({static_cast<int64_t>(file.size()), static_cast<int64_t>(file.size())});
  int64_t at = 0;
  for (const Range& range : dropped) {
    if (range.begin > at)
      parts.push_back(
          {.file = index,
           .begin = at,
           .bytes = file.subspan(static_cast<size_t>(at), static_cast<size_t>(range.begin - at))});
    at = std::max(at, range.end);
  }
}

// In the order of CompiledContents' index: the model's file, its .weights (or empty), then the
// files beside an ONNX file.
std::vector<std::span<const std::byte>> files_of(const ModelFile& file) {
  std::vector<std::span<const std::byte>> files{file.file.bytes(), {}};
  if (file.weights) files[1] = file.weights->bytes();
  for (const MappedFile& beside : file.external) files.push_back(beside.bytes());
  return files;
}

std::vector<CompiledContents::Kept> kept_of(const ModelFile& file, const std::vector<bool>& drop) {
  std::vector<CompiledContents::Kept> parts;
  const auto files = files_of(file);
  for (size_t i = 0; i < files.size(); ++i)
    if (!files[i].empty()) keep(file, i, files[i], drop, parts);
  return parts;
}

std::vector<int64_t> sizes_of(const ModelFile& file) {
  std::vector<int64_t> sizes;
  for (const auto& bytes : files_of(file)) sizes.push_back(std::ssize(bytes));
  return sizes;
}

std::string memory_text(const NativeExecutor& executor, const std::vector<TileProgram>& programs,
                        Compiled& compiled) {
  std::string text;
  for (const TileProgram& program : programs) {
    const MemoryPlan plan = executor.memory_plan(program);
    compiled.arena_bytes = std::max(compiled.arena_bytes, plan.arena_bytes);
    text += draw(plan) + "\n";
  }
  return text;
}

}  // namespace

namespace {

bool same_bytes(const FloatView& a, const FloatView& b) {
  return a.count == b.count &&
         (a.data == nullptr || std::memcmp(a.data, b.data, a.bytes().size()) == 0);
}

// Does the written file give the same model, apart from the weights that it leaves out? This may
// fail: the reader may have computed kept constants from those that are left out.
Result<bool> makes_again(const Model& model, const std::string& path) {
  auto again = open_compiled_model(path);
  if (!again) return Error{again.error()};
  if (model.image)
    if (const Status taken = take_picture(again->model, *model.image); !taken)
      return Error{taken.error()};
  const auto &made = again->model.constants, &known = model.constants;
  return again->model.hash == model.hash &&
         std::equal(made.begin(), made.end(), known.begin(), known.end(), same_bytes);
}

}  // namespace

Result<Compiled> compile(const CompileOrder& order, const std::string& path) {
  const Model& model = order.file.model;
  const auto before = files_version(model);
  const std::vector<TileProgram> programs = programs_of(model, order);
  auto folder = TemporaryFolder::make();
  if (!folder) return Error{folder.error()};
  const std::string store = folder->path() + "/packed";
  NativeExecutor executor(
      {.threads = 1,
       .transformed_bytes = order.capped ? 0 : NativeOptions{}.transformed_bytes,
       .packed_folder = store});
  if (const Status prepared = executor.prepare(model, programs); !prepared)
    return Error{prepared.error()};
  Compiled compiled;
  CompiledContents contents{.model = file_hash(name_of(model)),
                            .plan = hash_of(order.plan),
                            .kernels = packed_layout(),
                            .file_bytes = sizes_of(order.file),
                            .kept = {},
                            .plan_text = print(order.plan),
                            .memory_text = memory_text(executor, programs, compiled),
                            .packed = {}};
  const std::map<Hash, MappedWeights> packed = PackedStore(store).all();
  for (const auto& [name, weights] : packed) {
    contents.packed.push_back({.name = name, .bytes = weights.bytes(), .sum = 0});
    compiled.packed_bytes += std::ssize(weights.bytes());
  }
  compiled.layers_packed = executor.layers_in_store().size();
  compiled.hash = sha256(to_string(model.hash) + to_string(contents.plan) + contents.kernels +
                         (order.capped ? " capped" : ""));
  const std::vector<bool> drop =
      constants_to_drop(model, layers_without(model, programs, executor));
  bool sound = false;
  for (const std::vector<bool>& left_out : {drop, std::vector<bool>(drop.size(), false)}) {
    contents.kept = kept_of(order.file, left_out);
    if (const Status written = write_compiled(path, contents); !written)
      return Error{written.error()};
    const auto whole = makes_again(model, path);
    if (!whole) return Error{whole.error()};
    sound = *whole;
    if (sound) break;
  }
  const auto after = files_version(model);
  if (!before || !after) return Error{(before ? after : before).error()};
  if (*before != *after)
    return Error{"the model's file '" + written_file(model) +
                 "' was written to while it was compiled; stop the program that writes it"};
  if (!sound) return Error{"'" + path + "' does not make the model again that it was made from"};
  for (const auto& kept : contents.kept) compiled.kept_bytes += std::ssize(kept.bytes);
  return compiled;
}

namespace {

// One of the model's files, with zeros where nothing was kept.
Result<MappedFile> restored(const CompiledContents& contents, size_t file) {
  std::vector<std::pair<size_t, std::span<const std::byte>>> parts;
  for (const auto& kept : contents.kept)
    if (kept.file == file) parts.emplace_back(static_cast<size_t>(kept.begin), kept.bytes);
  return MappedFile::sparse(static_cast<size_t>(contents.file_bytes[file]), parts);
}

bool is_kept(const CompiledContents& contents, size_t file, const Range& range) {
  return std::any_of(contents.kept.begin(), contents.kept.end(), [&](const auto& kept) {
    return kept.file == file && kept.begin <= range.begin &&
           range.end <= kept.begin + std::ssize(kept.bytes);
  });
}

// Removes the data of constants for which the restored file only has zeros.
void leave_out(const CompiledContents& contents, size_t file, std::span<const std::byte> bytes,
               Model& model) {
  for (FloatView& view : model.constants) {
    const auto range = range_in(bytes, view);
    if (range && !is_kept(contents, file, *range)) view.data = nullptr;
  }
}

// Only weights of convolutions may be missing: any other constant would be read.
bool lacks_only_weights(const Model& model) {
  const std::vector<bool> weights =
      constants_to_drop(model, std::vector<bool>(model.layers.size(), true));
  for (size_t i = 0; i < weights.size(); ++i)
    if (model.constants[i].data == nullptr && model.constants[i].count > 0 && !weights[i])
      return false;
  return true;
}

Result<ModelFile> open_compiled_darknet(const CompiledContents& contents, MappedFile cfg) {
  auto weights = restored(contents, 1);
  if (!weights) return Error{weights.error()};
  const std::span<const std::byte> bytes = weights->bytes();
  const DarknetPart part{.name = contents.model, .there = [&](const FloatView& view) {
                           const auto range = range_in(bytes, view);
                           return !range || is_kept(contents, 1, *range);
                         }};
  const std::string_view text(reinterpret_cast<const char*>(cfg.bytes().data()),
                              cfg.bytes().size());
  auto darknet = read_darknet(text, bytes, {}, &part);
  if (!darknet) return Error{darknet.error()};
  leave_out(contents, 1, bytes, darknet->model);
  return ModelFile{.file = std::move(cfg),
                   .weights = std::move(*weights),
                   .model = std::move(darknet->model),
                   .detections = std::move(darknet->detections),
                   .foldings = {},
                   .metadata = {}};
}

// Restores the files beside the ONNX file, in the order in which it names them.
Result<std::vector<OnnxExternal>> restored_beside(const CompiledContents& contents,
                                                  const MappedFile& file,
                                                  std::vector<MappedFile>& mapped) {
  auto locations = onnx_external_files(file.bytes());
  if (!locations) return Error{locations.error()};
  if (locations->size() + 2 != contents.file_bytes.size())
    return Error{"its files are not those that its model names"};
  std::vector<OnnxExternal> beside;
  for (size_t i = 0; i < locations->size(); ++i) {
    auto one = restored(contents, i + 2);
    if (!one) return Error{one.error()};
    beside.push_back({.location = (*locations)[i], .bytes = one->bytes()});
    mapped.push_back(std::move(*one));
  }
  return beside;
}

// The sizes of the model's inputs, from the plan in the file.
InputShapes compiled_shapes(const CompiledContents& contents) {
  const auto plan = parse_plan(contents.plan_text);
  return plan && plan->sized ? plan->sized->shapes : InputShapes{};
}

Result<ModelFile> open_compiled_onnx(const CompiledContents& contents, MappedFile file,
                                     const OnnxOptions& options) {
  const InputShapes shapes = compiled_shapes(contents);
  if (!options.shapes.empty() && options.shapes != shapes)
    return Error{shapes.empty()
                     ? "it was compiled for the size that its file says; leave --shape out"
                     : "it was compiled for --shape " + to_string(shapes)};
  if (options.opset != 0)
    return Error{"it was compiled for the opset that its file says; leave --opset out"};
  std::vector<MappedFile> external;
  const auto beside = restored_beside(contents, file, external);
  if (!beside) return Error{beside.error()};
  const int64_t most = options.constant_bytes > 0 ? options.constant_bytes : usual_constant_bytes();
  auto model = read_onnx(file.bytes(), {.max_constant_bytes = most},
                         {.shapes = shapes, .external = *beside, .name = contents.model});
  if (!model) return Error{model.error()};
  leave_out(contents, 0, file.bytes(), *model);
  for (size_t i = 0; i < external.size(); ++i)
    leave_out(contents, i + 2, external[i].bytes(), *model);
  OnnxMetadata metadata = read_onnx_metadata(file.bytes());
  return ModelFile{.file = std::move(file),
                   .weights = std::nullopt,
                   .external = std::move(external),
                   .model = std::move(*model),
                   .detections = {},
                   .foldings = {},
                   .metadata = std::move(metadata)};
}

}  // namespace

Result<ModelFile> open_compiled_model(const std::string& path, const OnnxOptions& options) {
  const auto opened = CompiledFile::open(path);
  if (!opened) return Error{opened.error()};
  const CompiledContents& contents = (*opened)->contents();
  const auto before = (*opened)->file().version();
  auto first = restored(contents, 0);
  if (!first) return Error{"'" + path + "': " + first.error()};
  const bool darknet = contents.file_bytes[1] > 0;
  auto model = darknet ? open_compiled_darknet(contents, std::move(*first))
                       : open_compiled_onnx(contents, std::move(*first), options);
  const auto after = (*opened)->file().version();
  if (!before || !after) return Error{(before ? after : before).error()};
  if (*before != *after) return Error{"somebody writes to '" + path + "' while it is read"};
  if (!model) return Error{"cannot take '" + path + "': " + model.error()};
  if (!lacks_only_weights(model->model))
    return Error{"'" + path +
                 "' does not hold a complete model: some constants are neither in it nor packed"};
  return model;
}

Result<CompiledFiles> compiled_among(const std::vector<std::string>& paths) {
  CompiledFiles found;
  for (const std::string& path : paths) {
    if (!CompiledFile::is_one(path)) continue;
    auto file = CompiledFile::open(path);
    if (!file) return Error{file.error()};
    const std::string& kernels = (*file)->contents().kernels;
    if (kernels != packed_layout())
      return Error{(*file)->what() + ", for kernels " + shingle::in_quotes(kernels) +
                   ", but this machine's are " + shingle::in_quotes(packed_layout()) +
                   "; compile it on this machine"};
    found.push_back(std::move(*file));
  }
  return found;
}

}  // namespace shingle
