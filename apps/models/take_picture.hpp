// How a model takes pictures: what it was trained on, and the layer that turns their bytes into its
// input (take_image). What makes the bytes from a picture is apps/pictures/placement.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "partition/model/model.hpp"

namespace shingle {

enum class Fit { letterbox, centred, stretch, crop };
enum class ColourOrder { bgr, rgb };

// What a model was trained on. Element v of channel c (0 to 255, in the order of `colour`) means
// (v - mean[c]) / deviation[c]; a grey model takes the first number.
struct Preparation {
  Fit fit = Fit::stretch;
  ColourOrder colour = ColourOrder::bgr;
  std::array<float, 3> mean{0.0F, 0.0F, 0.0F};
  std::array<float, 3> deviation{255.0F, 255.0F, 255.0F};
  uint8_t fill = 114;
  friend bool operator==(const Preparation&, const Preparation&) = default;
};

// The input that takes the picture: the model's only input, or the only one that could be a picture
// (f32, 1 or 3 channels, more than one row and column). The error says why there is none.
Result<TensorId> picture_input(const Model& model);
Result<Shape> picture_shape(const Model& model);  // of that input

// The place of the input 'orig_target_sizes' (RT-DETR's and D-FINE's exports), which takes two
// numbers: the picture's width and height. None: the model has no such input.
std::optional<size_t> picture_size_input(const Model& model);

// Makes the model take pictures as uint8 (take_image).
Status take_picture(Model& model, const Preparation& preparation);
// The same with the numbers of a plan, from anybody: an error where they do not fit the model, or
// say that they are for another one.
Status take_picture(Model& model, const ImageInput& image);

}  // namespace shingle
