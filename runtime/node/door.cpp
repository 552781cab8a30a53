#include "runtime/node/door.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

namespace {

constexpr size_t longest_sentence = 4096;
constexpr size_t longest_name = 256;
constexpr size_t longest_plan = size_t{16} << 20;
constexpr uint32_t most_slots = 1024;

Status allow_if(bool holds, const char* refusal) {
  if (holds) return success();
  return Error{refusal};
}

Status check_hello(const Hello& hello, uint64_t life) {
  if (hello.version != protocol_version)
    return Error{"speaks protocol version " + std::to_string(hello.version) +
                 ", this node speaks " + std::to_string(protocol_version)};
  if (hello.life != life) return Error{"contradicts its envelope"};
  if (hello.session == 0 || hello.credit_bytes <= 0) return Error{"lacks a session or a credit"};
  if (hello.name.size() > longest_name || hello.arithmetic_class.size() > longest_name)
    return Error{"has a name of more than 256 letters"};
  return allow_if(hello.compute_slots <= most_slots, "claims more than 1024 compute slots");
}

Status check_part(const std::vector<LentPart>& parts, const Piece& piece, int64_t payload_bytes) {
  if (piece.index >= parts.size()) return Error{"has a number beyond its loan"};
  return allow_if(parts[piece.index].bytes == payload_bytes, "has the wrong size");
}

}  // namespace

// There is one function for each kind of message and no default. So a new kind of message that is
// not checked does not compile.
struct Door::Visitor {
  const Door& door;
  const MessageReceived& event;

  NodeId from() const { return event.envelope.from; }

  Status operator()(const Hello& hello) const { return check_hello(hello, event.envelope.life); }
  Status operator()(const PlanOffer& offer) const {
    return allow_if(offer.text.size() <= longest_plan, "holds a plan of more than 16 MiB");
  }
  Status operator()(const PlanReady& answer) const {
    return allow_if(answer.why_not.size() <= longest_sentence, "holds too long a sentence");
  }
  Status operator()(const FrameOpen& open) const { return door.open(from(), open); }
  Status operator()(const Grant&) const { return success(); }        // of no such frame: no harm
  Status operator()(const FrameClosed&) const { return success(); }  // of no such frame: no harm
  Status operator()(const Piece& piece) const {
    return door.piece(from(), piece, event.payload_bytes);
  }
  Status operator()(const Done& done) const {
    return door.tile_report(from(), done.key, done.tile);
  }
  Status operator()(const Failed& failed) const {
    if (failed.why.size() > longest_sentence) return Error{"holds too long a sentence"};
    if (failed.kind != Failed::Kind::at_home) return success();
    return door.tile_report(from(), failed.key, failed.tile);
  }
  Status operator()(const StealRequest& request) const {
    if (request.plans.size() > max_plans) return Error{"names too many plans"};
    return allow_if(door.peers_.is_partner(door.peers_.at(from())),
                    "comes from a node that cannot run our tiles");
  }
  Status operator()(const StealReply&) const {
    return allow_if(door.borrowing_.asks(from()), "was not asked for");
  }
  Status operator()(const Beat&) const { return success(); }
  Status operator()(const AuditRequest& request) const {
    return allow_if(door.peers_.is_member(request.assign.key.owner),
                    "is about a frame of an owner that this cluster does not know");
  }
  Status operator()(const AuditResult& result) const { return door.audit_result(result); }
};

Door::Door(const NodeConfig& config, const Peers& peers, const Plans& plans, const Loans& loans,
           const HomeFrames& homes, const Borrowing& borrowing, const OwnFrames& frames)
    : config_(config),
      peers_(peers),
      plans_(plans),
      loans_(loans),
      homes_(homes),
      borrowing_(borrowing),
      frames_(frames) {}

Status Door::check(const MessageReceived& event) const {
  assert(peers_.find(event.envelope.from) != nullptr);
  if (!std::holds_alternative<Piece>(event.message) && event.payload_bytes != 0)
    return Error{"carries a payload"};
  return std::visit(Visitor{*this, event}, event.message);
}

