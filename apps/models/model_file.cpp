#include "apps/models/model_file.hpp"

#include "apps/models/compiled_model.hpp"
#include "apps/system/foreign_file.hpp"

namespace shingle {
namespace {

constexpr std::string_view cfg_ending = ".cfg", weights_ending = ".weights";

struct DarknetBytes {
  MappedFile cfg, weights;

  std::string_view text() const {
    return {reinterpret_cast<const char*>(cfg.bytes().data()), cfg.bytes().size()};
  }
};

Result<DarknetBytes> map_darknet(const ModelPath& path) {
  auto cfg = MappedFile::open(path.path);
  if (!cfg) return Error{cfg.error()};
  auto weights = MappedFile::open(path.weights);
  if (!weights)
    return Error{weights.error() +
                 "; a .cfg needs its .weights, beside it under the same name or given by "
                 "--weights FILE"};
  return DarknetBytes{std::move(*cfg), std::move(*weights)};
}

ModelHash name_of(const DarknetBytes& files, FileHashes& hashes) {
  return darknet_hash(known_as(files.cfg, hashes), known_as(files.weights, hashes));
}

// The sentence for a refused pair. If one of the two is a file of another format, it says which.
std::string why_no_darknet(const ModelPath& path, const DarknetBytes& bytes,
                           const std::string& reason) {
  if (const auto foreign = foreign_file(path.path, bytes.cfg.bytes()))
    return "cannot take '" + path.path + "': it " + *foreign;
  if (const auto foreign = foreign_file(path.weights, bytes.weights.bytes()))
    return "cannot take '" + path.weights + "': it " + *foreign;
  return "cannot take '" + path.path + "' with '" + path.weights + "': " + reason;
}

Result<ModelFile> open_darknet(const ModelPath& path, FileHashes& hashes) {
  auto bytes = map_darknet(path);
  if (!bytes) return Error{bytes.error()};
  const DarknetPart named_later{};
  auto darknet = read_darknet(bytes->text(), bytes->weights.bytes(), {}, &named_later);
  if (!darknet) return Error{why_no_darknet(path, *bytes, darknet.error())};
  darknet->model.hash = name_of(*bytes, hashes);
  darknet->model.release_pages = MappedFile::release_pages;
  for (const MappedFile* file : {&bytes->cfg, &bytes->weights})
    if (const Status steady = was_steady(*file); !steady) return Error{steady.error()};
  MappedFile::release_pages(bytes->weights.bytes());
  return ModelFile{.file = std::move(bytes->cfg),
                   .weights = std::move(bytes->weights),
                   .model = std::move(darknet->model),
                   .detections = std::move(darknet->detections),
                   .foldings = std::move(darknet->foldings),
                   .metadata = {}};
}

Result<ModelFile> open_onnx(const std::string& path, FileHashes& hashes,
                            const OnnxOptions& options) {
  auto onnx = OnnxFile::open(path);
  if (!onnx) return Error{onnx.error()};
  auto model = onnx->read(options, hashes);
  if (!model) return Error{model.error()};
  OnnxMetadata metadata = read_onnx_metadata(onnx->file.bytes());
  return ModelFile{.file = std::move(onnx->file),
                   .weights = std::nullopt,
                   .external = std::move(onnx->external),
                   .model = std::move(*model),
                   .detections = {},
                   .foldings = {},
                   .metadata = std::move(metadata)};
}

// Refuses combinations of paths and options that can only be mistakes.
Status check(const ModelPath& path, const OnnxOptions& options) {
  if (path.path.ends_with(weights_ending))
    return Error{"'" + path.path +
                 "' holds only the weights of a Darknet model; name the .cfg, and its weights are "
                 "found beside it or by --weights FILE"};
  if (!path.weights.empty() && !path.path.ends_with(cfg_ending))
    return Error{"'" + path.path +
                 "' is not a Darknet .cfg, and only a .cfg takes a file of weights"};
  if (!path.weights.empty() && !options.shapes.empty())
    return Error{"'" + path.path +
                 "' states the size of its input; --shape is for ONNX files "
                 "that leave it open"};
  if (!path.weights.empty() && options.opset != 0)
    return Error{"'" + path.path + "' is a Darknet model, and --opset is for ONNX files"};
  return success();
}

}  // namespace

ModelPath::ModelPath(std::string model, std::string its_weights)
    : path(std::move(model)), weights(std::move(its_weights)) {
  if (weights.empty() && path.ends_with(cfg_ending))
    weights = path.substr(0, path.size() - cfg_ending.size()).append(weights_ending);
}

Result<ModelFile> open_model(const ModelPath& path, const OnnxOptions& options) {
  FileHashes none;
  return open_model(path, none, options);
}

Result<ModelFile> open_model(const ModelPath& path, FileHashes& hashes,
                             const OnnxOptions& options) {
  if (const Status checked = check(path, options); !checked) return Error{checked.error()};
  if (!path.weights.empty()) return open_darknet(path, hashes);
  if (CompiledFile::is_one(path.path)) return open_compiled_model(path.path, options);
  return open_onnx(path.path, hashes, options);
}

Result<ModelHash> hash_of_model(const ModelPath& path, FileHashes& hashes) {
  if (CompiledFile::is_one(path.path)) {
    const auto compiled = CompiledFile::open(path.path);
    if (!compiled) return Error{compiled.error()};
    return (*compiled)->contents().model;
  }
  if (path.weights.empty()) {
    const auto file = OnnxFile::open(path.path);
    if (!file) return Error{file.error()};
    const ModelHash name = file->name(hashes);
    if (const Status steady = file->was_steady(); !steady) return Error{steady.error()};
    return name;
  }
  const auto bytes = map_darknet(path);
  if (!bytes) return Error{bytes.error()};
  const ModelHash hash = name_of(*bytes, hashes);
  for (const MappedFile* file : {&bytes->cfg, &bytes->weights})
    if (const auto version = file->version(); !version) return Error{version.error()};
  return hash;
}

}  // namespace shingle
