// RunLane: one model's part in a run: which frames of the input it computes, what is under way, and
// what its outputs say of a picture.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/client/bare_machine.hpp"
#include "apps/client/frame_stream.hpp"
#include "apps/run/results.hpp"
#include "apps/run/run_models.hpp"
#include "apps/vision/media_in.hpp"

namespace shingle {

// Everything must outlive the lane.
struct LaneParts {
  const RunModel& model;
  Thresholds thresholds;
  FrameStream& stream;
  BareMachine* verifier = nullptr;  // null: no comparison
  bool keeps_pictures = false;  // until their results are there; else only their names and sizes
};

struct LaneResult {
  FrameResult frame;
  std::vector<std::vector<float>> outputs;  // in the file's order; empty for a late frame
  Picture picture;
  FrameInputs inputs;  // for the comparison with one machine, if that is wanted
  std::vector<std::vector<std::byte>> bytes;
};

class RunLane {
 public:
  explicit RunLane(LaneParts parts) : parts_(parts) {}

  const RunModel& model() const { return parts_.model; }
  const FrameStream& stream() const { return parts_.stream; }
  bool takes(uint64_t frame) const { return frame % parts_.model.every == 0; }
  bool has_room() const;
  size_t pending() const { return parts_.stream.pending(); }

  // REQUIRES: takes(frame), has_room().
  Status submit(uint64_t frame, Picture picture);
  // The oldest pending frame's result; waits for it. REQUIRES: pending() > 0.
  Result<LaneResult> next();
  // The same, if it is there within this time. REQUIRES: pending() > 0.
  Result<std::optional<LaneResult>> poll(Duration longest);
  // See FrameStream::hear().
  Status hear() { return parts_.stream.hear(); }
  // The result was reported: it counts, and is compared by the next verify().
  void reported(LaneResult result);
  // Compares what was reported since the last call with what one machine computes.
  Status verify();

  struct Counts {
    uint64_t frames = 0, late = 0;         // reported; of these
    uint64_t compared = 0, identical = 0;  // with what one machine computes; of these
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Submitted {
    uint64_t frame = 0;
    Picture picture;
    cv::Size size;
    FrameInputs inputs;  // empty where nothing is verified
  };
  struct Unverified {
    FrameInputs inputs;
    std::vector<std::vector<std::byte>> outputs;
  };
  LaneResult finished(DeliveredFrame frame);

  LaneParts parts_;
  Counts counts_;
  std::deque<Submitted> submitted_;
  std::vector<Unverified> unverified_;
};

}  // namespace shingle
