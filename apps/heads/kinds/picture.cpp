// From a picture to a picture: super resolution, restoration, style. The output has the input's
// channels and its size times a whole number; its numbers mean what the input's do. A grey network
// gives the brightness alone (ESPCN), and the colours stay those of the picture.
//
// A larger map is a picture beyond doubt, because no other head's map is larger than the input. One
// of the same size may be scores of classes: the user must name the head.
#include "apps/heads/kinds/maps.hpp"

namespace shingle {
namespace {

std::optional<Claim> claim(const Clues& clues) {
  const auto map = only_map(clues);
  if (!map || clues.outputs[0].dims.size() != 4 || map->c != clues.input.c) return std::nullopt;
  const int32_t factor = map->h / clues.input.h;
  if (factor < 1 || map->h != factor * clues.input.h || map->w != factor * clues.input.w)
    return std::nullopt;
  return Claim{.classes = 0, .certainty = factor > 1 ? Certainty::stated : Certainty::shared};
}

Preparation preparation(const Clues&) { return {.fit = Fit::stretch, .colour = ColourOrder::rgb}; }

Planes decode(const Clues& clues, Values values) { return {values[0], *only_map(clues)}; }

}  // namespace

constinit const Head picture_head{
    .name = "picture",
    .outputs = "1xCx(kH)x(kW), C, H and W the input's, k a whole number",
    .task = "restore",
    .usual_size = 224,
    .claim = claim,
    .preparation = preparation,
    .decode = decode};

}  // namespace shingle
