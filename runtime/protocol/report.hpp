// Report: something that a node tells people and programs about its work. Nothing in the protocol
// depends on a report.
//
// The kinds are a closed set. Whatever turns a kind into text or into a decision is a switch over
// all of them without `default:`, so the compiler names every place that a new kind concerns
// (docs/decisions/0046-reports.md).
#pragma once

#include <cstdint>
#include <string>

#include "runtime/protocol/message.hpp"

namespace shingle {

struct Report {
  enum class Kind : uint8_t {
    plan_ready,       // plan
    plan_refused,     // plan, node: which member refused it
    plan_impaired,    // plan: it was ready, and has lost a home
    frame_dropped,    // key: before it was opened
    frame_aborted,    // key: after it was opened
    frame_reissued,   // key: it begins again, as a further attempt
    frame_closed,     // key, elapsed: its outputs are complete
    peer_joined,      // node
    peer_lost,        // node
    tile_done,        // key, tile, node: who computed it; elapsed: its compute time
    tile_lent,        // key, tile, node: to whom
    message_refused,  // node: whose
    node_distrusted,  // node: its outputs were wrong
    weights_damaged,  // node: this one
    weights_packed,   // node: this one
  };
  Kind kind = Kind::plan_ready;
  FrameKey key;
  NodeId node;
  TileId tile;
  PlanHash plan{};
  Duration elapsed{};
  std::string sentence;  // empty where the kind and the fields say it all
};

const char* name_of(Report::Kind kind);  // "frame dropped", ...

// Somebody may have to do something about it: a log shows it as a warning.
bool is_warning(Report::Kind kind);
// It comes with every frame or tile: too often to tell people each time.
bool is_frequent(Report::Kind kind);
// The frame of its key will never be delivered.
bool ends_frame(Report::Kind kind);

}  // namespace shingle
