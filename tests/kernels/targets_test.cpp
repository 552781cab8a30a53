// All instruction sets with fused multiply-add give the same bytes.
#include "tests/kernels/every_target.hpp"

#include "devices/kernels/depthwise.hpp"
#include "devices/kernels/transposed.hpp"
#include "devices/kernels/winograd.hpp"
#include "tests/kernels/maps.hpp"

namespace shingle::kernels {
namespace {

// The outputs of a dense and of a depthwise transposed convolution with the same filters, behind
// `all`.
void add_transposed(const Layer& dense, const Layer& deep, const Map& in, const Epilogue& epilogue,
                    std::vector<float>& all) {
  for (const Layer* layer : {&dense, &deep}) {
    const bool depthwise = layer == &deep;
    const Window window{3, 2, 1, 1, 1};
    PhasedConvolution shape{layer->filter, window, window, depthwise, nullptr};
    std::vector<float> packed(phased_floats(shape));
    const float* weights = layer->weights.data();
    const auto each = static_cast<std::size_t>(layer->filter.inputs * 9);
    for (int32_t c = 0; !depthwise && c < layer->filter.outputs; c += panel_channels()) {
      const Span part{c, std::min(layer->filter.outputs, c + panel_channels())};
      const auto bias =
          std::span(layer->bias)
              .subspan(static_cast<std::size_t>(c), static_cast<std::size_t>(part.size()));
      pack_phases(shape, part, weights + static_cast<std::size_t>(c) * each, bias, packed.data());
    }
    if (depthwise) pack_depthwise_phases(shape, weights, layer->bias, packed.data());
    shape.packed = packed.data();
    const Map out({0, 2 * in.rows.end}, {0, 2 * in.columns.end}, layer->filter.outputs);
    const Scratch scratch(phased_scratch_floats(shape));
    phased_convolution(shape, in.input(), out.output(), epilogue, scratch.at);
    all.insert(all.end(), out.data.begin(), out.data.end());
  }
}

// The outputs of direct, Winograd, depthwise and transposed convolution, one behind the other, each
// with SiLU.
std::vector<float> results(const Layer& dense, const Layer& deep, const Map& in) {
  const Epilogue epilogue{{Activation::Kind::silu}};
  std::vector<float> packed(packed_floats(dense.filter)),
      transformed(winograd_floats(dense.filter));
  pack(dense.filter, dense.weights.data(), dense.bias, packed.data());
  winograd_weights(dense.filter, packed.data(), transformed.data());
  const Map direct(in.rows, in.columns, dense.filter.outputs),
      fast(in.rows, in.columns, dense.filter.outputs), own(in.rows, in.columns, in.channels);
  const Scratch one(direct_scratch_floats(dense.filter));
  direct_convolution({dense.filter, dense.y, dense.x, packed.data()}, in.input(), direct.output(),
                     epilogue, one.at);
  const WinogradConvolution winograd{dense.filter, 1, 1, transformed.data(), true};
  const WinogradCall call{epilogue, false, {14, 1, 24}};
  const Scratch two(winograd_scratch_floats(winograd, call.blocking));
  winograd_convolution(winograd, in.input(), fast.output(), call, two.at);
  std::vector<float> taps(depthwise_floats(in.channels, 3, 3));
  pack_depthwise(in.channels, 3, 3, deep.weights.data(), deep.bias, taps.data());
  depthwise_convolution({in.channels, deep.y, deep.x, taps.data()}, in.input(), own.output(),
                        epilogue);
  std::vector<float> all(direct.data);
  all.insert(all.end(), fast.data.begin(), fast.data.end());
  all.insert(all.end(), own.data.begin(), own.data.end());
  add_transposed(dense, deep, in, epilogue, all);
  return all;
}

}  // namespace

TEST_CASE("every instruction set gives the same bytes, or the same values where it cannot fuse") {
  Random random(31);
  const Window same{3, 1, 1, 1, 1};
  const Layer dense = random_layer(random, {45, 37, 3, 3, 1}, same, same);
  const Layer deep = random_layer(random, {37, 1, 3, 3, 37}, same, same);
  const Map in = random_map(random, 19, 23, 37);
  const std::vector<float> want = results(dense, deep, in);
  on_every_target([&] {
    const std::vector<float> got = results(dense, deep, in);
    double worst = 0;
    for (std::size_t i = 0; i < got.size(); ++i)
      worst = worse(worst, std::abs(double{got[i]} - double{want[i]}));
    MESSAGE(std::string(target_name()), " worst difference ", worst);
    CHECK(worst < 1e-4);
    if (fuses_multiply_add())
      CHECK(std::memcmp(got.data(), want.data(), got.size() * sizeof(float)) == 0);
  });
}

}  // namespace shingle::kernels
