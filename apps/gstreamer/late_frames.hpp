// LateFrames: which frames can no longer be shown in time, by what sinks say of the last ones.
//
//   running time --|---- shown ----|-- late: not computed --|---- in time ---->
//                             a sink's word            earliest()
//
// Pure: times come in as arguments. Not for several threads at once.
#pragma once

#include <chrono>
#include <optional>

namespace shingle::gst {

using RunningTime = std::chrono::nanoseconds;

class LateFrames {
 public:
  // A sink says that a frame of running time `shown` came `late` after its time (below 0: before
  // it). `frame`: how long a frame lasts; 0: not known.
  void hear(RunningTime shown, std::chrono::nanoseconds late, std::chrono::nanoseconds frame);
  bool is_late(RunningTime frame) const { return earliest_ && frame <= *earliest_; }
  // How far it is behind the first that is in time. REQUIRES: is_late(frame).
  std::chrono::nanoseconds behind(RunningTime frame) const { return *earliest_ - frame; }
  void forget() { earliest_.reset(); }  // the stream begins anew

 private:
  std::optional<RunningTime> earliest_{};
};

}  // namespace shingle::gst
