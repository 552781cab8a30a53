#include "devices/layers/kernel_rows.hpp"

#include "devices/plain/elementwise.hpp"

namespace shingle {

kernels::InputRows rows_of(const InputMap& map, const Region& held,
                           std::vector<const float*>& rows) {
  rows.clear();
  if (held.empty()) return {};
  for (int32_t y = held.y.begin; y < held.y.end; ++y) {
    rows.push_back(at(map, y, held.x.begin, held.c.begin));
  }
  return {rows.data(), held.y, held.x, map.map.region.c.size()};
}

kernels::OutputRows rows_of(const OutputMap& map, const Region& part, std::vector<float*>& rows) {
  rows.clear();
  for (int32_t y = part.y.begin; y < part.y.end; ++y) {
    rows.push_back(at(map, y, part.x.begin, part.c.begin));
  }
  return {rows.data(), part.y, part.x, map.map.region.c.size()};
}

void activate_rows(const Activation& activation, const kernels::OutputRows& rows, int32_t channels,
                   Span part) {
  const bool dense = rows.pixel == part.size() && part.size() == channels;
  for (int32_t y = 0; y < rows.rows.size(); ++y) {
    float* row = rows.row[y] + part.begin;
    if (dense) {
      activate(activation, row, row, int64_t{rows.columns.size()} * channels);
      continue;
    }
    for (int32_t x = 0; x < rows.columns.size(); ++x, row += rows.pixel) {
      activate(activation, row, row, part.size());
    }
  }
}

}  // namespace shingle
