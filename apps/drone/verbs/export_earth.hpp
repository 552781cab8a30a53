// The formats of `export` that lie on the earth: GeoJSON, KML, and the table with positions.
#pragma once

#include <string>

#include "apps/drone/results/run_reader.hpp"
#include "apps/drone/verbs/export_verb.hpp"

namespace shingle::drone {

// Sightings without a position get the one that the site's ground points give them. Tracks that
// have none are named on stderr. Errors: no track has one (a table without map grid may do
// without); those of the site and of the map grid.
Result<std::string> earth_text(Run& run, const ExportVerbOptions& options);

}  // namespace shingle::drone
