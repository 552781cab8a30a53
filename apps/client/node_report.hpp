// What a node did, as the JSON object that ends `shingle node` and stands beside a run's summary.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "apps/client/node_pace.hpp"
#include "apps/client/session.hpp"

namespace shingle {

// REQUIRES: the session was stopped.
nlohmann::ordered_json node_report(Session& session, const NodePace& pace);

}  // namespace shingle
