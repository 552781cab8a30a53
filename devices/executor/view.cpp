#include "devices/executor/view.hpp"

#include <algorithm>
#include <cstring>

namespace shingle {

ConstTensorView whole_input(const Model& model, const WholeInputs& inputs, TensorId input) {
  const Tensor& tensor = model.at(input);
  const auto place = std::ranges::find(model.inputs, input);
  assert(place != model.inputs.end());
  const std::vector<std::byte>& bytes = inputs[static_cast<size_t>(place - model.inputs.begin())];
  assert(std::ssize(bytes) == tensor.shape.elements() * bytes_of(tensor.type));
  return {bytes.data(), whole(tensor.shape), tensor.type};
}

void copy(const ConstTensorView& source, const TensorView& target, const Region& region) {
  if (region.empty()) return;
  assert(contains(source.region, region) && contains(target.region, region));
  const bool dense = dense_rows(source.region, region) && dense_rows(target.region, region);
  const int32_t run_pixels = dense ? region.x.size() : 1;
  const size_t run_bytes =
      bytes_of_floats(static_cast<size_t>(int64_t{run_pixels} * region.c.size()));
  for (int32_t y = region.y.begin; y < region.y.end; ++y) {
    const float* from = at(source, y, region.x.begin, region.c.begin);
    float* to = at(target, y, region.x.begin, region.c.begin);
    for (int32_t x = region.x.begin; x < region.x.end; x += run_pixels) {
      std::memcpy(to, from, run_bytes);
      from += source.region.c.size();
      to += target.region.c.size();
    }
  }
}

namespace {

void fill(const TensorView& target, const Region& part, float value) {
  if (part.empty()) return;
  for (int32_t y = part.y.begin; y < part.y.end; ++y) {
    for (int32_t x = part.x.begin; x < part.x.end; ++x) {
      std::fill_n(at(target, y, x, part.c.begin), part.c.size(), value);
    }
  }
}

}  // namespace

void fill_around(const TensorView& target, const Region& interior, float value) {
  const Region& box = target.region;
  if (interior.empty()) return fill(target, box, value);
  assert(contains(box, interior));
  const Region band{interior.y, box.x, box.c}, column{interior.y, interior.x, box.c};
  fill(target, {{box.y.begin, band.y.begin}, box.x, box.c}, value);
  fill(target, {{band.y.end, box.y.end}, box.x, box.c}, value);
  fill(target, {band.y, {box.x.begin, column.x.begin}, box.c}, value);
  fill(target, {band.y, {column.x.end, box.x.end}, box.c}, value);
  fill(target, {column.y, column.x, {box.c.begin, interior.c.begin}}, value);
  fill(target, {column.y, column.x, {interior.c.end, box.c.end}}, value);
}

}  // namespace shingle
