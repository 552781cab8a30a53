#include "devices/weights/steady_reading.hpp"

#include <optional>

#include "devices/weights/mapped_file.hpp"

namespace shingle {

namespace {

// Calls `visit` with each file until it returns false. A file that other files' constants lie
// between is visited several times.
template <class Visit>
void each_file(const Model& model, const Visit& visit) {
  std::optional<MappedFile> last;  // constants mostly follow each other in one file
  for (const FloatView& view : model.constants) {
    if (view.data == nullptr || view.count == 0 || (last && last->holds(view.data))) continue;
    last = MappedFile::around(view.data);
    if (last && !visit(*last)) return;
  }
}

}  // namespace

// A version never goes down, so the sum changes with any of them.
Result<uint64_t> files_version(const Model& model) {
  Result<uint64_t> sum = uint64_t{0};
  each_file(model, [&](const MappedFile& file) {
    const Result<uint64_t> version = file.version();
    sum = version ? Result<uint64_t>(*sum + *version) : version;
    return sum.ok();
  });
  return sum;
}

std::string written_file(const Model& model) {
  std::string path;
  each_file(model, [&](const MappedFile& file) {
    const Result<uint64_t> version = file.version();
    if (!version || *version > 0) path = file.path();
    return path.empty();
  });
  return path;
}

}  // namespace shingle
