#include "apps/client/node_report.hpp"

#include <nlohmann/json.hpp>

#include "apps/system/process_memory.hpp"

namespace shingle {

nlohmann::ordered_json node_report(Session& session, const NodePace& pace) {
  const Driver& driver = session.driver();
  const NodeCounters& node = driver.counters();
  const Executor::Memory memory = driver.executor_memory();
  nlohmann::ordered_json json{{"node", session.id().value},
                              {"tiles_computed", node.tiles_computed},
                              {"tiles_stolen", node.tiles_stolen},
                              {"tiles_lent", node.tiles_lent},
                              {"tiles_hedged", node.tiles_hedged},
                              {"payload_bytes_sent", node.payload_bytes_sent},
                              {"payload_bytes_received", node.payload_bytes_received},
                              {"wire_bytes_sent", session.transport().counters().bytes_sent},
                              {"messages_refused", node.messages_refused}};
  json["memory"] = {{"canvas_peak_bytes", driver.canvases().peak_bytes()},
                    {"packed_bytes", memory.packed_bytes},
                    {"executor_peak_bytes", memory.peak_bytes},
                    {"bare_bytes", session.bare_bytes()},
                    {"most_resident_bytes", most_resident_bytes()}};
  pace.report(json);
  return json;
}

}  // namespace shingle
