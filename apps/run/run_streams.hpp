// The streams of a run: one for each model, each with a plan of its own, in one session.
#pragma once

#include <memory>
#include <vector>

#include "apps/client/frame_stream.hpp"
#include "apps/client/node_pace.hpp"
#include "apps/client/trace_file.hpp"
#include "apps/models/compiled_model.hpp"
#include "apps/run/run_models.hpp"
#include "apps/run/workplace.hpp"

namespace shingle {

// By model, in their order; the session ends after them.
struct RunStreams {
  std::unique_ptr<StreamSession> session;
  std::vector<std::unique_ptr<FrameStream>> all;

  FrameStream& main() const { return *all.front(); }
};

// Everything must outlive the streams.
struct StreamParts {
  const RunOptions& options;
  const std::vector<RunModel>& models;  // the main one first
  const CompiledFiles& compiled;
  Workplace& place;  // its wires are taken, if they are open
  NodePace& pace;
  TraceFile* trace = nullptr;  // null: nothing is traced
};

// Plans all models, joins the cluster, and waits until all plans are ready on all their homes.
Result<RunStreams> open_run_streams(const StreamParts& parts);

// `capped`: its node has a memory cap.
ExecutorOptions executor_options_of(const RunOptions& options, const CompiledFiles& compiled,
                                    bool capped);

}  // namespace shingle
