// Seeded networks: common architectures with random weights, scaled so that activations stay
// finite; and small random networks for property tests. The seed determines everything, on every
// machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "partition/model/model.hpp"

namespace shingle::networks {

// splitmix64: a generator of our own, because the standard distributions differ between libraries.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next();
  int32_t between(int32_t low, int32_t high);  // both inclusive
  float uniform(float low, float high);
  float normal();  // mean 0, deviation 1
  bool chance(double probability);

 private:
  uint64_t state_;
};

// "yolov2_front" (layers 0-15), "yolov2", "yolov3_tiny", "resnet18", "resnet50", "mobilenetv2",
// "unet", "yolov8n", "vgg16", "tiny" (three small convolutions). `size`: input height and width, 0
// for the usual one.
std::vector<std::string> names();
Result<Model> make(std::string_view name, int32_t size = 0, uint64_t seed = 1);

// Ronneberger's U-Net: 64 to 1024 channels, two classes, "same" padding, so that skips need no
// crop. REQUIRES: height and width are multiples of 16.
Model original_unet(int32_t height, int32_t width, uint64_t seed = 1);

// At most a dozen layers on a map of at most 40x40, with branches, strides, dilation, even kernels,
// asymmetric pads, max-pool after leaky ReLU, averages with and without padding in the count,
// concat, resize, rearrange, transposed convolution and reductions. `all` also draws products of
// two values, sorts, and maps that are read and changed at indices. `first` leaves these out, so a
// seed draws the same network in older builds.
enum class DrawnOperators : uint8_t { first, all };
Model random_model(Random& random, DrawnOperators operators = DrawnOperators::all);

// The same on smaller maps with at least 16 input and output channels in most convolutions. Half of
// the convolutions are 3x3 with stride 1, which Winograd computes.
Model random_wide_model(Random& random, DrawnOperators operators = DrawnOperators::all);

// The model as ONNX bytes (opset 13) that any ONNX reader accepts, for oracles and for tests of
// readers.
std::string to_onnx(const Model& model);

// Uniform in [-1, 1), seeded.
std::vector<float> random_input(Shape shape, uint64_t seed);

}  // namespace shingle::networks
