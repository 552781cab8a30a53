// The last stage of a Winograd convolution: A^T M A, bias, activation, addition, max-pool, store.
#if defined(SHINGLE_KERNELS_WINOGRAD_FINISH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SHINGLE_KERNELS_WINOGRAD_FINISH_INL
#undef SHINGLE_KERNELS_WINOGRAD_FINISH_INL
#else
#define SHINGLE_KERNELS_WINOGRAD_FINISH_INL
#endif

#include <cmath>

#include "devices/kernels/winograd_stage-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace shingle::kernels::HWY_NAMESPACE {

// The kinds of epilogues that the inverse transform is compiled for.
enum class Finish { plain, leaky, clamp, any };

inline Finish finish_of(const Epilogue& epilogue) {
  if (epilogue.residual) return Finish::any;
  switch (epilogue.activation.kind) {
    case Activation::Kind::none:
      return Finish::plain;
    case Activation::Kind::leaky_relu:  // with a negative slope the maximum must come after it
      return epilogue.activation.alpha >= 0 ? Finish::leaky : Finish::any;
    case Activation::Kind::relu:
    case Activation::Kind::clip:
      return Finish::clamp;
    default:
      return Finish::any;
  }
}

struct Light {
  V bias, low, high, slope;
};

template <Finish finish>
HWY_INLINE V finished(F d, V v, const Light& light) {
  v = hn::Add(v, light.bias);
  if constexpr (finish == Finish::leaky)
    return hn::IfThenElse(hn::Lt(v, hn::Zero(d)), hn::Mul(v, light.slope), v);
  if constexpr (finish == Finish::clamp) return hn::Min(hn::Max(v, light.low), light.high);
  return v;
}

inline Light light_of(F d, const Activation& activation) {
  const bool relu = activation.kind == Activation::Kind::relu;
  return {hn::Zero(d), hn::Set(d, relu ? 0.0F : activation.alpha),
          hn::Set(d, relu ? HUGE_VALF : activation.beta), hn::Set(d, activation.alpha)};
}

// Where a vector of channels is stored: the tile's outputs that lie in the region.
struct Target {
  float* at[4];  // row i of the tile at its column 0, or nullptr
  const float* residual[4];
  Span columns;  // of the tile, 0..4
  std::ptrdiff_t pixel, residual_pixel;
};

inline Target target_of(const Stage& s, TileAt tile) {
  Target target{};
  const int32_t shrink = s.call.pool ? 2 : 1, size = winograd_tile / shrink;
  const int32_t y = tile.y / shrink, x = tile.x / shrink;
  target.columns = {std::max(0, s.output.columns.begin - x),
                    std::min(size, s.output.columns.end - x)};
  target.pixel = s.output.pixel;
  for (int32_t i = 0; i < size; ++i) {
    if (y + i < s.output.rows.begin || y + i >= s.output.rows.end) continue;
    target.at[i] =
        s.output.row[y + i - s.output.rows.begin] + (x - s.output.columns.begin) * s.output.pixel;
    if (const InputRows* r = s.call.epilogue.residual) {
      target.residual[i] = r->row[y + i - r->rows.begin] + (x - r->columns.begin) * r->pixel;
      target.residual_pixel = r->pixel;
    }
  }
  return target;
}

HWY_INLINE void store_tile(F d, const V (&y)[4][4], const Target& target, std::size_t channel,
                           std::size_t count) {
  const bool whole = target.columns == Span{0, 4} && count >= lanes;
  repeat<4>([&](auto i) SHINGLE_INLINE {
    if (!target.at[i]) return;
    float* to = target.at[i] + channel;
    repeat<4>([&](auto j) SHINGLE_INLINE {
      const auto offset = static_cast<std::ptrdiff_t>(j) * target.pixel;
      if (HWY_LIKELY(whole))
        hn::StoreU(y[i][j], d, to + offset);
      else if (target.columns.begin <= static_cast<int32_t>(j) &&
               static_cast<int32_t>(j) < target.columns.end)
        store_first(d, y[i][j], to + offset, count);
    });
  });
}

