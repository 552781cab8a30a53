// The three transforms of F(4x4, 3x3) over the points 0, +-a, +-b, infinity with a = 3/4, b = 3/2,
// one vector of channels at a time. The rows of B^T for +-a are E +- a O with E = x4 - b^2 x2 and O
// = x3 - b^2 x1; for +-b the same with a^2. So two rows share E and O, and nearly all operations
// are fused multiply-adds.
#if defined(SHINGLE_KERNELS_WINOGRAD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SHINGLE_KERNELS_WINOGRAD_INL
#undef SHINGLE_KERNELS_WINOGRAD_INL
#else
#define SHINGLE_KERNELS_WINOGRAD_INL
#endif

#include "devices/kernels/block-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace shingle::kernels::HWY_NAMESPACE {

inline constexpr float wa = 0.75F, wb = 1.5F, wa2 = wa * wa, wb2 = wb * wb, wa3 = wa2 * wa,
                       wb3 = wb2 * wb;

struct Pair {
  V plus, minus;
};

// Rows 0 and 5 of B^T: a^2 b^2 x0 - (a^2 + b^2) x2 + x4.
HWY_INLINE V edge_row(F d, V x0, V x2, V x4) {
  return hn::MulAdd(x2, hn::Set(d, -(wa2 + wb2)), hn::MulAdd(x0, hn::Set(d, wa2 * wb2), x4));
}
// The rows of +-point, `other` being the other point's square.
HWY_INLINE Pair point_rows(F d, V x1, V x2, V x3, V x4, float point, float other) {
  const V even = hn::MulAdd(x2, hn::Set(d, -other), x4);
  const V odd = hn::MulAdd(x1, hn::Set(d, -other), x3);
  return {hn::MulAdd(odd, hn::Set(d, point), even), hn::MulAdd(odd, hn::Set(d, -point), even)};
}

// One row of B^T d times B, to six positions of V.
HWY_INLINE void transform_row(F d, const V (&t)[6], float* to, std::size_t position) {
  hn::Store(edge_row(d, t[0], t[2], t[4]), d, to);
  const Pair a = point_rows(d, t[1], t[2], t[3], t[4], wa, wb2);
  hn::Store(a.plus, d, to + position);
  hn::Store(a.minus, d, to + 2 * position);
  const Pair b = point_rows(d, t[1], t[2], t[3], t[4], wb, wa2);
  hn::Store(b.plus, d, to + 3 * position);
  hn::Store(b.minus, d, to + 4 * position);
  hn::Store(edge_row(d, t[1], t[3], t[5]), d, to + 5 * position);
}

// V[p] = (B^T d B)[p] for one vector of channels of one tile; `position` floats between V's
// positions. Each row is transformed by itself and reads its inputs again (84 loads instead of 36),
// because 36 live values would not fit the registers.
template <class Load>
HWY_INLINE void transform_input(F d, const Load& load, float* to, std::size_t position) {
  V t[6], u[6];
  repeat<6>([&](auto j) SHINGLE_INLINE { t[j] = edge_row(d, load(0, j), load(2, j), load(4, j)); });
  transform_row(d, t, to, position);
  repeat<6>([&](auto j) SHINGLE_INLINE {
    const Pair rows = point_rows(d, load(1, j), load(2, j), load(3, j), load(4, j), wa, wb2);
    t[j] = rows.plus, u[j] = rows.minus;
  });
  transform_row(d, t, to + 6 * position, position);
  transform_row(d, u, to + 12 * position, position);
  repeat<6>([&](auto j) SHINGLE_INLINE {
    const Pair rows = point_rows(d, load(1, j), load(2, j), load(3, j), load(4, j), wb, wa2);
    t[j] = rows.plus, u[j] = rows.minus;
  });
  transform_row(d, t, to + 18 * position, position);
  transform_row(d, u, to + 24 * position, position);
  repeat<6>([&](auto j) SHINGLE_INLINE { t[j] = edge_row(d, load(1, j), load(3, j), load(5, j)); });
  transform_row(d, t, to + 30 * position, position);
}