Status Door::open(NodeId from, const FrameOpen& open) const {
  if (open.key.owner != from || open.key.life != peers_.at(from).hello.life)
    return Error{"opens a frame of another owner"};
  if (homes_.find(open.key) != nullptr) return Error{"opens a frame twice"};
  if (homes_.has_request_of(from))
    return Error{"asks for a second slot before the first was granted"};
  const KnownPlan* plan = plans_.known(open.plan);
  if (plan == nullptr) return success();
  if (!plan->is_home(config_.id)) return Error{"gives this node no tile"};
  const bool audits =
      std::all_of(open.audits.begin(), open.audits.end(), [&](const TileAudit& audit) {
        return audit.tile.value < plan->tiles.size() && audit.auditor != config_.id &&
               plan->tiles[audit.tile.value]->home == config_.id;
      });
  return allow_if(audits, "has a tile audited that is not this node's, or by this node itself");
}

// A home reports that a tile is done, or that it failed.
Status Door::tile_report(NodeId from, const FrameKey& key, TileId tile) const {
  if (key.owner != config_.id) return Error{"is about a frame of another owner"};
  const OwnedFrame* frame = frames_.find(key);
  if (frame == nullptr || frame->plan == nullptr) return success();
  const KnownPlan& plan = *frame->plan;
  if (tile.value >= plan.tiles.size()) return Error{"names a tile that the plan does not have"};
  return allow_if(plan.tiles[tile.value]->home == from, "is about a tile of another home");
}

Status Door::audit_result(const AuditResult& result) const {
  if (result.key.owner != config_.id) return Error{"is about a frame of another owner"};
  const OwnedFrame* frame = frames_.find(result.key);
  if (frame == nullptr || frame->plan == nullptr) return success();
  if (result.plan != frame->plan->hash()) return Error{"was computed under another plan"};
  return allow_if(result.tile.value < frame->plan->tiles.size(),
                  "names a tile that the plan does not have");
}

// --- pieces ---

Status Door::piece(NodeId from, const Piece& piece, int64_t payload_bytes) const {
  switch (piece.role) {
    case Piece::Role::promised:
      return promised_piece(from, piece, payload_bytes);
    case Piece::Role::lent_input:
    case Piece::Role::audit_input:
      return lent_input(from, piece, payload_bytes);
    case Piece::Role::lent_output:
      return lent_output(from, piece, payload_bytes);
  }
  return Error{"has no role that this node knows"};
}

Status Door::promised_piece(NodeId from, const Piece& piece, int64_t payload_bytes) const {
  if (const HomeFrame* home = homes_.find(piece.key))
    return promised_piece(*home->plan, from, piece, payload_bytes);
  const OwnedFrame* own = frames_.find(piece.key);
  if (own == nullptr || own->plan == nullptr) return success();
  return promised_piece(*own->plan, from, piece, payload_bytes);
}

Status Door::promised_piece(const KnownPlan& plan, NodeId from, const Piece& piece,
                            int64_t payload_bytes) const {
  if (piece.plan != prefix64(plan.hash())) return Error{"belongs to another plan than its frame"};
  if (piece.index >= plan.routes().strips.size())
    return Error{"has a number that its plan does not have"};
  const Strip& strip = plan.routes().strips[piece.index];
  const NodeId producer =
      strip.producer ? plan.tiles[strip.producer->value]->home : piece.key.owner;
  if (producer != from) return Error{"should come from another node"};
  if (strip.destination.value_or(piece.key.owner) != config_.id)
    return Error{"is meant for another node"};
  return allow_if(strip.bytes == payload_bytes, "has the wrong size");
}

Status Door::lent_input(NodeId from, const Piece& piece, int64_t payload_bytes) const {
  const Borrowed* loan = borrowing_.find({piece.key, piece.tile});
  if (loan == nullptr || loan->attempt != piece.attempt) return success();
  if (loan->victim != from) return Error{"belongs to a loan of another node"};
  return check_part(loan->inputs, piece, payload_bytes);
}

Status Door::lent_output(NodeId from, const Piece& piece, int64_t payload_bytes) const {
  const Loan* loan = loans_.find({piece.key, piece.tile});
  if (loan == nullptr || loan->attempt != piece.attempt) return success();
  if (loan->thief != from) return Error{"belongs to a loan to another node"};
  if (loan->unsent > 0) return Error{"comes back before its windows have left"};
  return check_part(loan->outputs, piece, payload_bytes);
}

}  // namespace shingle
