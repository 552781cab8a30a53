// NumPy's arrays as the library's tensors and pictures, without a copy where the memory's layout
// allows it.
#pragma once

#include <pybind11/numpy.h>

#include <string>

#include "shingle/shingle.h"

namespace shingle::python {

// The same elements in memory that the library reads: `array` itself, or a dense copy if a stride
// is 0 or negative, or elements are not aligned. Throws TypeError if the elements are neither
// float32 nor uint8 in this machine's order of bytes, ValueError if there are too many dimensions.
// `name`: of the input, for the sentence.
pybind11::array readable(const std::string& name, const pybind11::array& array);

// A tensor over the memory of an array that readable() gave. Name and memory must outlive it.
shingle_tensor tensor_of(const std::string& name, const pybind11::array& array);

// A picture over the memory of `array`: uint8, height x width x 3 (x 1 or none for SHINGLE_GREY).
// `kept` gets the array whose memory it is, a copy where a row's pixels are not dense. Throws
// TypeError and ValueError.
shingle_picture picture_of(const pybind11::array& array, int32_t format, pybind11::array& kept);

// A read-only array over the tensor's memory, which `owner` keeps.
pybind11::array view_of(const shingle_tensor& tensor, const pybind11::object& owner);

// (name, NumPy's name of its type, dims)
pybind11::tuple description_of(const shingle_tensor& tensor);

}  // namespace shingle::python
