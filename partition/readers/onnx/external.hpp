// Tensors whose bytes are in files beside the model's file: which files, and where in them.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "partition/readers/onnx/file.hpp"

namespace shingle::onnx {

// Key: the location as the model's file writes it.
using ExternalFiles = std::unordered_map<std::string_view, std::span<const std::byte>>;

// Throws Refusal if a location leads out of the model's folder.
std::vector<std::string_view> external_locations(std::span<const std::byte> bytes);

// The bytes of a tensor. It has `bytes` of them unless its file gives another length. Throws
// Refusal if they are not there.
std::string_view external_bytes(const TensorProto& tensor, int64_t bytes,
                                const ExternalFiles& files);

}  // namespace shingle::onnx
