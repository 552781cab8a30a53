// Event and Action: all that goes into and comes out of Node::step. Neither carries a byte of
// tensor data: tensors lie in canvases that the interpreter (the driver in real time, the virtual
// cluster in simulation) keeps by CanvasKey.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "partition/base/result.hpp"
#include "partition/model/model.hpp"
#include "partition/plan/plan.hpp"
#include "partition/plan/routes.hpp"
#include "runtime/protocol/message.hpp"
#include "runtime/protocol/report.hpp"

namespace shingle {

// A plan with what a node needs to know about it. Shared between the node and its interpreter,
// immutable once made.
struct LoadedPlan {
  Plan plan;
  PlanHash hash;
  Routes routes;
  std::vector<Shape> shapes;       // by tensor
  std::vector<ElementType> types;  // by tensor
  std::vector<TensorId> inputs;    // the model's
  std::vector<TensorId> outputs;   // the model's
};

// Where a tensor of a frame lies on this node.
enum class Place : uint8_t {
  frame,    // the owner's input image(s)
  home,     // the home's part of a map, with its margin
  lent,     // a thief's copy of one tile's windows and outputs
  outcome,  // the owner's collected model outputs
};
struct CanvasKey {
  FrameKey frame;
  Place place = Place::home;
  TensorId tensor;
  TileId tile;  // Place::lent only, else 0
  friend auto operator<=>(const CanvasKey&, const CanvasKey&) = default;
};

// --- events ---
struct FrameCaptured {  // the input lies under Place::frame of this key already
  uint64_t frame = 0;   // ascending, never reused
  PlanHash plan;
  Duration time_left{};
};
// From the application at a node that owns frames: offer it to all, in a large cluster to its homes
// and some spares.
struct PlanProposed {
  PlanHash plan;
  ModelHash model;
  std::string text;
  std::vector<NodeId> homes = {};  // of the plan, ascending; empty: not known, so it goes to all
};
// From the same: no further frame will be captured for it. It is kept for those that were.
struct PlanWithdrawn {
  PlanHash plan;
};
struct PlanLoaded {  // answer to LoadPlan
  PlanHash hash;
  Result<std::shared_ptr<const LoadedPlan>> plan;  // not null
  bool again = false;  // it failed for lack of memory: a later try may succeed
};
struct MessageReceived {
  Envelope envelope;
  Message message;
  int64_t payload_bytes = 0;  // of a Piece
};
struct TileBegun {  // a slot computes it from now on; packing its weights may have come before
  FrameKey key;
  TileId tile;
  Place place = Place::home;
};
struct TileComputed {
  FrameKey key;
  TileId tile;
  uint32_t attempt = 0;
  Place place = Place::home;
  Duration compute_time{};
  Status status = success();  // the executor's
  TileContent content{};      // if Compute asked for it
};
struct WeightsDamaged {  // a check found weights that differ from what was packed
  std::string why;
};
struct PackedAgain {  // answer to PackAgain
  Status status = success();
  bool again = false;  // it failed for lack of memory: a later try may succeed
};
struct PeerSeen {  // a connection with a member of the cluster stands
  NodeId peer;
};
struct PeerLost {
  NodeId peer;
  std::string why;
};
struct Woken {};

using Event =
    std::variant<FrameCaptured, PlanProposed, PlanWithdrawn, PlanLoaded, MessageReceived, TileBegun,
                 TileComputed, WeightsDamaged, PackedAgain, PeerSeen, PeerLost, Woken>;

// --- actions, carried out in order; Report is one of them (runtime/protocol/report.hpp) ---
struct Send {
  NodeId to;  // never the node itself
  Envelope envelope;
  Message message;
  std::optional<CanvasKey> source;  // pieces: where the payload lies ...
  Region region;                    // ... and which box of it, in the wire format of its tensor
};
// Copies the payload of the current event, or a box of another canvas, into a canvas, which is made
// on first use.
struct Paste {
  PlanHash plan;  // says the canvas's extent and type: canvas_region()
  CanvasKey target;
  Region region;
  std::optional<CanvasKey> source;
};
struct Compute {
  FrameKey key;
  PlanHash plan;
  TileId tile;
  uint32_t attempt = 0;
  Place place = Place::home;  // home or lent: where windows and outputs lie
  bool audited = false;       // its inputs and outputs are hashed
};
struct Release {
  CanvasKey canvas;
};
struct ReleaseAll {  // every canvas of the frame at that place, of those that there are
  FrameKey frame;
  Place place = Place::home;
};
// The outputs lie under Place::outcome; the node releases them later in the same batch.
struct Deliver {
  FrameKey key;
  PlanHash plan;
};
struct LoadPlan {
  PlanHash plan;
  ModelHash model;
  std::string text;
};
// Each compute slot checks this share of its weights (1: all of them) between two tiles, and begins
// where its last check ended: WeightsDamaged if they have changed.
struct CheckWeights {
  double share = 1.0;
};
struct PackAgain {};  // all weights, in every compute slot, from the models
struct WakeAt {       // replaces an earlier one
  Time at;
};

using Action = std::variant<Send, Paste, Compute, Release, ReleaseAll, Deliver, LoadPlan,
                            CheckWeights, PackAgain, Report, WakeAt>;
using Actions = std::vector<Action>;  // reused between steps

}  // namespace shingle
