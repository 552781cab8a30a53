// The product of two values: each output sums its products in the order of the depth, in double,
// and is rounded once.
#include <algorithm>
#include <array>

#include "devices/executor/view.hpp"
#include "devices/plain/plain_operators.hpp"

namespace shingle {

namespace {

constexpr int32_t lanes = 64;  // columns summed side by side: 512 bytes of the stack
using Sums = std::array<double, lanes>;

// A run of columns within one matrix of the stack.
struct ColumnRun {
  int32_t matrix = 0, column = 0;  // column: its first, of the matrix
  int32_t channel = 0, size = 0;   // of the output
};

class Product {
 public:
  Product(const PlainCall& call, const MatrixProduct& op)
      : call_(call),
        turned_(op.turned),
        width_(call.model.at(call.layer.inputs[1]).shape.w),
        depth_(call.model.at(call.layer.inputs[0]).shape.c / op.stack) {}

  void add_run(const float* row, const ColumnRun& run, float* out) const {
    Sums sums{};
    if (turned_) {
      add_pixels_as_columns(row, run, sums);
    } else {
      add_pixels_as_depth(row, run, sums);
    }
    for (int32_t lane = 0; lane < run.size; ++lane)
      out[lane] = static_cast<float>(sums[static_cast<size_t>(lane)]);
  }

  // Row (y, x) of the run's matrix.
  const float* row(int32_t y, int32_t x, const ColumnRun& run) const {
    return at(call_.inputs[0], y, x, run.matrix * depth_);
  }

 private:
  const float* second(int32_t pixel, int32_t channel) const {
    return at(call_.inputs[1], pixel / width_, pixel % width_, channel);
  }

  void add_pixels_as_depth(const float* row, const ColumnRun& run, Sums& sums) const {
    for (int32_t k = 0; k < depth_; ++k) {
      const float* columns = second(k, run.channel);
      for (int32_t lane = 0; lane < run.size; ++lane) {
        sums[static_cast<size_t>(lane)] +=
            static_cast<double>(row[k]) * static_cast<double>(columns[lane]);
      }
    }
  }

  void add_pixels_as_columns(const float* row, const ColumnRun& run, Sums& sums) const {
    for (int32_t lane = 0; lane < run.size; ++lane) {
      const float* column = second(run.column + lane, run.matrix * depth_);
      double& sum = sums[static_cast<size_t>(lane)];
      for (int32_t k = 0; k < depth_; ++k)
        sum += static_cast<double>(row[k]) * static_cast<double>(column[k]);
    }
  }

  const PlainCall& call_;
  const bool turned_;
  const int32_t width_, depth_;
};

}  // namespace

void run_operator(const PlainCall& call, const MatrixProduct& op) {
  const Product product(call, op);
  const Region& region = call.region;
  const int32_t columns = call.model.at(call.layer.output).shape.c / op.stack;
  for (int32_t c = region.c.begin; c < region.c.end;) {
    const int32_t column = c % columns;
    const ColumnRun run{.matrix = c / columns,
                        .column = column,
                        .channel = c,
                        .size = std::min({lanes, columns - column, region.c.end - c})};
    for (int32_t y = region.y.begin; y < region.y.end; ++y) {
      for (int32_t x = region.x.begin; x < region.x.end; ++x)
        product.add_run(product.row(y, x, run), run, at(call.output, y, x, c));
    }
    c += run.size;
  }
}

}  // namespace shingle
