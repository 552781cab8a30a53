// Classification: a number for each class of the whole picture, as logits or as probabilities.
// Numbers from 0 that sum to 1 are probabilities; of anything else the softmax is taken.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "apps/heads/kinds/maps.hpp"

namespace shingle {
namespace {

constexpr float sum_tolerance = 1e-3F;  // of up to thousands of rounded probabilities

std::optional<Claim> claim(const Clues& clues) {
  const int64_t size = only_vector(clues);
  if (size < 2) return std::nullopt;
  return Claim{.classes = size};
}

Preparation preparation(const Clues& clues) {
  if (!metadata_of(clues, "task").empty())  // Ultralytics' own
    return {.fit = Fit::crop, .colour = ColourOrder::rgb};
  return imagenet_preparation(Fit::crop);  // as everybody else's
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
