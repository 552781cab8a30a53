// What a message must fulfil to be acted on. Everything that arrives late but was right when it was
// sent (a strip of a closed frame, a second copy) is let through and found harmless behind the
// door; what could never have been right is refused here.
#include <algorithm>

#include "runtime/node_state.hpp"

namespace shingle {

namespace {

constexpr size_t longest_sentence = 4096;
constexpr size_t longest_name = 256;
constexpr size_t longest_plan = size_t{16} << 20;
constexpr uint32_t most_slots = 1024;

std::string refusal_of(const Hello& hello, uint32_t incarnation) {
  if (hello.version != protocol_version)
    return "speaks protocol version " + std::to_string(hello.version) + ", this node speaks " +
           std::to_string(protocol_version);
  if (hello.incarnation != incarnation) return "contradicts its envelope";
  if (hello.session == 0 || hello.window_bytes <= 0) return "lacks a session or a window";
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
    return refusal_of(*hello, event.envelope.incarnation);
  if (const auto* offer = std::get_if<PlanOffer>(&event.message))
    return offer->text.size() > longest_plan ? "holds a plan of more than 16 MiB" : "";
  if (const auto* answer = std::get_if<PlanReady>(&event.message))
    return answer->why_not.size() > longest_sentence ? "holds too long a sentence" : "";
  if (const auto* open = std::get_if<FrameOpen>(&event.message)) return open_refusal(from, *open);
  if (const auto* done = std::get_if<Done>(&event.message)) return done_refusal(from, *done);
  if (const auto* failed = std::get_if<Failed>(&event.message))
    return failed->why.size() > longest_sentence ? "holds too long a sentence" : "";
  if (const auto* request = std::get_if<StealRequest>(&event.message)) {
    if (request->plans.size() > max_plans) return "names too many plans";
    return is_partner(peer) ? "" : "comes from a node that cannot run our tiles";
  }
  if (const auto* recheck = std::get_if<Recheck>(&event.message))
    return is_member(recheck->assign.key.owner)
               ? ""
               : "is about a frame of an owner that this cluster does not know";
  if (const auto* witness = std::get_if<Witness>(&event.message))
    return witness->key.owner == config.id ? "" : "is about a frame of another owner";
  if (std::holds_alternative<StealReply>(event.message))
    return asked_to_steal == from ? "" : "was not asked for";
  return {};
}

bool Node::State::is_member(NodeId node) const { return node == config.id || peers.contains(node); }

std::string Node::State::open_refusal(NodeId from, const FrameOpen& open) const {
  if (open.key.owner != from || open.key.incarnation != peers.at(from).hello.incarnation)
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

std::string Node::State::done_refusal(NodeId from, const Done& done) const {
  if (done.key.owner != config.id) return "is about a frame of another owner";
  const auto frame = owned.find(done.key.frame);
  const bool at_hand = frame != owned.end() && frame->second.plan != nullptr &&
                       frame->second.attempt == done.key.attempt;
  if (!at_hand) return {};
  const KnownPlan& plan = *frame->second.plan;
  if (done.tile.value >= plan.tiles.size()) return "names a tile that the plan does not have";
  return plan.tiles[done.tile.value]->home == from ? "" : "is about a tile of another home";
}

std::string Node::State::piece_refusal(NodeId from, const Piece& piece,
                                       int64_t payload_bytes) const {
  const std::vector<Chunk>* chunks = nullptr;
  const TileKey tile{piece.key, piece.tile};
  if (piece.role == Piece::Role::promised) {
    const auto home = homes.find(piece.key);
    if (home != homes.end())
      return promised_refusal(*home->second.plan, from, piece, payload_bytes);
    const auto own = owned.find(piece.key.frame);
    if (piece.key.owner == config.id && own != owned.end() && own->second.plan != nullptr &&
        own->second.attempt == piece.key.attempt)
      return promised_refusal(*own->second.plan, from, piece, payload_bytes);
    return {};
  }
  if (piece.role != Piece::Role::lent_output) {
    const auto loan = borrowed.find(tile);
    if (loan == borrowed.end() || loan->second.attempt != piece.attempt) return {};
    if (loan->second.victim != from) return "belongs to a loan of another node";
    chunks = &loan->second.inputs;
  } else {
    const auto loan = loans.find(tile);
    if (loan == loans.end() || loan->second.attempt != piece.attempt) return {};
    if (loan->second.thief != from) return "belongs to a loan to another node";
    chunks = &loan->second.outputs;
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
