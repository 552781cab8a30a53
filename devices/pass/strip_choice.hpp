// How a step of a pass is cut into strips: which steps are, and how many rows a strip has.
#pragma once

#include "devices/pass/pass_planner.hpp"
#include "devices/pass/strip_schedule.hpp"

namespace shingle {

// Without producers and stage. Steps that must see a whole map, or whose strips would be most of
// it, compute it at once. REQUIRES: manner.strip_pixels.
StripStep strip_step(const Model& model, const PassStep& step, const PassManner& manner);

}  // namespace shingle
