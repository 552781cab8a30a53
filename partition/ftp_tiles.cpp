#include "partition/ftp_tiles.hpp"

#include <algorithm>

#include "partition/demand.hpp"
#include "partition/program.hpp"

namespace shingle {
namespace {

constexpr int64_t element_bytes = 4;  // all is sent as f32

bool is_place(const Layer& layer) {
  return std::holds_alternative<Convolution>(layer.op) || std::holds_alternative<Pooling>(layer.op);
}

class Geometry {
 public:
  Geometry(const Model& model, const std::vector<LayerId>& layers, const FtpScheme& scheme)
      : model_(model), layers_(layers), scheme_(scheme) {
    first_place_ =
        static_cast<size_t>(std::find_if(layers.begin(), layers.end(),
                                         [&](LayerId id) { return is_place(model.at(id)); }) -
                            layers.begin());
    for (int32_t row = 0; row < scheme.rows; ++row)
      for (int32_t column = 0; column < scheme.columns; ++column)
        wanted_.push_back(wanted(row, column));
  }

  FtpTile tile(int32_t row, int32_t column) const {
    FtpTile tile{.row = row, .column = column, .computed = at(row, column), .input = {}};
    tile.output_bytes = tile.computed.back().elements() * element_bytes;
    if (scheme_.reuse && !tile.is_even()) leave_out(tile);
    tile.input = read(0, tile.computed[0]);
    for (size_t i = first_place_ + 1; i < layers_.size(); ++i) {
      const Region reads = read(i, tile.computed[i]);
      tile.shared_bytes +=
          (reads.elements() - intersect(reads, tile.computed[i - 1]).elements()) * element_bytes;
    }
    return tile;
  }

 private:
  Region read(size_t layer, const Region& output) const {
    return output.empty() ? Region{} : demand(model_, model_.at(layers_[layer]), 0, output);
  }

  // By layer, as if the tile were alone.
  std::vector<Region> wanted(int32_t row, int32_t column) const {
    const TensorId output = model_.at(layers_.back()).output;
    const Shape shape = model_.at(output).shape;
    const auto part = [](int32_t size, int32_t index, int32_t count) {
      return Span{size * index / count, size * (index + 1) / count};
    };
    const Region region{
        part(shape.h, row, scheme_.rows), part(shape.w, column, scheme_.columns), {0, shape.c}};
    std::vector<Region> regions(layers_.size());
    regions.back() = region;
    for (size_t i = layers_.size() - 1; i > 0; --i) regions[i - 1] = read(i, regions[i]);
    return regions;
  }

  const std::vector<Region>& at(int32_t row, int32_t column) const {
    return wanted_[static_cast<size_t>(row * scheme_.columns + column)];
  }

  // What the neighbours above, below, left and right have of each layer is not computed again.
  void leave_out(FtpTile& tile) const {
    const auto [row, column] = std::pair(tile.row, tile.column);
    for (size_t i = first_place_; i < layers_.size(); ++i) {
      Region& own = tile.computed[i];
      if (row > 0) own.y.begin = std::max(own.y.begin, at(row - 1, column)[i].y.end);
      if (row + 1 < scheme_.rows) own.y.end = std::min(own.y.end, at(row + 1, column)[i].y.begin);
      if (column > 0) own.x.begin = std::max(own.x.begin, at(row, column - 1)[i].x.end);
      if (column + 1 < scheme_.columns)
        own.x.end = std::min(own.x.end, at(row, column + 1)[i].x.begin);
      if (own.empty()) own = {};
    }
    for (size_t i = first_place_; i > 0; --i) tile.computed[i - 1] = read(i, tile.computed[i]);
  }

  const Model& model_;
  const std::vector<LayerId>& layers_;
  const FtpScheme scheme_;
  size_t first_place_ = 0;
  std::vector<std::vector<Region>> wanted_;  // by tile, by layer
};

}  // namespace

Result<std::vector<LayerId>> ftp_layers(const Model& model, const FtpScheme& scheme) {
  std::vector<LayerId> layers;
  int32_t places = 0;
  if (model.inputs.size() != 1) return Error{"FTP splits models of one input only"};
  TensorId last = model.inputs[0];
  for (uint32_t i = 0; i < model.layers.size() && places < scheme.layers; ++i) {
    const Layer& layer = model.layers[i];
    if (layer.inputs.size() != 1 || layer.inputs[0] != last)
      return Error{"FTP needs a chain, and layer '" + layer.name + "' reads something else"};
    layers.push_back({i});
    last = layer.output;
    places += is_place(layer) ? 1 : 0;
  }
  if (places < scheme.layers)
    return Error{"the model has " + std::to_string(places) + " convolutions and pools, not " +
                 std::to_string(scheme.layers)};
  const Shape shape = model.at(last).shape;
  if (shape.h < scheme.rows || shape.w < scheme.columns)
    return Error{"the map behind the block, " + to_string(shape) + ", is smaller than the grid"};
  return layers;
}

std::vector<FtpTile> ftp_tiles(const Model& model, const std::vector<LayerId>& layers,
                               const FtpScheme& scheme) {
  const Geometry geometry(model, layers, scheme);
  std::vector<FtpTile> tiles;
  for (int32_t row = 0; row < scheme.rows; ++row)
    for (int32_t column = 0; column < scheme.columns; ++column)
      tiles.push_back(geometry.tile(row, column));
  return tiles;
}

}  // namespace shingle
