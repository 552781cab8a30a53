// What nodes say to each other: plain structs. transport/ encodes them, sim/ carries them as they
// are; the node sees only these.
//
//        owner                         home                       thief
//          | --- PlanOffer ------------> |                           |
//          | <-- PlanReady ------------- |                           |
//          | --- FrameOpen ------------> |   (one home after the     |
//          | <-- Grant ----------------- |    other, ascending ids)  |
//          | --- Piece (promised) -----> |                           |
//          |                             | <-- StealRequest -------- |
//          |                             | --- StealReply{Assign} -> |
//          |                             | --- Piece (lent input) -> |
//          |                             | <-- Piece (lent output) - |
//          | <-- AuditResult (of an audited tile, with its content) ---- |
//          | <-- Done ------------------ |                           |
//          | <-- Piece (promised) ------ |                           |
//          | --- FrameClosed ----------> |                           |
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "partition/base/hash.hpp"
#include "partition/base/ids.hpp"
#include "partition/base/time.hpp"

namespace shingle {

inline constexpr uint32_t protocol_version = 7;
// The remaining time of a frame that nobody waits for. What counts as a deadline is well below: it
// shrinks on its way.
inline constexpr Duration no_deadline = std::chrono::hours(1);
// That a node keeps loaded: those that a stream takes in turn, those that it goes over to, and
// stand-ins.
inline constexpr size_t max_plans = 24;

// One attempt at one frame of one life of one owner. A *life* is a number that a process draws at
// its start: two lives are the same or not, none is the later one. A frame that lost a home on its
// way is begun again as the next attempt, and whatever still comes of an earlier one concerns a
// frame that is closed. People and programs know a frame by attempt 0, and its picture and outcome
// lie under that key.
struct FrameKey {
  NodeId owner;
  uint64_t life = 0;
  uint64_t frame = 0;
  uint32_t attempt = 0;
  friend auto operator<=>(const FrameKey&, const FrameKey&) = default;
};

// Rides on every message.
struct Envelope {
  NodeId from;
  uint64_t life = 0;
  uint32_t ready_tiles = 0;  // queue length, for thieves
  uint32_t running_tiles = 0;
  uint64_t closed_below = 0;  // watermark: this owner's frames below it are closed
  // Payload bytes of the receiver's pieces taken in since the session began: its credit.
  uint64_t pasted_bytes = 0;
  uint32_t picoseconds_per_mac = 0;  // measured speed, for lenders; 0: nothing computed yet
};

// The first message of a session; nothing else counts until both sides have said it. Each start of
// a session (a connection that came, a peer that is heard again after silence) takes a new number,
// and a Hello that answers the other's newest number joins the two. A new number of a joined peer
// means that it lost us: both begin again from nothing, credits included.
struct Hello {
  uint32_t version = protocol_version;
  uint64_t life = 0;
  uint32_t session = 0;          // of the sender, from 1
  uint32_t answers = 0;          // the receiver's session that the sender knows; 0: none yet
  int64_t credit_bytes = 0;      // payload that may be in flight; the smaller of both sides holds
  std::string name;              // for people
  std::string arithmetic_class;  // outputs are bit-equal between nodes of one class
  uint32_t compute_slots = 0;    // tiles at a time; 0: never computes
};

struct PlanOffer {
  PlanHash plan;
  ModelHash model;
  std::string text;  // partition's canonical text; empty: you have it, says the owner
};
struct PlanReady {
  PlanHash plan;
  bool ready = false;
  std::string why_not;           // one sentence when not ready, e.g. the model hash that is missing
  std::optional<NodeId> lost{};  // not ready because this home of the plan is out of its reach
  bool again = false;  // not ready just now, for want of room or of sound weights: ask again later
  bool hangs = false;  // its executor does not come back from a tile; it tells when it has
  // Its weights changed in memory and cannot be packed again. Other nodes can compute its tiles.
  bool damaged = false;
};

// A tile that is computed once more, by another node, so that the contents can be compared. A tile
// may be named twice: the second auditor is for the case that the first one borrows it.
struct TileAudit {
  TileId tile;
  NodeId auditor;
  friend bool operator==(const TileAudit&, const TileAudit&) = default;
};
struct FrameOpen {
  FrameKey key;
  PlanHash plan;
  Duration time_left{};             // until the deadline: clocks differ, remaining time does not
  std::vector<TileAudit> audits{};  // of tiles of the receiver
  std::vector<NodeId> shunned{};    // nobody lends them tiles of this frame
};
// From a home to the owner: a slot is yours. From the owner, to a home with tiles that wait for
// nothing: every home has granted, begin. (The others begin when their first strip arrives.)
struct Grant {
  FrameKey key;
};
// From the owner: the frame's slot is free. From a victim that is no owner: its loans of this frame
// are void.
struct FrameClosed {
  FrameKey key;
  bool aborted = false;
};

struct Assign {  // a tile lent by its home to a thief
  FrameKey key;
  PlanHash plan;
  TileId tile;
  uint32_t attempt = 0;
  bool audited = false;  // the owner wants to know its content, from whoever computes it
};

struct Piece {
  enum class Role : uint8_t {
    promised,     // index: StripId of the plan's routes
    lent_input,   // index: chunk number, counted over the tile's input slices, each cut by chunks()
    lent_output,  // the same over the output slices
    audit_input,  // as lent_input, for a AuditRequest
  };
  FrameKey key;
  uint64_t plan = 0;  // prefix64 of the plan's hash
  Role role = Role::promised;
  TileId tile;  // all but promised ones
  uint32_t attempt = 0;
  uint32_t index = 0;
};

// Hashes of what an audited tile was computed from, and of what came out.
struct TileContent {
  uint64_t windows = 0, outputs = 0;
  friend bool operator==(const TileContent&, const TileContent&) = default;
};
struct Done {
  FrameKey key;
  TileId tile;
  NodeId computed_by;
  uint32_t attempt = 0;
  Duration compute_time{};
  TileContent content{};  // of an audited tile that its home computed; thieves tell it themselves
};
// A tile will not be computed where it was to be.
struct Failed {
  enum class Kind : uint8_t {
    at_home,     // from a home to the owner: its executor said no, the frame cannot be finished
    given_back,  // from a thief to its victim: the tile comes back
    voided,      // from a victim to a thief that is late: it need not go on
  };
  Kind kind = Kind::at_home;
  FrameKey key;
  TileId tile;
  uint32_t attempt = 0;
  std::string why;
};

struct StealRequest {
  std::vector<uint64_t> plans;  // that the thief can run: prefix64 of each, at most `max_plans`
};
struct StealReply {
  std::optional<Assign> lent;
};

struct Beat {};  // nothing but its envelope

// From a home to the auditor: compute this tile too; its windows follow.
struct AuditRequest {
  Assign assign;
};
// To the owner, from the auditor, and from a thief who has computed an audited tile: what came out.
// Without content, from the auditor or the home: there is nothing to wait for.
struct AuditResult {
  FrameKey key;
  PlanHash plan;  // under which it was computed
  TileId tile;
  uint32_t attempt = 0;  // of the loan; of the request, where it is an auditor's
  std::optional<TileContent> content{};
};

using Message =
    std::variant<Hello, PlanOffer, PlanReady, FrameOpen, Grant, FrameClosed, Piece, Done, Failed,
                 StealRequest, StealReply, Beat, AuditRequest, AuditResult>;

const char* name_of(const Message& message);  // "Hello", ...

// What its texts and lists take in memory beside the message itself.
int64_t held_bytes(const Message& message);

}  // namespace shingle
