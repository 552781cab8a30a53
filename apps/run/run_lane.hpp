// RunLane: one model's part in a run: what is under way, and what its outputs say of a picture. A
// picture is one input of the model, or several; its result comes when all of them are computed.
#pragma once

#include <chrono>
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

// One input of the model, computed.
struct LaneOutput {
  std::vector<std::vector<float>> outputs;  // in the file's order; empty if it was late
  FrameInputs inputs;  // for the comparison with one machine, if that is wanted
  std::vector<std::vector<std::byte>> bytes;
};

struct LaneResult {
  FrameResult frame{};              // without its finding, if it was not late
  std::vector<Finding> findings{};  // by input; of a late frame none
  Picture picture{};
  std::vector<LaneOutput> computed{};  // by input
};

class RunLane {
 public:
  explicit RunLane(LaneParts parts) : parts_(parts) {}

  const RunModel& model() const { return parts_.model; }
  const FrameStream& stream() const { return parts_.stream; }
  bool has_room() const;  // for a further picture
  size_t pending() const { return parts_.stream.pending() + unsent_.size(); }  // inputs

  // `images`: the model's inputs, one at least. They are sent as the stream has room for them.
  // REQUIRES: has_room().
  Status submit(uint64_t frame, Picture picture, std::vector<cv::Mat> images);
  // The oldest pending picture's result; waits for it. REQUIRES: pending() > 0.
  Result<LaneResult> next();
  // The same, if it is there within this time after the last input that came. REQUIRES:
  // pending() > 0.
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
  struct Begun {  // a picture of which not all inputs are computed
    LaneResult result{};
    size_t inputs = 1;
    std::chrono::steady_clock::time_point since{};
  };
  struct Sent {  // an input
    PixelSize size;
    FrameInputs inputs;  // empty where nothing is verified
  };
  Status send();
  // A picture's result, if the input was its last one.
  std::optional<LaneResult> finished(DeliveredFrame frame);

  LaneParts parts_;
  Counts counts_;
  std::deque<Begun> begun_;
  std::deque<cv::Mat> unsent_;  // of the newest one
  std::deque<Sent> sent_;
  std::vector<std::vector<LaneOutput>> unverified_;  // by picture
  size_t unverified_inputs_ = 0;
};

}  // namespace shingle
