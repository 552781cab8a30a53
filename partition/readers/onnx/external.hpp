// Tensors whose bytes lie in files beside the model's: which files, and where in them.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "partition/readers/onnx/file.hpp"

namespace shingle::onnx {

// By location, as the model's file writes it.
using ExternalFiles = std::unordered_map<std::string_view, std::span<const std::byte>>;

// Throws Refusal where a location leads out of the model's folder.
std::vector<std::string_view> external_locations(std::span<const std::byte> bytes);

// The bytes of a tensor that has `bytes` of them unless its file says otherwise. Throws Refusal
// where they are not there.
std::string_view external_bytes(const TensorProto& tensor, int64_t bytes,
                                const ExternalFiles& files);

}  // namespace shingle::onnx
