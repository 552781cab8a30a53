// RunLoop: pictures from the input through the cluster to annotated media, JSON lines and raw
// files.
//
// While frames are verified against the bare executor nothing is under way and the clock stands
// still: the rate that is reported is that of the cluster.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "apps/client/bare_machine.hpp"
#include "apps/client/frame_stream.hpp"
#include "apps/shingle/results.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/progress.hpp"
#include "apps/system/stop_signals.hpp"
#include "apps/vision/media_out.hpp"
#include "apps/vision/reading.hpp"

namespace shingle {

// Everything must outlive the loop.
struct RunParts {
  const Model& model;
  const Reading& reading;
  Thresholds thresholds;
  MediaInput& input;
  FrameStream& stream;
  StopSignals& signals;
  MediaOutput* output = nullptr;    // null: no annotated media
  BareMachine* verifier = nullptr;  // null: no comparison
  std::string raw_folder;           // empty: no raw outputs
  bool json = false;
  std::optional<uint64_t> max_frames;
  Membership* membership = nullptr;  // null: results are told nobody else
};

class RunLoop {
 public:
  RunLoop(RunParts parts, Progress& progress) : parts_(parts), progress_(progress) {}

  // Runs to the end of the input. Whatever happens, frames that were done are kept and the output
  // is closed well.
  Status run();
  const Summary& summary() const { return summary_; }

 private:
  using Image = std::shared_ptr<const std::vector<std::byte>>;
  struct Submitted {
    Picture picture;  // its pixels only where they are written out
    cv::Size size;
    Image image;  // null where nothing is verified
  };
  struct Unverified {
    Image image;
    std::vector<std::vector<std::byte>> outputs;
  };

  Status run_frames();
  bool may_feed() const;
  Status feed();  // as many frames as there is room for
  Status finish(DeliveredFrame frame);
  Status publish(const FrameResult& result, Picture picture);
  Status write_raw(uint64_t frame, const std::vector<std::vector<float>>& outputs) const;
  Status verify();
  void stop_clock();

  RunParts parts_;
  Progress& progress_;
  Summary summary_;
  bool ended_ = false;           // nothing more comes from the input
  Status ended_by_ = success();  // told once the pending frames are done
  uint64_t fed_ = 0;
  std::deque<Submitted> submitted_;
  std::vector<Unverified> unverified_;
  std::optional<std::chrono::steady_clock::time_point> clock_since_;
};

}  // namespace shingle
