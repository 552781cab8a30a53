// The body of an answer to POST .../infer. Numbers in JSON are the shortest texts that read back as
// the same float32. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/serve/v2/infer_request.hpp"

namespace shingle::serve {

// An output of the model; the values are somebody else's.
struct OutputView {
  std::string name;
  std::vector<int64_t> shape;
  std::span<const float> values;
};

struct InferAnswer {
  std::string body;
  std::optional<size_t> json_bytes{};  // set: binary bytes follow the JSON
};

// The outputs that the request wants, in its order; without a wish all. The sentence names an
// output that the model does not have, or that JSON cannot hold.
Result<InferAnswer> write_infer(const std::string& model, const InferRequest& request,
                                std::span<const OutputView> outputs);

}  // namespace shingle::serve
