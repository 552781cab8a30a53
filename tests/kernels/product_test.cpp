// The second operand of a product is packed as the same numbers would be as weights, from either
// layout and from maps of which a part is stored.
#include "devices/kernels/product.hpp"

#include <doctest/doctest.h>

#include "tests/kernels/maps.hpp"

namespace shingle::kernels {
namespace {

std::vector<float> packed(const ProductOperand& operand) {
  std::vector<float> floats(packed_floats(product_filter(operand)), -1.0F);
  // From the last one on: no panel counts on the one before it.
  for (int32_t panel = product_panels(operand); panel-- > 0;)
    pack_product(operand, panel, floats.data());
  return floats;
}

// Element k of a column, by the definition.
float element(const Map& map, const ProductOperand& operand, int32_t matrix, int32_t k,
              int32_t column) {
  const int32_t pixel = operand.turned ? column : k;
  const int32_t channel = matrix * operand.step + (operand.turned ? k : column);
  return map.pixel(pixel / operand.width, pixel % operand.width)[channel];
}

std::vector<float> packed_as_weights(const Map& map, const ProductOperand& operand,
                                     int32_t first_matrix) {
  const FilterShape filter = product_filter(operand);
  std::vector<float> weights, result(packed_floats(filter), -1.0F);
  for (int32_t matrix = first_matrix; matrix < first_matrix + operand.stack; ++matrix)
    for (int32_t column = operand.columns.begin; column < operand.columns.end; ++column)
      for (int32_t k = 0; k < operand.depth; ++k)
        weights.push_back(element(map, operand, matrix, k, column));
  pack(filter, weights.data(), {}, result.data());
  return result;
}

}  // namespace

TEST_CASE("what is packed from a map is what is packed from weights") {
  Random random(1);
  for (int32_t round = 0; round < 200; ++round) {
    const int32_t height = random.between(1, 9), width = random.between(1, 9);
    const int32_t matrices = random.between(1, 3), pixels = height * width;
    const bool turned = random.between(0, 1) == 1;
    const int32_t step = random.between(1, turned ? 150 : 70);
    const Map map = random_map(random, height, width, matrices * step);
    ProductOperand operand{.map = map.input(),
                           .width = width,
                           .turned = turned,
                           .stack = matrices,
                           .depth = turned ? step : pixels,
                           .step = step,
                           .columns = {0, turned ? pixels : step}};
    int32_t first = 0;
    if (random.between(0, 1) == 1) {  // some columns of one matrix
      first = random.between(0, matrices - 1);
      operand.stack = 1;
      operand.columns = random_part(random, operand.columns.end);
      operand.channel = first * step + (turned ? 0 : operand.columns.begin);
    }
    Span rows{0, height}, columns{0, width};  // that must be stored
    if (turned) {
      const int32_t last = operand.columns.end - 1;
      rows = {operand.columns.begin / width, last / width + 1};
      if (rows.size() == 1) columns = {operand.columns.begin % width, last % width + 1};
    }
    const Map stored = crop(map, rows, columns);
    operand.map = stored.input();
    CAPTURE(round);
    CHECK(packed(operand) == packed_as_weights(map, operand, first));
  }
}

}  // namespace shingle::kernels
