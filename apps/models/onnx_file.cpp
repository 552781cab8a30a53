#include "apps/models/onnx_file.hpp"

#include <filesystem>

#include "apps/system/file_below.hpp"
#include "apps/system/foreign_file.hpp"
#include "apps/system/process_memory.hpp"

namespace shingle {
namespace {

constexpr int64_t most_external_bytes = int64_t{16} << 30;

// Names a model that was read before its file was hashed: a refused file need not be hashed.
void take_name(Model& model, const ModelHash& hash) {
  const auto sized = std::exchange(model.sized, std::nullopt);
  model.hash = hash;
  if (sized) take_sizes(model, sized->shapes);
}

}  // namespace

int64_t usual_constant_bytes(int64_t memory_cap) {
  const int64_t memory = physical_memory();
  return (memory_cap > 0 ? std::min(memory_cap, memory) : memory) / 2;
}

Result<OnnxFile> OnnxFile::open(const std::string& path) {
  auto mapped = MappedFile::open(path);
  if (!mapped) return Error{mapped.error()};
  OnnxFile opened(path, std::move(*mapped));
  if (const Status beside = opened.open_external(); !beside)
    return Error{"cannot take '" + path + "': " + beside.error()};
  return opened;
}

Status OnnxFile::open_external() {
  auto locations = onnx_external_files(file.bytes());
  if (!locations) return Error{locations.error()};
  locations_ = std::move(*locations);
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  int64_t bytes = 0;
  for (const std::string& location : locations_) {
    auto mapped = open_below(folder.empty() ? "." : folder, location);
    if (!mapped) return Error{"some of its weights are in a file of their own: " + mapped.error()};
    bytes += std::ssize(mapped->bytes());
    if (bytes > most_external_bytes)
      return Error{"the files beside it with its weights are larger than 16 GiB"};
    external.push_back(std::move(*mapped));
  }
  return success();
}

ModelHash OnnxFile::name(FileHashes& hashes) const {
  std::vector<Hash> beside;
  for (const MappedFile& mapped : external) beside.push_back(known_as(mapped, hashes));
  return onnx_hash(known_as(file, hashes), beside);
}

Status OnnxFile::was_steady() const {
  for (const MappedFile& mapped : external)
    if (const Status steady = shingle::was_steady(mapped); !steady) return steady;
  return shingle::was_steady(file);
}

Result<Model> OnnxFile::read(const OnnxOptions& options, FileHashes& hashes) const {
  auto model = read(options);
  if (!model) return Error{"cannot take '" + path_ + "': " + why_not(options, model.error())};
  take_name(*model, read_as(name(hashes), options.opset));
  model->release_pages = MappedFile::release_pages;
  if (const Status steady = was_steady(); !steady) return Error{steady.error()};
  MappedFile::release_pages(file.bytes());  // hashing may have read all of it
  for (const MappedFile& mapped : external) MappedFile::release_pages(mapped.bytes());
  return model;
}

template <class Reader>
auto OnnxFile::read_by(Reader reader, const OnnxOptions& options) const {
  std::vector<OnnxExternal> beside;
  for (size_t i = 0; i < external.size(); ++i)
    beside.push_back({.location = locations_[i], .bytes = external[i].bytes()});
  const int64_t most = options.constant_bytes > 0 ? options.constant_bytes : usual_constant_bytes();
  return reader(file.bytes(), OnnxLimits{.max_constant_bytes = most},
                OnnxRequest{.shapes = options.shapes,
                            .external = beside,
                            .name = ModelHash{},
                            .opset = options.opset});
}

Result<Model> OnnxFile::read(const OnnxOptions& options) const {
  return read_by(read_onnx, options);
}

std::vector<OnnxUnread> OnnxFile::unread(const OnnxOptions& options) const {
  return read_by(onnx_unread, options);
}

OnnxExport OnnxFile::exported() const {
  const auto read = read_onnx_export(file.bytes());
  return read ? *read : OnnxExport{};
}

std::string OnnxFile::why_not(const OnnxOptions& options, const std::string& reason) const {
  if (const auto foreign = foreign_file(path_, file.bytes())) return "it " + *foreign;
  const auto inputs = read_onnx_inputs(file.bytes());
  if (!options.shapes.empty() || !inputs || !leaves_sizes_open(*inputs) || !options.advice)
    return reason;
  const auto at = [&](const InputShapes& shapes) {
    OnnxOptions sized = options;
    sized.shapes = shapes;
    return read(sized);
  };
  const OnnxMetadata metadata = read_onnx_metadata(file.bytes());
  const auto advice = options.advice({*inputs, metadata, reason}, at);
  return advice ? reason + "; " + *advice : reason;
}

}  // namespace shingle
