#include "runtime/node/node.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "runtime/node/node_state.hpp"

namespace shingle {

namespace {

// A peer that floods us with nonsense must not flood the log too.
constexpr uint64_t refusals_reported = 100;

template <class... Handlers>
struct Cases : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Cases(Handlers...) -> Cases<Handlers...>;

}  // namespace

Node::Node(NodeConfig config) : state_(std::make_unique<State>(std::move(config))) {}
Node::~Node() = default;
Node::Node(Node&&) noexcept = default;
Node& Node::operator=(Node&&) noexcept = default;

void Node::step(Time now, const Event& event, Actions& out) {
  State& state = *state_;
  assert(now >= state.now);
  state.now = now;
  state.out = &out;
  state.first_action = out.size();
  state.forgive_own_pause();
  std::visit([&](const auto& happened) { state.on(happened); }, event);
  state.settle();
  state.out = nullptr;
}

const NodeCounters& Node::counters() const { return state_->counters; }
bool Node::idle() const { return state_->idle(); }
std::vector<std::string> Node::broken_invariants() const { return state_->broken_invariants(); }

Node::State::State(NodeConfig node_config) : config(std::move(node_config)) {
  for (const NodeId member : config.members)
    if (member != config.id) peers.try_emplace(member);
  local_pieces.begin(std::numeric_limits<int64_t>::max(), 1);
}

// The front door: what passes it is well-formed, of this session, and makes sense for its sender.
void Node::State::on(const MessageReceived& event) {
  const NodeId from = event.envelope.from;
  Peer* peer = find_in(peers, from);
  const auto refuse = [&](const std::string& why) {
    if (++counters.messages_refused <= refusals_reported)
      report(Report::Kind::message_refused, {}, from,
             name_of(from) + " sent a " + shingle::name_of(event.message) + " that " + why + ".");
  };
  if (peer == nullptr) return refuse("this cluster does not know");
  if (!std::holds_alternative<Hello>(event.message)) {
    const bool of_this_session = peer->joined && event.envelope.life == peer->hello.life;
    if (!of_this_session) {
      if (!peer->joined && !peer->greeted)
        begin_session(from, *peer);  // it does not know we lost it
      return;
    }
    hear(*peer, event);
  }
  const std::string why = refusal(*peer, event);
  if (!why.empty()) return refuse(why);
  if (const auto* piece = std::get_if<Piece>(&event.message))
    return on_piece(from, *piece, std::nullopt);
  handle(from, event.message);
}

// Pieces apart, which come with their bytes.
void Node::State::handle(NodeId from, const Message& message) {
  std::visit(
      Cases{[&](const Hello& hello) { on_hello(from, hello); },
            [&](const PlanOffer& offer) { on_plan_offer(from, offer); },
            [&](const PlanReady& answer) { on_plan_ready(from, answer); },
            [&](const FrameOpen& open) { on_frame_open(from, open); },
            [&](const Grant& grant) { on_grant(from, grant.key); },
            [&](const FrameClosed& closed) { on_frame_closed(from, closed); },
            [&](const Piece&) { assert(false); }, [&](const Done& done) { on_done(done); },
            [&](const Failed& failed) { on_failed(from, failed); },
            [&](const StealRequest& request) { on_steal_request(from, request); },
            [&](const StealReply& reply) { on_steal_reply(from, reply); }, [&](const Beat&) {},
            [&](const AuditRequest& audit_request) { on_audit_request(from, audit_request); },
            [&](const AuditResult& witness) { on_audit_result(from, witness); }},
      message);
}

void Node::State::on_piece(NodeId from, const Piece& piece, std::optional<CanvasKey> source) {
  switch (piece.role) {
    case Piece::Role::promised:
      return on_promised(piece.key, StripId{piece.index}, source);
    case Piece::Role::lent_input:
    case Piece::Role::audit_input:
      return on_lent_input(piece);
    case Piece::Role::lent_output:
      return on_lent_output(from, piece);
  }
}

void Node::State::on_failed(NodeId from, const Failed& failed) {
  switch (failed.kind) {
    case Failed::Kind::at_home:
      return on_failed_at_home(from, failed);
    case Failed::Kind::given_back:
      return on_given_back(from, failed);
    case Failed::Kind::voided:
      return on_voided(from, failed);
  }
}

void Node::State::on(const TileComputed& event) {
  assert(running > 0);
  --running;
  if (end_watch(event)) return on_outcome(event);
  TileComputed wrong = event;
  wrong.error = "its weights had changed in memory";
  on_outcome(wrong);
}

void Node::State::on_outcome(const TileComputed& event) {
  if (event.place == Place::home)
    home_computed(event);
  else
    lent_computed(event);
}

// Ends every step: what was sent to this node itself, free slots, credits, adverts, envelopes.
void Node::State::settle() {
  do {
    drain();
    hedge();
    compute_ready();
  } while (!local_messages.empty());
  pump();
  ask_for_tile();
  advertise();
  acknowledge();
  keep_time();
  stamp();
}

void Node::State::drain() {
  while (!local_messages.empty() || !local_pieces.empty() || !stand_ins_due.empty()) {
    propose_stand_ins();
    if (!local_messages.empty()) {
      const Message message = std::move(local_messages.front());
      local_messages.pop_front();
      handle(config.id, message);
      continue;
    }
    if (local_pieces.empty()) continue;
    const Outgoing outgoing = *local_pieces.take(now);
    on_piece(config.id, outgoing.piece, outgoing.source);
    sent(outgoing);
  }
}

// Envelopes are written last, so that every message of a step tells the state at its end.
void Node::State::stamp() {
  for (size_t i = first_action; i < out->size(); ++i) {
    auto* message = std::get_if<Send>(&(*out)[i]);
    if (message == nullptr) continue;
    Peer& peer = peers.at(message->to);
    message->envelope = envelope_to(peer);
    peer.told_bytes = peer.taken_in_bytes;
    peer.told_at = now;
    peer.telling = false;
  }
}

void Node::State::report(Report::Kind kind, const FrameKey& key, NodeId node, std::string sentence,
                         const PlanHash& plan) {
  act(Report{.kind = kind,
             .key = key,
             .node = node,
             .tile = {},
             .plan = plan,
             .elapsed = {},
             .sentence = std::move(sentence)});
}

std::string Node::State::name_of(NodeId node) const {
  const std::string number = "node " + std::to_string(node.value);
  const Peer* peer = find_in(peers, node);
  const std::string& name = node == config.id ? config.name
                            : peer == nullptr ? std::string{}
                                              : peer->hello.name;
  return name.empty() ? number : number + " (" + name + ")";
}

}  // namespace shingle
