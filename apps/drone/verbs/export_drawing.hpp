// The formats of `export` that are pictures: the heatmap and the time-space diagram.
#pragma once

#include "apps/drone/results/drawings.hpp"
#include "apps/drone/results/run_reader.hpp"
#include "apps/drone/verbs/export_verb.hpp"

namespace shingle::drone {

// In the plane of the site, or in pixels of the key frame without one. Errors: no track has a place
// there; a time-space diagram without a lane, or with a lane that nobody was in.
Result<PngBytes> drawing(const Run& run, const ExportVerbOptions& options);

}  // namespace shingle::drone
