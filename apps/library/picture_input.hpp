// From pictures that callers give to the inputs of a frame.
#pragma once

#include <shingle/shingle.h>

#include "apps/library/opened_model.hpp"
#include "runtime/driver/inbox.hpp"

namespace shingle {

struct PictureInput {
  FrameInputs inputs;
  PixelSize size;
};

// `picture` may be anything: the sentence says what is wrong with it. REQUIRES: the model takes
// pictures.
Result<PictureInput> read_picture(const OpenedModel& model, const shingle_picture* picture);

}  // namespace shingle
