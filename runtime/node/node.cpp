#include "runtime/node/node.hpp"

#include <algorithm>
#include <cassert>

#include "runtime/node/node_state.hpp"

namespace shingle {

namespace {

// A peer that sends many refused messages must not fill the log.
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
  state.effects.begin_step(now, out);
  state.beats.forgive_own_pause();
  state.only_heard = state.says_nothing_new(event);
  if (state.only_heard) return state.hear(*std::get_if<MessageReceived>(&event));
  std::visit([&](const auto& happened) { state.on(happened); }, event);
  state.settle();
}

const NodeCounters& Node::counters() const { return state_->effects.counters(); }
bool Node::idle() const { return state_->idle(); }

std::vector<std::string> Node::broken_invariants() const {
  if (state_->only_heard) return {};
  return state_->broken_invariants();
}

Node::Attention Node::attention() const {
  const Peers::Joined& joined = state_->peers.joined();
  return {state_->home.lending.may_hedge(), joined.away, joined.endings};
}

bool Node::is_joined(NodeId peer) const { return state_->peers.is_joined(peer); }

Node::State::State(NodeConfig node_config)
    : config(std::move(node_config)),
      peers(config),
      spares(config.members),
      invitations(config, peers, spares),
      effects(config, peers, invitations),
      sessions(config, peers, effects),
      beats(config, peers, sessions, invitations, effects),
      weights(config, peers, effects),
      health(config, peers, weights, effects),
      plans(config, peers, health, effects),
      home{{config, effects},
           {config, peers, plans, ready, home.loans, effects},
           {config, peers, health, speed, ready, home.loans, home.frames, effects}},
      borrowing(config, peers, plans, home.frames, health, ready, effects),
      owner{{config, peers, spares, plans, effects},
            {config, peers, health, plans, owner.offers, effects},
            {plans, owner.offers, owner.heirs},
            {config, peers, health, plans, home.frames, owner.offers, owner.heirs, owner.stand_ins,
             effects},
            {config, peers, health, plans, owner.offers, owner.heirs, owner.frames, effects}},
      door(config, peers, plans, home.loans, home.frames, borrowing, owner.frames) {}

// --- messages ---

// Of a large cluster's messages nearly all are such beats. Whatever the node could do now, it did
// at the end of its last step, but for what depends on time: a late loan.
bool Node::State::says_nothing_new(const Event& event) const {
  const auto* message = std::get_if<MessageReceived>(&event);
  if (message == nullptr || !std::holds_alternative<Beat>(message->message)) return false;
  const Envelope& envelope = message->envelope;
  const Peer* peer = peers.find(envelope.from);
  return peer != nullptr && peer->joined && envelope.life == peer->hello.life &&
         envelope.ready_tiles <= config.limits.steal_keep &&
         envelope.pasted_bytes == peer->link.taken_in_bytes() && message->payload_bytes == 0 &&
         !home.frames.holds_below(envelope.from, envelope.closed_below) &&
         !home.lending.may_hedge();
}

void Node::State::hear(const MessageReceived& event) {
  sessions.hear(event);
  keep_time();
  effects.end_step({});  // there is no message that could tell of this node's load
}

// A message that is handled is well-formed, belongs to this session, and makes sense for its
// sender.
void Node::State::on(const MessageReceived& event) {
  const Envelope& envelope = event.envelope;
  const Peer* peer = peers.find(envelope.from);
  if (peer == nullptr) return refuse(event, "this cluster does not know");
  if (!std::holds_alternative<Hello>(event.message)) {
    const bool of_this_session = peer->joined && envelope.life == peer->hello.life;
    if (!of_this_session) {
      if (!peer->joined && !peer->greeted)
        sessions.begin(envelope.from);  // it does not know that we lost it
      return;
    }
    sessions.hear(event);
    home.frames.close_below(envelope.from, envelope.closed_below);
  }
  if (const Status let_in = door.check(event); !let_in) return refuse(event, let_in.error());
  if (const auto* piece = std::get_if<Piece>(&event.message))
    return on_piece(envelope.from, *piece, std::nullopt);
  handle(envelope.from, event.message);
}

void Node::State::refuse(const MessageReceived& event, const std::string& why) {
  const NodeId from = event.envelope.from;
  if (++effects.counters().messages_refused <= refusals_reported)
    effects.report(
        Report::Kind::message_refused, {}, from,
        peers.name_of(from) + " sent a " + name_of(event.message) + " that " + why + ".");
}

// Handles all messages but pieces, which on_piece() takes.
void Node::State::handle(NodeId from, const Message& message) {
  std::visit(
      Cases{[&](const Hello& hello) { on_hello(from, hello); },
            [&](const PlanOffer& offer) { on_plan_offer(from, offer); },
            [&](const PlanReady& answer) { owner.proposals.answered(from, answer); },
            [&](const FrameOpen& open) { home.frames.open(from, open); },
            [&](const Grant& grant) { on_grant(from, grant.key); },
            [&](const FrameClosed& closed) { on_frame_closed(from, closed.key); },
            [&](const Piece&) { assert(false); },
            [&](const Done& done) { owner.frames.done(done); },
            [&](const Failed& failed) { on_failed(from, failed); },
            [&](const StealRequest& request) { home.lending.asked(from, request); },
            [&](const StealReply& reply) { borrowing.reply(from, reply); }, [&](const Beat&) {},
            [&](const AuditRequest& request) { borrowing.audit(from, request.assign); },
            [&](const AuditResult& result) { owner.frames.take_result(from, result); }},
      message);
}

// A grant goes from a home to the owner, or from the owner to a home.
void Node::State::on_grant(NodeId from, const FrameKey& key) {
  if (key.owner == config.id) return owner.frames.granted(from, key);
  home.frames.begin_unprompted(from, key);
}

void Node::State::on_frame_closed(NodeId from, const FrameKey& key) {
  borrowing.frame_closed(from, key);
  if (key.owner == from) home.frames.close(key);
}

void Node::State::on_failed(NodeId from, const Failed& failed) {
  switch (failed.kind) {
    case Failed::Kind::at_home:
      return owner.frames.failed_at_home(from, failed);
    case Failed::Kind::given_back:
      return home.lending.given_back(from, failed);
    case Failed::Kind::voided:
      return borrowing.voided(from, failed);
  }
}

void Node::State::on_piece(NodeId from, const Piece& piece, std::optional<CanvasKey> source) {
  switch (piece.role) {
    case Piece::Role::promised:
      return on_promised(piece.key, StripId{piece.index}, source);
    case Piece::Role::lent_input:
    case Piece::Role::audit_input:
      return borrowing.take_input(piece);
    case Piece::Role::lent_output:
      return home.lending.take_output(from, piece);
  }
}

// A strip without a destination is for the owner, any other for a home. This node may be both.
void Node::State::on_promised(const FrameKey& key, StripId id, std::optional<CanvasKey> source) {
  const KnownPlan* plan = nullptr;
  if (const HomeFrame* frame = home.frames.find_open(key)) plan = frame->plan;
  if (const OwnedFrame* own = owner.frames.find(key); own != nullptr && own->plan != nullptr)
    plan = own->plan;
  if (plan == nullptr) return;  // late: the frame is closed
  assert(id.value < plan->routes().strips.size());
  if (!plan->routes().strips[id.value].destination)
    return owner.frames.take_outcome(key, id, source);
  home.frames.take_strip(key, id, source);
}

// --- the end of a step ---

void Node::State::settle() {
  do {
    drain();
    home.lending.hedge();
    compute_ready();
  } while (effects.has_local_messages());
  while (const auto piece = effects.send_most_urgent()) sent(*piece);
  borrowing.ask();
  beats.advertise(ready.size(), [this] { return home.frames.party(); });
  beats.acknowledge();
  keep_time();
  effects.end_step({.ready_tiles = static_cast<uint32_t>(ready.size()),
                    .running_tiles = static_cast<uint32_t>(health.running()),
                    .closed_below = owner.frames.closed_below(),
                    .picoseconds_per_mac = speed.picoseconds_per_mac()});
}

void Node::State::keep_time() {
  beats.keep_time(!owner.frames.empty() || plans.size() > 0, borrowing.next_request());
}

void Node::State::drain() {
  while (effects.has_local() || owner.stand_ins.has_due()) {
    propose_stand_ins();
    if (const auto message = effects.take_local_message()) {
      handle(config.id, *message);
      continue;
    }
    const auto outgoing = effects.take_local_piece();
    if (!outgoing) continue;
    on_piece(config.id, outgoing->piece, outgoing->source);
    sent(*outgoing);
  }
}

void Node::State::compute_ready() {
  while (health.running() < config.limits.compute_slots && !ready.empty() && health.is_sound()) {
    const ReadyTile next = ready.take();
    const bool at_home = next.place == Place::home;
    const Compute compute = at_home ? home.frames.begin(next) : borrowing.begin(next);
    const TileKey key{compute.key, compute.tile};
    const KnownPlan& plan = at_home ? *home.frames.at(key.frame).plan : *borrowing.at(key).plan;
    health.begin(compute, plan, speed);
    effects.act(compute);
  }
}

// The bytes of a piece that was sent were copied, so its canvas has one reader less.
void Node::State::sent(const Outgoing& outgoing) {
  const Piece& piece = outgoing.piece;
  if (outgoing.source.place == Place::lent) return borrowing.output_left({piece.key, piece.tile});
  if (piece.role == Piece::Role::lent_input) home.loans.piece_left({piece.key, piece.tile});
  const bool counted =
      piece.role == Piece::Role::promised || piece.role == Piece::Role::audit_input;
  if (outgoing.source.place != Place::home || !counted) return;
  home.frames.piece_left(piece.key, outgoing.source.tensor);
}

bool Node::State::idle() const {
  return peers.all_links_empty() && owner.frames.empty() && home.frames.idle() && ready.empty() &&
         borrowing.empty() && health.running() == 0;
}

}  // namespace shingle