// A^T m: four outputs of six products.
HWY_INLINE void inverse(F d, V m0, V m1, V m2, V m3, V m4, V m5, V (&y)[4]) {
  const V s1 = hn::Add(m1, m2), d1 = hn::Sub(m1, m2), s2 = hn::Add(m3, m4), d2 = hn::Sub(m3, m4);
  y[0] = hn::Add(m0, hn::Add(s1, s2));
  y[1] = hn::MulAdd(d2, hn::Set(d, wb), hn::Mul(d1, hn::Set(d, wa)));
  y[2] = hn::MulAdd(s2, hn::Set(d, wb2), hn::Mul(s1, hn::Set(d, wa2)));
  y[3] = hn::MulAdd(d2, hn::Set(d, wb3), hn::MulAdd(d1, hn::Set(d, wa3), m5));
}

// y = A^T M A for one vector of channels of one tile.
HWY_INLINE void transform_output(F d, const float* from, std::size_t position, V (&y)[4][4]) {
  V t[4][6];
  repeat<6>([&](auto j) SHINGLE_INLINE {
    V column[4];
    const auto m = [&](std::size_t i)
                       SHINGLE_INLINE { return hn::Load(d, from + (6 * i + j) * position); };
    inverse(d, m(0), m(1), m(2), m(3), m(4), m(5), column);
    repeat<4>([&](auto i) SHINGLE_INLINE { t[i][j] = column[i]; });
  });
  repeat<4>([&](auto i) SHINGLE_INLINE {
    inverse(d, t[i][0], t[i][1], t[i][2], t[i][3], t[i][4], t[i][5], y[i]);
  });
}

// G g: six products of three weights. Row of +-point: (g0 +- point g1 + point^2 g2) / n, where n is
// 2 point^2 (point^2 - other^2); of 0: g0 / (a^2 b^2); of infinity: g2.
HWY_INLINE void transform_filter_line(F d, V g0, V g1, V g2, V (&u)[6]) {
  const auto rows = [&](double point, double n) SHINGLE_INLINE {
    const V even = hn::MulAdd(g2, hn::Set(d, static_cast<float>(point * point / n)),
                              hn::Mul(g0, hn::Set(d, static_cast<float>(1 / n))));
    const float odd = static_cast<float>(point / n);
    return Pair{hn::MulAdd(g1, hn::Set(d, odd), even), hn::MulAdd(g1, hn::Set(d, -odd), even)};
  };
  constexpr double a = wa, b = wb;
  const Pair ra = rows(a, 2 * a * a * (a * a - b * b)), rb = rows(b, 2 * b * b * (b * b - a * a));
  u[0] = hn::Mul(g0, hn::Set(d, static_cast<float>(1 / (a * a * b * b))));
  u[1] = ra.plus, u[2] = ra.minus, u[3] = rb.plus, u[4] = rb.minus, u[5] = g2;
}

// U[p] = (G g G^T)[p] for one vector of output channels; g[tap] and U[p] lie `tap` and `position`
// floats apart.
HWY_INLINE void transform_filter(F d, const float* g, std::size_t tap, float* to,
                                 std::size_t position) {
  V h[3][6];
  repeat<3>([&](auto x) SHINGLE_INLINE {
    transform_filter_line(d, hn::LoadU(d, g + x * tap), hn::LoadU(d, g + (3 + x) * tap),
                          hn::LoadU(d, g + (6 + x) * tap), h[x]);
  });
  repeat<6>([&](auto i) SHINGLE_INLINE {
    V u[6];
    transform_filter_line(d, h[0][i], h[1][i], h[2][i], u);
    repeat<6>([&](auto j) SHINGLE_INLINE { hn::StoreU(u[j], d, to + (6 * i + j) * position); });
  });
}

}  // namespace shingle::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
