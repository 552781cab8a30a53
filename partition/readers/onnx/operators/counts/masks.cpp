#include "partition/readers/onnx/operators/counts/masks.hpp"

#include <algorithm>

#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/counts/carry.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"
#include "partition/readers/onnx/operators/values/logic.hpp"

namespace shingle::onnx {

Box before(Node& node, const Amount& count, int64_t size, size_t behind) {
  node.store().budget.charge(size);
  std::vector<float> places;
  for (int64_t place = 0; place < size; ++place) places.push_back(static_cast<float>(place));
  Dims dims(behind + 1, 1);
  dims[0] = size;
  const Box one{.tensor = tensor_of(node, count), .view = map_view({})};
  return combine(node, Binary::Kind::less, node.store().floats(dims, std::move(places)), one);
}

Value masked(Node& node, const Value& value, const Counts& counts, float fill) {
  Value result = value;
  for (const Counted& counted : counts) {
    const Dims dims = dims_of(result);
    const Box mask = before(node, counted.count, dims[counted.dim], dims.size() - 1 - counted.dim);
    result = either(node, mask, result, node.store().floats({}, {fill}));
  }
  if (Box* box = std::get_if<Box>(&result)) {
    const Box* from = std::get_if<Box>(&value);
    box->counts = from != nullptr ? from->counts : Counts{};
    std::erase_if(box->counts, [&](const Counted& counted) {
      return std::ranges::find(counts, counted) != counts.end();
    });
    box->numbers = from != nullptr                     ? from->numbers
                   : std::get<Constant>(value).integer ? Numbers::whole
                                                       : Numbers::real;
  }
  return result;
}

void mask_input(Node& node, size_t input, float fill) {
  const Counts counts = counts_at(node, input);
  if (counts.empty()) return;
  const Value value = node.value(input);
  node.replace(input, masked(node, value, counts, fill));
}

void mask_dim(Node& node, size_t input, size_t dim, float fill) {
  for (const Counted& counted : counts_at(node, input)) {
    if (counted.dim != dim) continue;
    const Value value = node.value(input);
    node.replace(input, masked(node, value, {counted}, fill));
  }
}

}  // namespace shingle::onnx
