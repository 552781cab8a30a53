// Shared by the tests of the ONNX reader: reads a file's bytes, and counts the kinds of the model's
// layers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "partition/readers/onnx.hpp"

namespace shingle {

inline Result<Model> read(const std::string& file) {
  return read_onnx(std::as_bytes(std::span(file)));
}

inline std::vector<std::string> kinds(const Model& model) {
  std::vector<std::string> list;
  for (const Layer& layer : model.layers) list.emplace_back(name_of(layer.op));
  return list;
}

inline std::map<std::string, int> kind_counts(const Model& model) {
  std::map<std::string, int> counts;
  for (const std::string& kind : kinds(model)) ++counts[kind];
  return counts;
}

}  // namespace shingle
