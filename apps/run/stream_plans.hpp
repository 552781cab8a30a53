// Which plans the streams of a run get: read from files, or found with a view to what the other
// streams take of the nodes (docs/decisions/0047-streams-share-nodes.md).
#pragma once

#include <optional>
#include <vector>

#include "apps/run/run_models.hpp"
#include "apps/run/workplace.hpp"
#include "runtime/owner/replanner.hpp"

namespace shingle {

struct StreamPlan {
  Rotation rotation;
  std::optional<PlanBasis> basis{};  // none: the rotation is kept, whatever happens
  uint32_t open_frames = 1;
};

// A frame's, if there is one.
std::optional<Duration> deadline_of(const RunOptions& options);

// By model, in their order. The sentence says which model has no plan, and why.
Result<std::vector<StreamPlan>> stream_plans(const RunOptions& options,
                                             const std::vector<RunModel>& models,
                                             const Workplace& place);

}  // namespace shingle
