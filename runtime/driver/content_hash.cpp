#include "runtime/driver/content_hash.hpp"

#include <cassert>

#include "partition/base/hash.hpp"
#include "runtime/driver/canvas.hpp"

namespace shingle {

uint64_t content_hash(std::span<const ConstTensorView> canvases, std::span<const Slice> slices) {
  assert(canvases.size() == slices.size());
  std::vector<std::byte> elements;
  for (size_t i = 0; i < slices.size(); ++i) {
    const Region& region = slices[i].region;
    const size_t begin = elements.size();
    elements.resize(begin + static_cast<size_t>(region.elements() * bytes_of(canvases[i].type)));
    copy_region(canvases[i], {&elements[begin], region, canvases[i].type}, region);
  }
  return prefix64(sha256(elements));
}

}  // namespace shingle
