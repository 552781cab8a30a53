// DarknetWriter: writes a Darknet .cfg and its .weights, section by section, with seeded weights.
//
// Weights are drawn by He's rule. Statistics of batch normalisation are drawn so that normalised
// values keep about their size: scale / sqrt(variance) is between 0.8 and 1.2.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/networks/networks.hpp"

namespace shingle::networks {

struct DarknetFiles {
  std::string cfg, weights;
};

struct DarknetConvolution {
  int32_t filters = 1;
  int32_t size = 3;
  int32_t stride = 1;
  int32_t groups = 1;
  bool normalise = true;
  std::string activation = "leaky";
  float gain = 1.0F;  // below 1 if the result is added to the branch's own input
};

class DarknetWriter {
 public:
  // `input`: channels last. The header has version 0.2.5, with 64 bits for the images seen.
  DarknetWriter(Shape input, uint64_t seed);

  void convolutional(const DarknetConvolution& options);
  void connected(int32_t outputs, std::string_view activation, bool normalise = false);
  void maxpool(int32_t size, int32_t stride);
  void avgpool();
  void upsample(int32_t stride);
  void reorg(int32_t stride);
  // Sources as in the file: negative ones count back from this layer.
  void route(const std::vector<int32_t>& sources, int32_t groups = 1, int32_t group = 0);
  void shortcut(int32_t from, std::string_view activation = "linear");
  // Any other section, with its options as lines; the map stays as it is.
  void section(std::string_view kind, std::string_view options);

  int32_t layers() const { return static_cast<int32_t>(shapes_.size()) - 1; }
  DarknetFiles finish() && { return std::move(files_); }

 private:
  Shape last() const { return shapes_.back(); }
  void begin(std::string_view kind);
  void option(std::string_view key, std::string_view value);
  void option(std::string_view key, int64_t value);
  void write(float value);
  void write_uniform(int64_t count, float low, float high);
  void write_weights(int64_t count, int64_t fan_in, float gain);
  void write_statistics(int32_t channels);

  DarknetFiles files_;
  Random random_;
  std::vector<Shape> shapes_;  // the input, then by layer
};

}  // namespace shingle::networks
