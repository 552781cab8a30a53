// Classification: a number for each class of the whole picture, as logits or as probabilities.
// Numbers from 0 that sum to 1 are probabilities; of anything else the softmax is taken.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "apps/vision/head.hpp"

namespace shingle {
namespace {

constexpr float sum_tolerance = 1e-3F;  // of up to thousands of rounded probabilities

std::optional<Claim> claim(const Clues& clues) {
  if (clues.outputs.size() != 1) return std::nullopt;
  const std::vector<int64_t>& dims = clues.outputs[0].dims;
  const bool vector = dims.size() == 2 || (dims.size() == 4 && dims[2] == 1 && dims[3] == 1);
  if (!vector || dims[0] != 1 || dims[1] < 2) return std::nullopt;
  return Claim{.classes = dims[1]};
}

Preparation preparation(const Clues& clues) {
  Preparation prepared{.fit = Fit::crop, .colour = ColourOrder::rgb};
  if (!metadata_of(clues, "task").empty()) return prepared;  // Ultralytics' own
  prepared.mean = {123.675F, 116.28F, 103.53F};              // ImageNet's, as everybody else's
  prepared.deviation = {58.395F, 57.12F, 57.375F};
  return prepared;
}

bool are_probabilities(std::span<const float> values) {
  const float sum = std::accumulate(values.begin(), values.end(), 0.0F);
  return std::abs(sum - 1.0F) <= sum_tolerance &&
         std::all_of(values.begin(), values.end(), [](float value) { return value >= 0.0F; });
}

std::vector<float> decode(const Clues&, Values values) {
  std::vector<float> scores = values[0];
  if (are_probabilities(scores)) return scores;
  const float most = *std::max_element(scores.begin(), scores.end());
  for (float& score : scores) score = std::exp(score - most);
  const float sum = std::accumulate(scores.begin(), scores.end(), 0.0F);
  for (float& score : scores) score /= sum;
  return scores;
}

}  // namespace

constinit const Head classification_head{.name = "classification",
                                         .outputs = "1xC or 1xCx1x1",
                                         .task = "classify",
                                         .customary_classes = 1000,
                                         .usual_min_score = 0.0F,
                                         .usual_size = 224,
                                         .claim = claim,
                                         .preparation = preparation,
                                         .decode = decode};

}  // namespace shingle
