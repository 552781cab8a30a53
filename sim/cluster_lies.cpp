// A member that lies. Its own node is sound and says what is true; beside that, to the same peers
// and in the same session, leave messages that no honest node would send there and then:
//
//   of frames      Failed, FrameClosed, Grant, Done, AuditResult for frames and tiles that it has
//   heard
//                  of, complete and closed ones among them
//   of plans       that it is ready or not, that it has lost somebody, a text that is not the plan
//   of loans       outputs before the windows have come, with contents made up; audits that nobody
//                  asked for; far longer queues than it has
//   kept back      grants of slots, by some of them
//
// It does its own work as a home: it tells no thief of its own to stop, nor anybody false things of
// its own frames, for then it would wait for ever for what it has ended itself. Payload that its
// node knows nothing of is taken off what peers acknowledge, so that its node goes on as before.
#include <algorithm>

#include "sim/cluster_host.hpp"

namespace shingle::sim {

namespace {

constexpr size_t most_heard = 32;
constexpr double lies_a_message = 0.15;

void remember(std::vector<Assign>& heard, const Assign& news) {
  heard.push_back(news);
  if (heard.size() > most_heard) heard.erase(heard.begin());
}

}  // namespace

void VirtualCluster::overhear(Host& liar, const InFlight& cargo) {
  std::vector<Assign>& heard = liar.liar->heard;
  if (const auto* open = std::get_if<FrameOpen>(&cargo.message))
    remember(heard, {.key = open->key, .plan = open->plan, .tile = {}});
  if (const auto* audit_request = std::get_if<AuditRequest>(&cargo.message))
    remember(heard, audit_request->assign);
  if (const auto* reply = std::get_if<StealReply>(&cargo.message); reply && reply->lent) {
    remember(heard, *reply->lent);
    remember(liar.liar->loans, *reply->lent);
  }
}

// Grants, and a second copy of outputs that have left already.
bool VirtualCluster::keeps_to_itself(Host& liar, const Send& send) {
  if (std::holds_alternative<Hello>(send.message)) liar.liar->excess.erase(send.to);
  if (const auto* reply = std::get_if<StealReply>(&send.message); reply && reply->lent)
    liar.liar->lent.insert({send.to, reply->lent->key, reply->lent->tile});
  if (const auto* grant = std::get_if<Grant>(&send.message))
    return liar.liar->keeps_grants && grant->key.owner != liar.id();
  const auto* piece = std::get_if<Piece>(&send.message);
  const bool again = piece != nullptr && piece->role == Piece::Role::lent_output &&
                     liar.liar->forestalled.contains({piece->key, piece->tile});
  if (again)
    liar.liar->excess[send.to] -= wire_bytes(
        loaded(frames_.plans.at({piece->key.owner, piece->key.life, piece->key.frame})).plan,
        send.source->tensor, send.region);
  return again;
}

void VirtualCluster::say(Host& liar, const Send& beside, Message message, int64_t payload_bytes,
                         ContentBoxes boxes) {
  auto cargo = std::make_unique<InFlight>();
  cargo->from = liar.id();
  cargo->to = beside.to;
  cargo->connection = faults_.breaks[std::minmax(liar.id(), beside.to)];
  cargo->envelope = beside.envelope;
  cargo->payload_bytes = payload_bytes;
  cargo->boxes = std::move(boxes);
  TraceEvent trace = trace_of_message(TraceEvent::Kind::sent, message, payload_bytes);
  trace.peer = beside.to;
  record(liar.id(), trace);
  cargo->message = std::move(message);
  if (faults_.parted.contains(std::minmax(liar.id(), beside.to))) return;
  if (faults_.clogged.contains({liar.id(), beside.to})) return;
  liar.liar->excess[beside.to] += payload_bytes;
  cross(std::move(cargo));
}

// All outputs of a tile that was just lent to it, with contents made up.
void VirtualCluster::forestall(Host& liar, const Send& beside, const Assign& loan) {
  const LoadedPlan& plan = loaded(loan.plan);
  uint32_t index = 0;
  for (const LentPart& part : lent_parts(plan, tile(plan.plan, loan.tile).outputs)) {
    const Piece piece{.key = loan.key,
                      .plan = prefix64(loan.plan),
                      .role = Piece::Role::lent_output,
                      .tile = loan.tile,
                      .attempt = loan.attempt,
                      .index = index++};
    say(liar, beside, piece, part.bytes, {{part.region, liar.liar->dice.next()}});
  }
  liar.liar->forestalled.insert({loan.key, loan.tile});
}

void VirtualCluster::lie_beside(Host& liar, const Send& send) {
  Liar& self = *liar.liar;
  if (std::holds_alternative<Hello>(send.message)) return;
  const auto fresh = std::find_if(self.loans.begin(), self.loans.end(), [&](const Assign& loan) {
    const Plan& plan = loaded(loan.plan).plan;
    return tile(plan, loan.tile).home == send.to;
  });
  if (fresh != self.loans.end()) {
    const Assign loan = *fresh;
    self.loans.erase(fresh);
    if (self.dice.chance(0.5)) forestall(liar, send, loan);
  }
  if (self.heard.empty() || !self.dice.chance(lies_a_message)) return;
  const Assign about = self.heard[self.dice.next() % self.heard.size()];
  if (about.key.owner == liar.id()) return;
  Message lie = lie_about(liar, about, send.to);
  Send beside = send;
  if (self.dice.chance(0.2)) beside.envelope.ready_tiles = 1000;
  say(liar, beside, std::move(lie), 0, {});
}

// What it says falsely about a tile that it has heard of. It is a beat where the drawn lie would
// end the liar's own work, for which its node would then wait for ever.
Message VirtualCluster::lie_about(Host& liar, const Assign& about, NodeId to) {
  Liar& self = *liar.liar;
  const Plan& plan = loaded(about.plan).plan;
  const TileId tile{
      static_cast<uint32_t>(self.dice.next() % static_cast<uint64_t>(tile_count(plan)))};
  const NodeId anybody = hosts_[self.dice.next() % hosts_.size()]->id();
  const TileContent content{self.dice.next(), self.dice.next()};
  const bool lends_it = self.lent.contains({to, about.key, tile});
  const std::vector<NodeId> plan_homes = homes(plan);
  const bool is_home = std::binary_search(plan_homes.begin(), plan_homes.end(), liar.id());
  switch (self.dice.between(0, 9)) {
    case 0:
    case 1:
      if (lends_it) return Beat{};
      return Failed{static_cast<Failed::Kind>(self.dice.between(0, 2)), about.key, tile,
                    about.attempt, "it says so"};
    case 2:
      if (is_home) return Beat{};
      return FrameClosed{about.key, true};
    case 3:
      return Done{about.key, tile, anybody, about.attempt, Duration(1000), content};
    case 4:
      return AuditResult{about.key, about.plan, tile, about.attempt,
                         self.dice.chance(0.5) ? std::optional(content) : std::nullopt};
    case 5:
      return PlanReady{.plan = about.plan,
                       .ready = self.dice.chance(0.5),
                       .why_not = "it says so",
                       .lost = self.dice.chance(0.5) ? std::optional(anybody) : std::nullopt,
                       .again = self.dice.chance(0.5),
                       .hangs = self.dice.chance(0.2)};
    case 6:
      return PlanOffer{about.plan, plan.model, "a text that is no plan"};
    case 7:
      return Grant{about.key};
    case 8:
      return StealRequest{{prefix64(about.plan)}};
    default:
      return AuditRequest{{about.key, about.plan, tile, 0, true}};
  }
}

}  // namespace shingle::sim
