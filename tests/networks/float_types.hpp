// ONNX files in other floating point types: the same graph with its floats stored in another type,
// and the float32 twin of such a file. Independent of the reader.
#pragma once

#include <cstdint>
#include <string>

namespace shingle::networks {

enum class FloatType : int32_t { f32 = 1, f16 = 10, f64 = 11, bf16 = 16 };  // as in onnx.proto3

// Where a file keeps the elements of a tensor.
enum class Storage : uint8_t {
  raw,            // raw_data
  fields,         // the field of the type: float_data, int32_data, double_data
  constant_nodes  // raw_data of the attribute of a Constant node
};

// The file with all float32 tensors, inputs and outputs in `type`, each element rounded to it.
// Casts stay as they are. REQUIRES: the file's tensors are in raw_data.
std::string stored_as(const std::string& file, FloatType type, Storage storage = Storage::raw);

// The same graph with all floating point tensors, inputs and outputs in float32, where doubles are
// rounded. Casts stay as they are. REQUIRES: the file's tensors are in raw_data.
std::string twin(const std::string& file);

}  // namespace shingle::networks
