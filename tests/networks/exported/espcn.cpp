// ESPCN: super resolution of a grey picture by 3, with a pixel shuffle at the end.
#include "tests/networks/exported/builders.hpp"

namespace shingle::networks {

namespace {

// At old opsets as three nodes.
Value pixel_shuffle(Exporter& to, const Value& x, int64_t factor) {
  const int64_t channels = x.dims[1] / (factor * factor), h = x.dims[2], w = x.dims[3];
  const Dims dims{1, channels, h * factor, w * factor};
  if (to.opset() >= 18)
    return to.node("DepthToSpace", {x}, {{"blocksize", factor}, {"mode", "CRD"}}, dims);
  const Value blocks = reshape(to, x, {1, channels, factor, factor, h, w});
  return reshape(to, transpose(to, blocks, {0, 1, 4, 2, 5, 3}), dims);
}

}  // namespace

void export_espcn(Exporter& to, const Value& x) {
  Value y = relu(to, conv(to, x, {.channels = 64, .kernel = 5}));
  y = relu(to, conv(to, y, {.channels = 64}));
  y = relu(to, conv(to, y, {.channels = 32}));
  to.output(pixel_shuffle(to, conv(to, y, {.channels = 9}), 3));
}

}  // namespace shingle::networks
