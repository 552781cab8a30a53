// InferDraft: what the JSON of an inference request says, before types, shapes and binary bytes are
// held against each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/serve/v2/infer_request.hpp"

namespace shingle::serve {

struct InputDraft {
  std::string name, datatype;
  std::vector<int64_t> shape;
  std::vector<float> data;
  bool has_data = false, has_fractions = false;
  std::optional<uint64_t> binary_bytes{};
};

struct InferDraft {
  std::string id;
  std::vector<InputDraft> inputs;
  std::vector<WantedOutput> outputs;
  bool binary_outputs = false;
};

// Reads the JSON without a tree of it: a number takes four bytes.
Result<InferDraft> read_draft(std::string_view json);

}  // namespace shingle::serve
