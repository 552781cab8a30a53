#include "devices/weights/steady_reading.hpp"

#include <optional>

#include "devices/weights/mapped_file.hpp"

namespace shingle {

// A version never goes down, so the sum changes with any of them.
Result<uint64_t> files_version(const Model& model) {
  uint64_t sum = 0;
  std::optional<MappedFile> last;  // constants mostly follow each other in one file
  for (const FloatView& view : model.constants) {
    if (view.data == nullptr || view.count == 0 || (last && last->holds(view.data))) continue;
    last = MappedFile::around(view.data);
    if (!last) continue;
    const Result<uint64_t> version = last->version();
    if (!version) return version;
    sum += *version;
  }
  return sum;
}

}  // namespace shingle
