// The size that a model's pictures usually have, for a file that leaves it open.
#pragma once

#include "apps/models/open_sizes.hpp"

namespace shingle {

// "set it with --shape, such as --shape 1x3x640x640 (what yolov8 usually takes)". `read_at` reads
// the model with such sizes: outputs tell the head, and they are not known before. None: with sizes
// it is refused by the same sentence.
std::optional<std::string> usual_shape(const OpenModel& model, const ReadAtSizes& read_at);

}  // namespace shingle
