// A whole run: models and pictures are opened, plans are made, the cluster is joined, and the
// results go to a sink. `shingle run` is one; other programs bring sinks of their own.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "apps/run/run_models.hpp"
#include "apps/run/run_sink.hpp"

namespace shingle {

struct RunFacts {  // known before anything is computed; outlive the sink
  const RunOptions& options;
  const MediaInput& input;
  const std::vector<RunModel>& models;  // the main one first
};
using MakeSink = std::function<Result<std::unique_ptr<RunSink>>(const RunFacts&)>;

// Prints a summary at the end. Returns the exit code.
int run_to(const RunOptions& options, const MakeSink& make_sink);

}  // namespace shingle
