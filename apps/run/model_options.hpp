// The options that every verb takes that reads a model: which file, and how it is read.
#pragma once

#include <string>

#include "apps/heads/reading.hpp"
#include "apps/models/model_file.hpp"

namespace CLI {
class App;
}

namespace shingle {

// MODEL and what is said about reading it, which most verbs take.
struct ModelChoice {
  std::string path, weights;
  std::string shape;          // "1x3x480x640", or empty
  std::string max_constants;  // as 512MiB, or empty
  int64_t opset = 0;          // reads an ONNX file as of this opset; 0: the one that it names

  ModelPath where() const { return {path, weights}; }
};
void describe(CLI::App& verb, ModelChoice& model, bool required = true);

// REQUIRES: the texts were checked as describe() has them checked.
OnnxOptions onnx_options_of(const ModelChoice& model);
OnnxOptions sized_by_plan(const ModelChoice& model, const std::string& plan_file);  // or by --shape
inline constexpr const char* memory_help =
    "memory that each node may use beyond its bare process, such as 48MiB";
void describe(CLI::App& verb, ReadingOptions& options);

}  // namespace shingle
