// What a node did, as JSON: `shingle node` prints it at its end, `shingle run --compute` before its
// summary.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "apps/client/node_pace.hpp"
#include "apps/client/session.hpp"

namespace shingle {

// REQUIRES: the session was stopped.
nlohmann::ordered_json node_report(Session& session, const NodePace& pace);

}  // namespace shingle
