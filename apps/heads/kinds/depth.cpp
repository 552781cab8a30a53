// A number for each cell of a map over the whole input: depth, disparity, heat, a probability. The
// numbers are told as they are; MiDaS and Depth Anything give larger ones for what is nearer.
//
// A map of one channel may as well be classes or text areas: only an output that is called depth is
// taken for one by itself.
#include "apps/heads/kinds/exports.hpp"
#include "apps/heads/kinds/maps.hpp"

namespace shingle {
namespace {

std::optional<Claim> claim(const Clues& clues) {
  const auto map = only_map(clues);
  if (!map || map->c != 1) return std::nullopt;
  if (int64_t{map->h} * clues.input.w != int64_t{map->w} * clues.input.h) return std::nullopt;
  const bool named =
      output_named(clues, {"depth", "predicted_depth", "inverse_depth", "disparity"}).has_value();
  return Claim{.classes = 0, .certainty = named ? Certainty::stated : Certainty::shared};
}

// MiDaS and Depth Anything were trained on such pictures.
Preparation preparation(const Clues&) { return imagenet_preparation(Fit::stretch); }

ValueMap decode(const Clues& clues, Values values) {
  const Shape map = *only_map(clues);
  return {.width = map.w, .height = map.h, .values = values[0]};
}

}  // namespace

constinit const Head depth_head{.name = "depth",
                                .outputs = "1x1xHxW or 1xHxW of the input's shape",
                                .task = "depth",
                                .usual_size = 256,
                                .claim = claim,
                                .preparation = preparation,
                                .decode = decode};

}  // namespace shingle
