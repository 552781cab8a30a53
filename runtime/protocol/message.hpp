// The messages between nodes: plain structs. transport/ encodes them, sim/ carries them as they
// are; a node knows only these.
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
//          | <-- AuditResult (of an audited tile: its content) --- |
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
#include "runtime/protocol/shared_text.hpp"

namespace shingle {

inline constexpr uint32_t protocol_version = 7;
// The remaining time of a frame without a deadline. Real deadlines are far below it: the remaining
// time shrinks on its way.
inline constexpr Duration no_deadline = std::chrono::hours(1);
// How many plans a node keeps loaded: those of a stream's rotation, those that the stream changes
// to, and stand-ins.
inline constexpr size_t max_plans = 24;

// One attempt at one frame of one life of one owner. A *life* is a number that a process draws at
// its start: two lives are equal or not, and neither is the later one. A frame that lost a home is
// begun again as the next attempt; messages of an earlier attempt belong to a closed frame. People
// and programs know a frame by attempt 0, and its picture and outcome lie under that key.
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
  uint32_t ready_tiles = 0;  // queue length, for thieves; 0 also to peers that are not invited
  uint32_t running_tiles = 0;
  uint64_t closed_below = 0;  // the sender's own frames below this number are closed
  // Payload bytes of the receiver's pieces taken in since the session began: its credit.
  uint64_t pasted_bytes = 0;
  uint32_t picoseconds_per_mac = 0;  // measured speed, for lenders; 0: nothing computed yet
};

// The first message of a session; other messages are ignored until both sides have sent it. Each
// start of a session (a new connection, a peer that is heard again after silence) takes a new
// number, and a Hello that answers the other side's newest number joins the two. A new number of a
// joined peer means that it lost us: both begin again from nothing, credits included.
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
  SharedText text;  // partition's canonical text; empty: the receiver has it already
};
struct PlanReady {
  PlanHash plan;
  bool ready = false;
  std::string why_not;           // one sentence when not ready, e.g. the model hash that is missing
  std::optional<NodeId> lost{};  // not ready because it cannot reach this home of the plan
  bool again = false;  // not ready now, for lack of memory or of sound weights: ask again later
  bool hangs = false;  // its executor does not return from a tile; it sends another when it has
  // Its weights changed in memory and cannot be packed again. Other nodes can compute its tiles.
  bool damaged = false;
};

// A tile that another node computes as well, so that the contents can be compared. A tile may be
// named twice: the second auditor takes over if the first one borrows the tile.
struct TileAudit {
  TileId tile;
  NodeId auditor;
  friend bool operator==(const TileAudit&, const TileAudit&) = default;
};
struct FrameOpen {
  FrameKey key;
  PlanHash plan;
  Duration time_left{};             // until the deadline, because clocks of nodes differ
  std::vector<TileAudit> audits{};  // of tiles of the receiver
  std::vector<NodeId> excluded{};   // nobody lends them tiles of this frame
};
// From a home to the owner: the frame has a slot here. From the owner to a home with tiles that
// wait for nothing: all homes have granted, begin. (Other homes begin when their first strip
// arrives.)
struct Grant {
  FrameKey key;
};
// From the owner: the frame's slot is free. From a victim that is not the owner: its loans of this
// frame are void.
struct FrameClosed {
  FrameKey key;
  bool aborted = false;
};

struct Assign {  // a tile lent by its home to a thief
  FrameKey key;
  PlanHash plan;
  TileId tile;
  uint32_t attempt = 0;
  bool audited = false;  // whoever computes it tells the owner its content
};

struct Piece {
  enum class Role : uint8_t {
    promised,     // index: StripId of the plan's routes
    lent_input,   // index: part number, counted over the tile's input slices, each cut by
                  // strip_regions()
    lent_output,  // the same over the output slices
    audit_input,  // as lent_input, for an AuditRequest
  };
  FrameKey key;
  uint64_t plan = 0;  // prefix64 of the plan's hash
  Role role = Role::promised;
  TileId tile;  // all but promised ones
  uint32_t attempt = 0;
  uint32_t index = 0;
};

// Hashes of the inputs and of the outputs of an audited tile.
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
  TileContent content{};  // of an audited tile that its home computed; thieves send their own
};
// A tile will not be computed where it was planned or lent.
struct Failed {
  enum class Kind : uint8_t {
    at_home,     // from a home to the owner: its executor failed, the frame cannot be finished
    given_back,  // from a thief to its victim: the tile comes back
    voided,      // from a victim to a late thief: the loan is over
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

struct Beat {};  // carries only its envelope

// From a home to the auditor: compute this tile too; its inputs follow.
struct AuditRequest {
  Assign assign;
};
// To the owner, from the auditor and from a thief that has computed an audited tile: its content.
// Without content, from the auditor or the home: the owner need not wait.
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

// Memory of its texts and lists, in addition to the message itself.
int64_t held_bytes(const Message& message);

}  // namespace shingle
