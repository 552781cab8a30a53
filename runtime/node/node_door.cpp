// What a message must fulfil to be acted on. Everything that arrives late but was right when it was
// sent (a strip of a closed frame, a second copy) is let through and found harmless behind the
// door; what could never have been right is refused here.
#include <algorithm>

#include "runtime/node/node_state.hpp"

namespace shingle {

namespace {

constexpr size_t longest_sentence = 4096;
constexpr size_t longest_name = 256;
constexpr size_t longest_plan = size_t{16} << 20;
constexpr uint32_t most_slots = 1024;

std::string refusal_of(const Hello& hello, uint64_t life) {
  if (hello.version != protocol_version)
    return "speaks protocol version " + std::to_string(hello.version) + ", this node speaks " +
           std::to_string(protocol_version);
  if (hello.life != life) return "contradicts its envelope";
  if (hello.session == 0 || hello.credit_bytes <= 0) return "lacks a session or a credit";
  if (hello.name.size() > longest_name || hello.arithmetic_class.size() > longest_name)
    return "has a name of more than 256 letters";
  if (hello.compute_slots > most_slots) return "claims more than 1024 compute slots";
  return {};
}

}  // namespace

std::string Node::State::refusal(const Peer& peer, const MessageReceived& event) const {
  const NodeId from = event.envelope.from;
  const auto* piece = std::get_if<Piece>(&event.message);
  if (piece == nullptr && event.payload_bytes != 0) return "carries a payload";
  if (piece != nullptr) return piece_refusal(from, *piece, event.payload_bytes);
  if (const auto* hello = std::get_if<Hello>(&event.message))
    return refusal_of(*hello, event.envelope.life);
  if (const auto* offer = std::get_if<PlanOffer>(&event.message))
    return offer->text.size() > longest_plan ? "holds a plan of more than 16 MiB" : "";
  if (const auto* answer = std::get_if<PlanReady>(&event.message))
    return answer->why_not.size() > longest_sentence ? "holds too long a sentence" : "";
  if (const auto* open = std::get_if<FrameOpen>(&event.message)) return open_refusal(from, *open);
  if (const auto* done = std::get_if<Done>(&event.message))
    return report_refusal(from, done->key, done->tile);
  if (const auto* failed = std::get_if<Failed>(&event.message))
    return failed_refusal(from, *failed);
  if (const auto* request = std::get_if<StealRequest>(&event.message)) {
    if (request->plans.size() > max_plans) return "names too many plans";
    return is_partner(peer) ? "" : "comes from a node that cannot run our tiles";
  }
  if (const auto* audit_request = std::get_if<AuditRequest>(&event.message))
    return is_member(audit_request->assign.key.owner)
               ? ""
               : "is about a frame of an owner that this cluster does not know";
  if (const auto* witness = std::get_if<AuditResult>(&event.message))
    return witness_refusal(*witness);
  if (std::holds_alternative<StealReply>(event.message))
    return asked_to_steal == from ? "" : "was not asked for";
  return {};
}

bool Node::State::is_member(NodeId node) const { return node == config.id || peers.contains(node); }

std::string Node::State::open_refusal(NodeId from, const FrameOpen& open) const {
  if (open.key.owner != from || open.key.life != peers.at(from).hello.life)
    return "opens a frame of another owner";
  if (homes.contains(open.key)) return "opens a frame twice";
  const bool queued =
      std::any_of(slot_requests.begin(), slot_requests.end(),
                  [&](const SlotRequest& other) { return other.key.owner == from; });
  if (queued) return "asks for a second slot before the first was granted";
  const KnownPlan* plan = known(open.plan);
  if (plan == nullptr) return {};
  if (!plan->is_home(config.id)) return "gives this node no tile";
  const bool audits =
      std::all_of(open.audits.begin(), open.audits.end(), [&](const TileAudit& audit) {
        return audit.tile.value < plan->tiles.size() && audit.auditor != config.id &&
               plan->tiles[audit.tile.value]->home == config.id;
      });
  return audits ? "" : "has a tile audited that is not this node's, or by this node itself";
}

// What a home says of a tile: that it is done, or failed.
std::string Node::State::report_refusal(NodeId from, const FrameKey& key, TileId tile) const {
  if (key.owner != config.id) return "is about a frame of another owner";
  const OwnedFrame* frame = own_frame(key);
  if (frame == nullptr || frame->plan == nullptr) return {};
  const KnownPlan& plan = *frame->plan;
  if (tile.value >= plan.tiles.size()) return "names a tile that the plan does not have";
  return plan.tiles[tile.value]->home == from ? "" : "is about a tile of another home";
}

std::string Node::State::failed_refusal(NodeId from, const Failed& failed) const {
  if (failed.why.size() > longest_sentence) return "holds too long a sentence";
  if (failed.kind != Failed::Kind::at_home) return {};
  return report_refusal(from, failed.key, failed.tile);
}

std::string Node::State::witness_refusal(const AuditResult& witness) const {
  if (witness.key.owner != config.id) return "is about a frame of another owner";
  const OwnedFrame* frame = own_frame(witness.key);
  if (frame == nullptr || frame->plan == nullptr) return {};
  if (witness.plan != frame->plan->hash()) return "was computed under another plan";
  return witness.tile.value < frame->plan->tiles.size()
             ? ""
             : "names a tile that the plan does not have";
}

std::string Node::State::piece_refusal(NodeId from, const Piece& piece,
                                       int64_t payload_bytes) const {
  const std::vector<Chunk>* chunks = nullptr;
  const TileKey tile{piece.key, piece.tile};
  if (piece.role == Piece::Role::promised) {
    if (const HomeFrame* home = find_in(homes, piece.key))
      return promised_refusal(*home->plan, from, piece, payload_bytes);
    const OwnedFrame* own = own_frame(piece.key);
    if (own == nullptr || own->plan == nullptr) return {};
    return promised_refusal(*own->plan, from, piece, payload_bytes);
  }
  if (piece.role != Piece::Role::lent_output) {
    const Borrowed* loan = find_in(borrowed, tile);
    if (loan == nullptr || loan->attempt != piece.attempt) return {};
    if (loan->victim != from) return "belongs to a loan of another node";
    chunks = &loan->inputs;
  } else {
    const Loan* loan = find_in(loans, tile);
    if (loan == nullptr || loan->attempt != piece.attempt) return {};
    if (loan->thief != from) return "belongs to a loan to another node";
    if (loan->unsent > 0) return "comes back before its windows have left";
    chunks = &loan->outputs;
  }
  if (piece.index >= chunks->size()) return "has a number beyond its loan";
  return (*chunks)[piece.index].bytes == payload_bytes ? "" : "has the wrong size";
}

std::string Node::State::promised_refusal(const KnownPlan& plan, NodeId from, const Piece& piece,
                                          int64_t payload_bytes) const {
  if (piece.plan != prefix64(plan.hash())) return "belongs to another plan than its frame";
  if (piece.index >= plan.routes().strips.size()) return "has a number that its plan does not have";
  const Strip& strip = plan.routes().strips[piece.index];
  const NodeId producer =
      strip.producer ? plan.tiles[strip.producer->value]->home : piece.key.owner;
  if (producer != from) return "should come from another node";
  if (strip.destination.value_or(piece.key.owner) != config.id) return "is meant for another node";
  return strip.bytes == payload_bytes ? "" : "has the wrong size";
}

}  // namespace shingle
