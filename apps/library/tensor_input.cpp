#include "apps/library/tensor_input.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "apps/library/opened_model.hpp"
#include "apps/library/sized_struct.hpp"
#include "apps/system/plain_text.hpp"

namespace shingle {
namespace {

constexpr size_t first_size = sizeof(shingle_tensor);

std::string named(const std::string& name) { return "input '" + plain_text(name, 60) + "'"; }

std::string type_name(int32_t type) {
  if (type == SHINGLE_F32) return "SHINGLE_F32";
  return type == SHINGLE_U8 ? "SHINGLE_U8" : "unknown (" + std::to_string(type) + ")";
}

std::string dims_text(std::span<const int64_t> dims) {
  std::string text;
  for (const int64_t dim : dims) text += (text.empty() ? "" : " x ") + std::to_string(dim);
  return text.empty() ? "none" : text;
}

// A dimension of more than one element: how many, and how far they lie from each other.
struct Axis {
  int64_t size = 1, stride = 0;
};

std::vector<int64_t> larger_than_one(std::span<const int64_t> dims) {
  std::vector<int64_t> larger;
  std::ranges::copy_if(dims, std::back_inserter(larger), [](int64_t dim) { return dim != 1; });
  return larger;
}

// By dimension of the tensor; densely packed where it says nothing. REQUIRES: its dims are the
// model's.
Result<std::vector<Axis>> axes_of(const shingle_tensor& tensor, int64_t element) {
  const auto rank = static_cast<size_t>(tensor.rank);
  const std::span strides(tensor.strides, rank);
  const bool is_dense = std::ranges::all_of(strides, [](int64_t stride) { return stride == 0; });
  std::vector<Axis> axes(rank);
  int64_t packed = element;
  for (size_t i = rank; i-- > 0;) {
    axes[i] = {tensor.dims[i], is_dense ? packed : strides[i]};
    packed *= tensor.dims[i];
  }
  uint64_t last = static_cast<uint64_t>(element);  // one past the last byte that is read
  for (const Axis& axis : axes) {
    if (axis.stride < 0) return usage_error("its strides are negative");
    uint64_t reach = 0;
    if (__builtin_mul_overflow(static_cast<uint64_t>(axis.size - 1),
                               static_cast<uint64_t>(axis.stride), &reach) ||
        __builtin_add_overflow(last, reach, &last))
      return usage_error("its strides reach past all memory");
  }
  if (last > tensor.size)
    return usage_error("its dims and strides need " + std::to_string(last) +
                       " bytes, and size says " + std::to_string(tensor.size));
  return axes;
}

Status check_form(const shingle_tensor& tensor, const shingle_tensor& wanted) {
  if (tensor.data == nullptr) return usage_error("its data are null");
  if (tensor.type != wanted.type)
    return usage_error("its type is " + type_name(tensor.type) + ", and the model takes " +
                       type_name(wanted.type));
  if (tensor.rank < 0 || tensor.rank > SHINGLE_MAX_RANK)
    return usage_error("its rank is " + std::to_string(tensor.rank) + ", and may be 0 to " +
                       std::to_string(SHINGLE_MAX_RANK));
  const std::span given(tensor.dims, static_cast<size_t>(tensor.rank));
  const std::span model(wanted.dims, static_cast<size_t>(wanted.rank));
  if (larger_than_one(given) != larger_than_one(model))
    return usage_error("its dims are " + dims_text(given) + ", and the model takes " +
                       dims_text(model));
  return success();
}

// The strides of channel, row and column. Dimensions of 1 do not count.
std::array<int64_t, 3> strides_by_axis(const std::vector<Axis>& axes, Shape shape) {
  std::vector<Axis> larger;
  std::ranges::copy_if(axes, std::back_inserter(larger), [](const Axis& a) { return a.size != 1; });
  std::array<int64_t, 3> strides{};
  const int64_t sizes[] = {shape.c, shape.h, shape.w};
  for (size_t i = 0, next = 0; i < 3; ++i)
    if (sizes[i] != 1) strides[i] = larger[next++].stride;
  return strides;
}

template <class Element>
std::vector<std::byte> channels_last(const std::byte* data, const std::vector<Axis>& axes,
                                     Shape shape) {
  const auto [by_channel, by_row, by_column] = strides_by_axis(axes, shape);
  std::vector<std::byte> bytes(static_cast<size_t>(shape.elements()) * sizeof(Element));
  std::byte* target = bytes.data();
  for (int64_t y = 0; y < shape.h; ++y)
    for (int64_t x = 0; x < shape.w; ++x)
      for (int64_t c = 0; c < shape.c; ++c, target += sizeof(Element))
        std::memcpy(target, data + y * by_row + x * by_column + c * by_channel, sizeof(Element));
  return bytes;
}

Result<FrameInputs::Bytes> read_tensor(const Model& model, size_t index,
                                       const shingle_tensor& tensor) {
  const Tensor& input = model.at(model.inputs[index]);
  if (const Status fits = check_form(tensor, input_of(model, index)); !fits) return fits.failure();
  const auto axes = axes_of(tensor, bytes_of(input.type));
  if (!axes) return axes.failure();
  const auto* data = static_cast<const std::byte*>(tensor.data);
  return std::make_shared<const std::vector<std::byte>>(
      input.type == ElementType::u8 ? channels_last<uint8_t>(data, *axes, input.shape)
                                    : channels_last<float>(data, *axes, input.shape));
}

// The place of the input that a tensor is for.
Result<size_t> place_of(const Model& model, const shingle_tensor& tensor, size_t position) {
  if (tensor.name == nullptr && position < model.inputs.size()) return position;
  std::string known;
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    const std::string& name = model.at(model.inputs[i]).name;
    if (tensor.name != nullptr && name == tensor.name) return i;
    known += (known.empty() ? "'" : ", '") + plain_text(name, 60) + "'";
  }
  return usage_error("the model has no " + named(tensor.name == nullptr ? "" : tensor.name) +
                     "; it has " + known);
}

}  // namespace

Result<FrameInputs> read_tensors(const Model& model, const shingle_tensor* tensors, size_t count) {
  if (tensors == nullptr) return usage_error("the inputs are null");
  if (count != model.inputs.size())
    return usage_error(std::to_string(count) + " inputs were given, and the model takes " +
                       std::to_string(model.inputs.size()));
  const auto first = read_struct(tensors, "shingle_tensor", first_size);
  if (!first) return first.failure();
  std::vector<FrameInputs::Bytes> inputs(count);
  const auto* at = reinterpret_cast<const std::byte*>(tensors);  // callers may have larger ones
  for (size_t i = 0; i < count; ++i, at += first->struct_size) {
    const auto tensor =
        read_struct(reinterpret_cast<const shingle_tensor*>(at), "shingle_tensor", first_size);
    if (!tensor) return tensor.failure();
    if (tensor->struct_size != first->struct_size)
      return usage_error("struct_size differs between the inputs");
    const auto place = place_of(model, *tensor, i);
    if (!place) return place.failure();
    const std::string name = named(model.at(model.inputs[*place]).name);
    if (inputs[*place] != nullptr) return usage_error(name + " was given twice");
    auto bytes = read_tensor(model, *place, *tensor);
    if (!bytes) return usage_error(name + ": " + bytes.error());
    inputs[*place] = std::move(*bytes);
  }
  return FrameInputs(std::move(inputs));
}

}  // namespace shingle
