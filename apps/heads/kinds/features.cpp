// A vector that describes the picture, to be compared with others: told as it is, drawn as nothing.
// It looks like a classification: only an output that is called so is taken for one by itself.
#include "apps/heads/kinds/exports.hpp"
#include "apps/heads/kinds/maps.hpp"

namespace shingle {
namespace {

std::optional<Claim> claim(const Clues& clues) {
  if (only_vector(clues) < 2) return std::nullopt;
  const bool named = output_named(clues, {"embedding", "embeddings", "image_embeds", "features",
                                          "feature", "feature_vector"})
                         .has_value();
  return Claim{.classes = 0, .certainty = named ? Certainty::stated : Certainty::shared};
}

Preparation preparation(const Clues&) { return imagenet_preparation(Fit::crop); }

Features decode(const Clues&, Values values) { return {values[0]}; }

}  // namespace

constinit const Head features_head{.name = "features",
                                   .outputs = "1xD or 1xDx1x1",
                                   .task = "embed",
                                   .usual_size = 224,
                                   .claim = claim,
                                   .preparation = preparation,
                                   .decode = decode};

}  // namespace shingle
