// RunSink: who takes the results of a run: annotated media and lines, or what another program makes
// of them.
#pragma once

#include <cassert>

#include "apps/run/run_lane.hpp"
#include "apps/system/progress.hpp"

namespace shingle {

// A picture whose turn it is.
struct ArrivedPicture {
  uint64_t frame = 0;  // from 0 on; pictures that the source dropped have no number
  const Picture& picture;
  double waited_seconds = 0.0;  // since it came
  bool is_overtaken = false;    // a newer one has come since
  uint64_t dropped = 0;         // by the source so far
};

enum class RunEnd : uint8_t {
  whole,       // all of the input was computed, or a live one was stopped
  broken_off,  // by a signal or by the input; what was read was computed
  failed,
};

class RunSink {
 public:
  RunSink() = default;
  RunSink(const RunSink&) = delete;
  RunSink& operator=(const RunSink&) = delete;
  virtual ~RunSink() = default;

  // Does it look at the main model's pictures? Otherwise they are given back once they are sent.
  virtual bool keeps_pictures() const = 0;

  // May the main model begin this picture? If not, results of earlier ones are awaited first.
  // REQUIRES of it: true when all earlier pictures were taken.
  virtual bool may_begin(uint64_t /*frame*/) const { return true; }
  // Does a further model compute this picture, unless it is left out? Asked before inputs_of().
  virtual bool computes(const RunModel& further, uint64_t frame) const {
    return frame % further.every == 0;
  }
  // The images, 8-bit BGR, that the main model computes for a picture. None of them: the picture is
  // left out, by all models. Asked once for each picture, in their order.
  virtual Result<std::vector<cv::Mat>> inputs_of(const ArrivedPicture& arrived) {
    return std::vector<cv::Mat>{arrived.picture.image};
  }
  // What the findings in these images say of the picture. Not asked for pictures that are late.
  virtual Finding joined(uint64_t /*frame*/, std::vector<Finding> findings) {
    assert(findings.size() == 1);
    return std::move(findings.front());
  }

  // Results of one model come in the order of its frames. The picture may be drawn into.
  // `progress` is cleared before something is printed.
  virtual Status take(LaneResult& result, const RunModel& model, Progress& progress) = 0;
  // What only the sink knows of the run that has ended.
  virtual void add_to(Summary& /*summary*/) const {}
  // Always called at the end, also after an error of the run or of take(): ends files well.
  virtual Status close(RunEnd end) = 0;
  // What the run's summary says of it, after close().
  virtual std::vector<SummaryFigure> figures() const { return {}; }
};

}  // namespace shingle