HWY_INLINE void store_pooled(F d, const V (&y)[4][4], const Target& target, std::size_t channel,
                             std::size_t count) {
  repeat<2>([&](auto i) SHINGLE_INLINE {
    if (!target.at[i]) return;
    repeat<2>([&](auto j) SHINGLE_INLINE {
      if (static_cast<int32_t>(j) < target.columns.begin ||
          static_cast<int32_t>(j) >= target.columns.end)
        return;
      store_first(d, y[i][j],
                  target.at[i] + static_cast<std::ptrdiff_t>(j) * target.pixel + channel, count);
    });
  });
}

HWY_INLINE V maximum(const V (&y)[4][4], std::size_t i, std::size_t j) {
  return hn::Max(hn::Max(y[i][j], y[i][j + 1]), hn::Max(y[i + 1][j], y[i + 1][j + 1]));
}

// Any activation, with a residual before or after it. Value by value through memory: such layers
// take a small part of the time.
inline HWY_NOINLINE void finish_slowly(const Stage& s, const Target& target, std::size_t channel,
                                       std::size_t count, V bias, V (&y)[4][4]) {
  const F d;
  const Epilogue& e = s.call.epilogue;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      V v = hn::Add(y[i][j], bias), r = hn::Zero(d);
      const bool inside = target.residual[i] && target.columns.begin <= static_cast<int32_t>(j) &&
                          static_cast<int32_t>(j) < target.columns.end;
      if (inside)
        r = load_first(
            d,
            target.residual[i] + static_cast<std::ptrdiff_t>(j) * target.residual_pixel + channel,
            count);
      if (e.residual && !e.residual_after_activation) v = hn::Add(v, r);
      v = activate(d, v, e.activation);
      if (e.residual && e.residual_after_activation) v = hn::Add(v, r);
      y[i][j] = v;
    }
  }
}

// The inverse transform of one panel of one tile. Bias and light activations are monotonic, so the
// maximum may be taken first; then they are applied to a quarter of the values, with the same bits.
template <Finish finish, bool pool>
HWY_INLINE void finish_tile(const Stage& s, const Target& target, const WinogradPanel& panel,
                            const float* m) {
  const F d;
  Light light = light_of(d, s.call.epilogue.activation);
  for (std::size_t n = 0; n < panel.vectors; ++n) {
    const std::size_t channel = panel.channel + n * lanes, count = panel.width - n * lanes;
    light.bias = hn::LoadU(d, panel.bias + n * lanes);
    V y[4][4];
    transform_output(d, m + n * lanes, s.at.m_position, y);
    if constexpr (finish == Finish::any)
      finish_slowly(s, target, channel, count, light.bias, y);
    else if constexpr (!pool)
      repeat<16>([&](auto i) SHINGLE_INLINE {
        y[i / 4][i % 4] = finished<finish>(d, y[i / 4][i % 4], light);
      });
    if constexpr (pool) {
      repeat<4>([&](auto i) SHINGLE_INLINE {
        const V most = maximum(y, i / 2 * 2, i % 2 * 2);
        y[i / 2][i % 2] = finish == Finish::any ? most : finished<finish>(d, most, light);
      });
      store_pooled(d, y, target, channel, count);
    } else {
      store_tile(d, y, target, channel, count);
    }
  }
}

template <Finish finish, bool pool>
HWY_NOINLINE void finish_tiles(const Stage& s, Tiles tiles, const WinogradPanel& panel,
                               const float* m) {
  for (int32_t t = tiles.begin; t < tiles.end; ++t, m += s.at.m_row)
    finish_tile<finish, pool>(s, target_of(s, s.tiles.at(t)), panel, m);
}

template <bool pool>
inline auto finish_function(Finish finish) {
  switch (finish) {
    case Finish::plain:
      return &finish_tiles<Finish::plain, pool>;
    case Finish::leaky:
      return &finish_tiles<Finish::leaky, pool>;
    case Finish::clamp:
      return &finish_tiles<Finish::clamp, pool>;
    case Finish::any:
      break;
  }
  return &finish_tiles<Finish::any, pool>;
}

}  // namespace shingle::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
