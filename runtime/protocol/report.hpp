// Report: something that a node tells people and programs about its work. Nothing in the protocol
// depends on a report.
//
// The kinds are a closed set. facts_of() answers for each of them what texts and decisions depend
// on. It and every other decision over all kinds is a switch without `default:`, so the compiler
// names each place that lacks a new kind (docs/decisions/0046-reports.md).
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

// What is true of every report of a kind.
struct ReportFacts {
  // What a line of a trace says after the name and the frame.
  enum class Details : uint8_t { sentence, peer, tile_by_peer, tile_to_peer, elapsed };

  const char* name = "";     // "frame dropped", ...
  bool is_warning = false;   // somebody may have to act: a log shows it as a warning
  bool is_frequent = false;  // it comes with every frame or tile: people are not told each time
  bool ends_frame = false;   // the frame of its key will never be delivered
  Details details = Details::sentence;
};
ReportFacts facts_of(Report::Kind kind);

}  // namespace shingle
