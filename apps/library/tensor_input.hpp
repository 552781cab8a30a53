// From tensors that callers give to the inputs of a frame.
#pragma once

#include <shingle/shingle.h>

#include "partition/model/model.hpp"
#include "runtime/driver/inbox.hpp"

namespace shingle {

// The model's inputs, copied. `tensors` may be anything: the sentence names the tensor and says
// what is wrong with it.
Result<FrameInputs> read_tensors(const Model& model, const shingle_tensor* tensors, size_t count);

}  // namespace shingle
