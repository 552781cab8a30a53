#include "apps/gstreamer/late_frames.hpp"

namespace shingle::gst {

// A frame that begins now is late by as much as the last one, so as much again is left out: then
// the next ones may be in time, as in GStreamer's own decoders.
void LateFrames::hear(RunningTime shown, std::chrono::nanoseconds late,
                      std::chrono::nanoseconds frame) {
  earliest_ = late > std::chrono::nanoseconds::zero() ? shown + 2 * late + frame : shown + late;
}

}  // namespace shingle::gst
