// How a model takes pictures: what it was trained on, and the layer that turns their bytes into its
// input (take_image). What makes the bytes from a picture is apps/vision/picture.hpp.
#pragma once

#include <array>
#include <cstdint>

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

// The input of a model that takes a picture: its first, f32, of 1 or 3 channels; the only one, or
// beside one that takes the picture's size. An error otherwise.
Result<Shape> picture_shape(const Model& model);

// Is the second of two inputs 'orig_target_sizes' (RT-DETR's and D-FINE's exports), two numbers:
// the picture's width and height?
bool takes_picture_size(const Model& model);

// Makes the model take pictures as uint8 (take_image).
Status take_picture(Model& model, const Preparation& preparation);
// The same with the numbers of a plan, from anybody: an error where they do not fit the model, or
// say that they are for another one.
Status take_picture(Model& model, const ImageInput& image);

}  // namespace shingle
