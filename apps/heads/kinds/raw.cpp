// No head: the outputs as they are, for --raw-out and --verify.
#include "apps/heads/head.hpp"

namespace shingle {
namespace {

std::optional<Claim> claim(const Clues&) {
  return Claim{.classes = 0, .certainty = Certainty::shared};
}

Preparation preparation(const Clues&) { return {}; }

}  // namespace

constinit const Head raw_head{.name = "raw",
                              .outputs = "anything",
                              .task = "",
                              .customary_classes = 0,
                              .usual_min_score = 0.0F,
                              .usual_size = 640,
                              .claim = claim,
                              .preparation = preparation,
                              .decode = std::monostate{}};

}  // namespace shingle
