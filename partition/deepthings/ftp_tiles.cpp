#include "partition/deepthings/ftp_tiles.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "partition/model/demand.hpp"
#include "partition/plan/program.hpp"

namespace shingle {
namespace {

bool is_place(const Layer& layer) {
  return std::holds_alternative<Convolution>(layer.op) || std::holds_alternative<Pooling>(layer.op);
}

// Part `index` of `count`: all parts are equal except the last, which is the rest. If the rest
// would be empty, the parts are as equal as possible instead.
Span part(int32_t size, int32_t index, int32_t count) {
  const int32_t each = (size + count - 1) / count;
  if (each * (count - 1) >= size) return {size * index / count, size * (index + 1) / count};
  return {each * index, std::min(size, each * (index + 1))};
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
    FtpTile tile{.row = row, .column = column, .alone = way(at(row, column)), .reusing = {}};
    tile.reusing = tile.alone;
    if (scheme_.reuse && !tile.is_even()) reuse(tile);
    return tile;
  }

 private:
  Region read(size_t layer, const Region& output) const {
    return ftp_reads(model_, layers_[layer], output);
  }

  FtpWay way(std::vector<Region> computed) const {
    const Region input = read(0, computed[0]);
    return {.input = input, .computed = std::move(computed), .stitches = false};
  }

  // By layer, as if there were no other tiles.
  std::vector<Region> wanted(int32_t row, int32_t column) const {
    const TensorId output = model_.at(layers_.back()).output;
    const Shape shape = model_.at(output).shape;
    const Region region{
        part(shape.h, row, scheme_.rows), part(shape.w, column, scheme_.columns), {0, shape.c}};
    std::vector<Region> regions(layers_.size());
    regions.back() = region;
    for (size_t i = layers_.size() - 1; i > 0; --i) regions[i - 1] = read(i, regions[i]);
    return regions;
  }

  const std::vector<Region>& at(int32_t row, int32_t column) const {
    return wanted_[index(row, column)];
  }

  // Does not compute again what the neighbours above, below, left and right have of each layer.
  void reuse(FtpTile& tile) const {
    std::vector<Region> left = at(tile.row, tile.column);
    const auto [row, column] = std::pair(tile.row, tile.column);
    for (size_t i = first_place_; i < layers_.size(); ++i) {
      Region& own = left[i];
      if (row > 0) own.y.begin = std::max(own.y.begin, at(row - 1, column)[i].y.end);
      if (row + 1 < scheme_.rows) own.y.end = std::min(own.y.end, at(row + 1, column)[i].y.begin);
      if (column > 0) own.x.begin = std::max(own.x.begin, at(row, column - 1)[i].x.end);
      if (column + 1 < scheme_.columns)
        own.x.end = std::min(own.x.end, at(row, column + 1)[i].x.begin);
      if (own.empty()) own = {};
    }
    for (size_t i = first_place_; i > 0; --i) left[i - 1] = read(i, left[i]);
    tile.reusing = way(std::move(left));
    tile.reusing.stitches = true;
    for (size_t i = first_place_ + 1; i < layers_.size(); ++i) take_strips(tile, i);
  }

  // What the tile reads in `layer` and does not compute; each pixel comes from one neighbour.
  void take_strips(FtpTile& tile, size_t layer) const {
    std::vector<Region> missing =
        subtract(read(layer, tile.reusing.computed[layer]), tile.reusing.computed[layer - 1]);
    for (const auto& [down, right] : {std::pair(-1, 0), {1, 0}, {0, -1}, {0, 1}}) {
      const int32_t row = tile.row + down, column = tile.column + right;
      if (row < 0 || row >= scheme_.rows || column < 0 || column >= scheme_.columns) continue;
      std::vector<Region> still;
      for (const Region& box : missing) {
        const Region found = intersect(box, at(row, column)[layer - 1]);
        if (!found.empty())
          tile.strips.push_back({.layer = layer - 1,
                                 .region = found,
                                 .even = index(row, column),
                                 .odd = index(tile.row, tile.column)});
        for (const Region& rest : subtract(box, scheme_.darknet ? Region{} : found))
          still.push_back(rest);
      }
      missing = std::move(still);
    }
    assert(missing.empty() || scheme_.darknet);  // only corners are missing
  }

  uint32_t index(int32_t row, int32_t column) const {
    return static_cast<uint32_t>(row * scheme_.columns + column);
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
    return Error{"the output map of the block, " + to_string(shape) + ", is smaller than the grid"};
  return layers;
}

std::vector<FtpTile> ftp_tiles(const Model& model, const std::vector<LayerId>& layers,
                               const FtpScheme& scheme) {
  const Geometry geometry(model, layers, scheme);
  std::vector<FtpTile> tiles;
  for (int32_t row = 0; row < scheme.rows; ++row)
    for (int32_t column = 0; column < scheme.columns; ++column)
      tiles.push_back(geometry.tile(row, column));
  for (uint32_t odd = 0; odd < tiles.size(); ++odd)
    if (!tiles[odd].is_even())
      for (const FtpStrip& strip : tiles[odd].strips) tiles[strip.even].strips.push_back(strip);
  return tiles;
}

std::vector<uint32_t> ftp_order(const std::vector<FtpTile>& tiles) {
  std::vector<uint32_t> order(tiles.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_partition(order.begin(), order.end(),
                        [&](uint32_t tile) { return tiles[tile].is_even(); });
  return order;
}

Region ftp_reads(const Model& model, LayerId layer, const Region& output) {
  return output.empty() ? Region{} : demand(model, model.at(layer), 0, output);
}

TileProgram ftp_rest(const Model& model, const std::vector<LayerId>& layers) {
  TileProgram rest = whole_program(model, WinogradUse::never);
  std::erase_if(rest.steps, [&](const Step& step) { return step.layer.value < layers.size(); });
  const TensorId output = model.at(layers.back()).output;
  rest.inputs = {{output, whole(model.at(output).shape)}};
  return rest;
}

}  // namespace shingle
