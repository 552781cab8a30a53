#include "apps/python/tensors.hpp"

#include <cassert>
#include <cstdlib>
#include <limits>
#include <vector>

#include "apps/python/errors.hpp"

namespace shingle::python {
namespace {

namespace py = pybind11;

std::string name_of(const py::dtype& type) { return py::str(static_cast<py::object>(type)); }

const char* type_name(int32_t type) {
  assert(type == SHINGLE_F32 || type == SHINGLE_U8);
  return type == SHINGLE_F32 ? "float32" : "uint8";
}

// 0: a type that the library does not take.
int32_t type_of(const py::array& array) {
  if (array.dtype().equal(py::dtype::of<float>())) return SHINGLE_F32;
  if (array.dtype().equal(py::dtype::of<uint8_t>())) return SHINGLE_U8;
  return 0;
}

py::array dense_copy(const py::array& array) { return array.attr("copy")("C"); }

bool is_aligned(const py::array& array) {
  return (array.flags() & py::detail::npy_api::NPY_ARRAY_ALIGNED_) != 0;
}

// Bytes from the first element to the end of the last. Strides are not negative.
size_t extent(const py::array& array) {
  if (array.size() == 0) return 0;
  size_t bytes = static_cast<size_t>(array.itemsize());
  for (py::ssize_t axis = 0; axis < array.ndim(); ++axis) {
    bytes += static_cast<size_t>((array.shape(axis) - 1) * array.strides(axis));
  }
  return bytes;
}

std::string shape_text(const py::array& array) {
  std::string text;
  for (py::ssize_t axis = 0; axis < array.ndim(); ++axis) {
    if (axis > 0) text += 'x';
    text += std::to_string(array.shape(axis));
  }
  return text.empty() ? "a single number" : text;
}

}  // namespace

py::array readable(const std::string& name, const py::array& array) {
  if (type_of(array) == 0) {
    throw_wrong_type("input '" + name + "' is " + name_of(array.dtype()) +
                     "; float32 and uint8 are taken");
  }
  if (array.ndim() > SHINGLE_MAX_RANK) {
    throw_error(SHINGLE_USAGE, "input '" + name + "' has " + std::to_string(array.ndim()) +
                                   " dimensions; at most " + std::to_string(SHINGLE_MAX_RANK) +
                                   " are taken");
  }
  bool as_it_is = is_aligned(array);
  for (py::ssize_t axis = 0; axis < array.ndim(); ++axis) as_it_is &= array.strides(axis) > 0;
  return as_it_is ? array : dense_copy(array);
}

shingle_tensor tensor_of(const std::string& name, const py::array& array) {
  shingle_tensor tensor{};
  tensor.struct_size = sizeof tensor;
  tensor.name = name.c_str();
  tensor.type = type_of(array);
  tensor.rank = static_cast<int32_t>(array.ndim());
  assert(tensor.type != 0 && tensor.rank <= SHINGLE_MAX_RANK);
  for (int32_t axis = 0; axis < tensor.rank; ++axis) {
    tensor.dims[axis] = array.shape(axis);
    tensor.strides[axis] = array.strides(axis);
  }
  tensor.data = array.data();
  tensor.size = extent(array);
  return tensor;
}

shingle_picture picture_of(const py::array& array, int32_t format, py::array& kept) {
  if (type_of(array) != SHINGLE_U8) {
    throw_wrong_type("the picture is " + name_of(array.dtype()) + "; pictures are uint8, 0 to 255");
  }
  const py::ssize_t channels = array.ndim() == 3 ? array.shape(2) : 1;
  const py::ssize_t wanted = format == SHINGLE_GREY ? 1 : 3;
  const bool flat = array.ndim() == 2 && wanted == 1;
  if ((array.ndim() != 3 && !flat) || channels != wanted) {
    throw_error(SHINGLE_USAGE, "the picture's shape is " + shape_text(array) +
                                   "; it has to be height x width" +
                                   (wanted == 1 ? ", or height x width x 1" : " x 3"));
  }
  if (array.shape(0) > std::numeric_limits<int32_t>::max() ||
      array.shape(1) > std::numeric_limits<int32_t>::max()) {
    throw_error(SHINGLE_USAGE,
                "the picture's shape is " + shape_text(array) + ", which is too large");
  }
  const bool dense_rows = array.strides(0) >= array.shape(1) * wanted &&
                          array.strides(1) == wanted && (flat || array.strides(2) == 1);
  kept = dense_rows ? array : dense_copy(array);
  shingle_picture picture{};
  picture.struct_size = sizeof picture;
  picture.format = format;
  picture.height = static_cast<int32_t>(kept.shape(0));
  picture.width = static_cast<int32_t>(kept.shape(1));
  picture.row_bytes = kept.strides(0);
  picture.data = kept.data();
  picture.size = extent(kept);
  return picture;
}

py::array view_of(const shingle_tensor& tensor, const py::object& owner) {
  const std::vector<py::ssize_t> dims(tensor.dims, tensor.dims + tensor.rank);
  py::array array(py::dtype(type_name(tensor.type)), dims, tensor.data, owner);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

py::tuple description_of(const shingle_tensor& tensor) {
  py::list dims;
  for (int32_t axis = 0; axis < tensor.rank; ++axis) dims.append(tensor.dims[axis]);
  return py::make_tuple(tensor.name, type_name(tensor.type), dims);
}

}  // namespace shingle::python
