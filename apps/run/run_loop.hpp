// RunLoop: pictures from the input through the cluster to a sink, a broker and raw files. The main
// model computes every frame; further models compute every n-th frame beside it, and their results
// are reported as they come.
//
// While frames are verified against the bare executor nothing is under way and the clock stands
// still: the rate that is reported is that of the cluster.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/members/membership.hpp"
#include "apps/run/paced_input.hpp"
#include "apps/run/results.hpp"
#include "apps/run/run_lane.hpp"
#include "apps/run/run_sink.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/progress.hpp"
#include "apps/system/stop_signals.hpp"

namespace shingle {

// Everything must outlive the loop.
struct RunParts {
  std::deque<RunLane>& lanes;  // the main model's first
  MediaInput& input;
  StopSignals& signals;
  RunSink& sink;
  std::string raw_folder;  // empty: no raw outputs
  std::optional<uint64_t> max_frames;
  Membership* membership = nullptr;  // null: results are not published
  PaceOptions pace{};
};

class RunLoop {
 public:
  RunLoop(RunParts parts, Progress& progress)
      : parts_(parts), progress_(progress), input_(parts.input, parts.pace) {}

  // Runs to the end of the input. Whatever happens, frames that were done are kept and the output
  // is closed well.
  Status run();
  const Summary& summary() const { return summary_; }

 private:
  RunLane& main() const { return parts_.lanes.front(); }
  size_t pending() const;  // of all models
  Status run_frames();
  bool takes(const RunLane& lane) const;  // the next frame
  bool may_feed();
  Status feed();  // as many frames as there is room for
  Status submit(PacedInput::Came came);
  // Results; waits for one of the main model, if one of its frames is under way, but only a little
  // while if a picture may come meanwhile.
  Status collect();
  Status collect_further();
  Status finish(LaneResult result);
  Status hear();  // what was reported to the lanes
  // A lane's frames have failed. Finishes what the other lanes have ready, as far as that succeeds.
  Error failed(const RunLane& lane, const Error& error);
  Status write_raw(const LaneResult& result, const Model& model) const;
  Status verify();
  void count();  // what the lanes counted
  void stop_clock();

  RunParts parts_;
  Progress& progress_;
  PacedInput input_;
  Summary summary_;
  // Of a live input: when frames came that are under way; how long those took that are done.
  std::map<uint64_t, PacedInput::Clock::time_point> came_{};
  std::vector<double> latencies_{};  // milliseconds
  bool ended_ = false;               // nothing more comes from the input
  Status ended_by_ = success();      // returned once the pending frames are done
  uint64_t fed_ = 0;
  std::optional<std::chrono::steady_clock::time_point> clock_since_;
};

}  // namespace shingle
