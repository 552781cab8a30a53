// DeiT-small with patches of 16: 384 features, 12 layers, 6 heads, as Hugging Face's is exported.
#include "tests/networks/exported/builders.hpp"
#include "tests/networks/exported/encoder.hpp"

namespace shingle::networks {

namespace {

constexpr int64_t features = 384, heads = 6;

Value layer(Exporter& to, Value x) {
  const Value normal = norm(to, x);
  x = add(to, attention_of(to, {normal, normal, normal}, heads), x);
  const Value wide = activated(to, linear(to, norm(to, x), {.features = 4 * features}));
  return add(to, linear(to, wide, {.features = features, .gain = 0.5F}), x);
}

}  // namespace

// A class token and a distillation token stand before the patches.
void export_deit_small(Exporter& to, const Value& x) {
  const Value patches =
      conv(to, x, {.channels = features, .kernel = 16, .stride = 16, .padding = 0});
  const Value token = to.normal({1, 1, features}, 0.5F);
  const Value distilled = to.normal({1, 1, features}, 0.5F);
  Value y = concat(to, {token, distilled, rows_of(to, patches)}, 1);
  y = add(to, y, to.normal({1, y.dims[1], features}, 0.5F));
  for (int i = 0; i < 12; ++i) y = layer(to, y);
  y = norm(to, y);
  const Value a = linear(to, at_index(to, y, 1, 0), {.features = 1000});
  const Value b = linear(to, at_index(to, y, 1, 1), {.features = 1000});
  to.output(binary(to, "Div", add(to, a, b), to.scalar(2.0F)));
}

}  // namespace shingle::networks
