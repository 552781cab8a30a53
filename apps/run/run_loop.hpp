// RunLoop: pictures from the input through the cluster to annotated media, JSON lines and raw
// files. The main model computes every frame; further models compute every n-th frame beside it,
// and their results are reported as they come.
//
// While frames are verified against the bare executor nothing is under way and the clock stands
// still: the rate that is reported is that of the cluster.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>

#include "apps/members/membership.hpp"
#include "apps/run/results.hpp"
#include "apps/run/run_lane.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/progress.hpp"
#include "apps/system/stop_signals.hpp"
#include "apps/vision/media_out.hpp"

namespace shingle {

// Everything must outlive the loop.
struct RunParts {
  std::deque<RunLane>& lanes;  // the main model's first
  MediaInput& input;
  StopSignals& signals;
  MediaOutput* output = nullptr;  // of the main model; null: no annotated media
  std::string raw_folder;         // empty: no raw outputs
  bool json = false;
  std::optional<uint64_t> max_frames;
  Membership* membership = nullptr;  // null: results are not published
};

class RunLoop {
 public:
  RunLoop(RunParts parts, Progress& progress) : parts_(parts), progress_(progress) {}

  // Runs to the end of the input. Whatever happens, frames that were done are kept and the output
  // is closed well.
  Status run();
  const Summary& summary() const { return summary_; }

 private:
  RunLane& main() const { return parts_.lanes.front(); }
  size_t pending() const;  // of all models
  Status run_frames();
  bool may_feed() const;
  Status feed();  // as many frames as there is room for
  Status submit(const Picture& picture);
  Status collect();  // results; waits for one of the main model, if one of its frames is under way
  Status finish(LaneResult result);
  Status hear();  // what was reported to the lanes
  // A lane's frames have failed. Finishes what the other lanes have ready, as far as that succeeds.
  Error failed(const RunLane& lane, const Error& error);
  Status publish(const FrameResult& result, const ClassNames& names);
  Status write_raw(const LaneResult& result, const Model& model) const;
  Status verify();
  void count();  // what the lanes counted
  void stop_clock();

  RunParts parts_;
  Progress& progress_;
  Summary summary_;
  bool ended_ = false;           // nothing more comes from the input
  Status ended_by_ = success();  // returned once the pending frames are done
  uint64_t fed_ = 0;
  std::optional<std::chrono::steady_clock::time_point> clock_since_;
};

}  // namespace shingle
