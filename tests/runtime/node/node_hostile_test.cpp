// A joined peer sends random messages in random order, with valid and invalid numbers. The node
// refuses or ignores them, keeps its invariants, and allocates nothing that grows with them.
#include <doctest/doctest.h>

#include <map>

#include "node_bench.hpp"
#include "tests/networks/networks.hpp"

namespace shingle {
namespace {

class Liar {
 public:
  Liar(uint64_t seed, const LoadedPlan& plan) : random_(seed), plan_(plan) {}

  Message message(uint32_t from) {
    from_ = from;
    switch (random_.chance(0.01) ? 0 : random_.between(1, 22)) {
      case 0:
        return Hello{.version = protocol_version,
                     .life = number(3),
                     .session = number(4),
                     .answers = number(4),
                     .credit_bytes = random_.between(-1, 5000),
                     .name = "liar",
                     .arithmetic_class = {},
                     .compute_slots = number(3)};
      case 1:
        return PlanOffer{hash(), plan_.plan.model, random_.chance(0.5) ? "nonsense" : ""};
      case 2:
        return PlanReady{hash(), random_.chance(0.9), "no",
                         random_.chance(0.5) ? std::optional(NodeId{number(4)}) : std::nullopt};
      case 3:
        return FrameOpen{key(),
                         hash(),
                         Duration(random_.chance(0.5) ? INT64_MAX : -5),
                         random_.chance(0.9) ? std::vector<TileAudit>{}
                                             : std::vector<TileAudit>{{tile(), NodeId{number(4)}}},
                         {NodeId{number(4)}}};
      case 4:
        return Grant{key()};
      case 5:
        return FrameClosed{key(), random_.chance(0.5)};
      case 6:
        return Done{key(), tile(), NodeId{number(4)}, number(2), Duration(random_.between(-5, 5))};
      case 7:
        return Failed{static_cast<Failed::Kind>(number(3)), key(), tile(), number(2), "no"};
      case 8:
        return StealRequest{{prefix64(plan_.hash)}};
      case 9:
        return random_.chance(0.3) ? StealReply{}
                                   : StealReply{Assign{key(), hash(), tile(), number(2)}};
      case 10:
        return Beat{};
      case 21:
        return AuditRequest{{key(), hash(), tile(), number(2)}};
      case 22:
        return AuditResult{
            key(), hash(), tile(), number(2),
            random_.chance(0.5) ? std::optional<TileContent>({1, number(2)}) : std::nullopt};
      default:
        return Piece{key(),
                     random_.chance(0.9) ? prefix64(plan_.hash) : 7,
                     static_cast<Piece::Role>(random_.between(0, 3)),
                     tile(),
                     number(2),
                     number(static_cast<int32_t>(plan_.routes.strips.size()))};
    }
  }
  // A strip that is often the right one, so that later messages reach deeper states.
  std::pair<uint32_t, Piece> likely_piece() {
    const uint32_t index = number(static_cast<int32_t>(plan_.routes.strips.size()) - 1);
    const Strip& strip = plan_.routes.strips[index];
    const uint32_t owner = strip.destination ? number(3) : 0;
    const uint32_t from = strip.producer ? tile_home(*strip.producer) : owner;
    const FrameKey key{NodeId{owner}, 1, number(2)};
    return {from, Piece{key, prefix64(plan_.hash), Piece::Role::promised, {}, 0, index}};
  }
  int64_t payload(const Message& message) {
    const auto* piece = std::get_if<Piece>(&message);
    if (piece == nullptr) return random_.chance(0.02) ? 5 : 0;
    if (piece->index < plan_.routes.strips.size() && random_.chance(0.8))
      return plan_.routes.strips[piece->index].bytes;
    return random_.between(0, 4096);
  }
  Envelope envelope(uint32_t from) {
    Envelope envelope;
    envelope.from = NodeId{from};
    envelope.life = random_.chance(0.98) ? 1 : number(3);
    envelope.ready_tiles = random_.chance(0.5) ? number(5) : UINT32_MAX;
    envelope.closed_below = random_.chance(0.995) ? 0 : number(12);
    envelope.pasted_bytes = random_.chance(0.9) ? 0 : random_.next();
    envelope.picoseconds_per_mac = random_.chance(0.9) ? number(2000) : UINT32_MAX;
    return envelope;
  }
  uint32_t number(int32_t below) { return static_cast<uint32_t>(random_.between(0, below)); }
  bool chance(double probability) { return random_.chance(probability); }

 private:
  FrameKey key() {
    const NodeId owner{random_.chance(0.4) ? from_ : random_.chance(0.7) ? 0 : number(3)};
    return {owner, random_.chance(0.98) ? 1 : number(3), number(2)};
  }
  TileId tile() {
    return {random_.chance(0.95) ? number(static_cast<int32_t>(plan_.routes.waits_for.size()))
                                 : UINT32_MAX};
  }
  uint32_t tile_home(TileId id) const { return shingle::tile(plan_.plan, id).home.value; }
  PlanHash hash() {
    PlanHash hash = plan_.hash;
    if (random_.chance(0.05)) hash.bytes[0] = static_cast<uint8_t>(number(20));
    return hash;
  }

  networks::Random random_;
  const LoadedPlan& plan_;
  uint32_t from_ = 0;
};

// Finishes tiles and loads plans, some of them at once and some later.
class Interpreter {
 public:
  Interpreter(NodeBench& bench, const LoadedPlan& plan)
      : bench_(bench), plan_(std::make_shared<LoadedPlan>(plan)) {}

  void give(const Event& event) {
    bench_.give(event);
    for (const Compute& compute : bench_.all<Compute>()) running_.push_back(compute);
    for (const LoadPlan& load : bench_.all<LoadPlan>()) loading_.push_back(load.plan);
    for (const Send& send : bench_.all<Send>())
      if (const auto* hello = std::get_if<Hello>(&send.message)) greeted_[send.to] = hello->session;
  }
  void catch_up() {
    if (!running_.empty()) {
      const Compute compute = running_.back();
      running_.pop_back();
      give(TileComputed{compute.key, compute.tile, compute.attempt, compute.place,
                        std::chrono::milliseconds(1)});
    }
    if (!greeted_.empty()) {
      const auto [peer, session] = *greeted_.begin();
      greeted_.erase(greeted_.begin());
      Envelope envelope;
      envelope.from = peer;
      envelope.life = 1;
      give(MessageReceived{envelope, hello_answering(session), 0});
    }
    if (loading_.empty()) return;
    const PlanHash hash = loading_.back();
    loading_.pop_back();
    if (hash == plan_->hash)
      give(PlanLoaded{hash, plan_});
    else
      give(PlanLoaded{hash, Error{"there is no such model"}});
  }

 private:
  static Hello hello_answering(uint32_t session) {
    return {.version = protocol_version,
            .life = 1,
            .session = 100 + session,
            .answers = session,
            .credit_bytes = 4096,
            .name = "liar",
            .arithmetic_class = {},
            .compute_slots = 1};
  }

  NodeBench& bench_;
  std::shared_ptr<const LoadedPlan> plan_;
  std::vector<Compute> running_;
  std::vector<PlanHash> loading_;
  std::map<NodeId, uint32_t> greeted_;  // by the node, unanswered
};

TEST_CASE("no sequence of lies breaks a node") {
  const Model model = bench_model();
  uint64_t refused = 0, computed = 0;
  for (uint64_t seed = 1; seed <= 70; ++seed) {
    CAPTURE(seed);
    const LoadedPlan plan = trusted_plan(model, bench_plan(model, {0, 1, 2}, 6));
    NodeBench bench(bench_config(0, 4));
    Interpreter interpreter(bench, plan);
    Liar liar(seed, plan);
    for (const uint32_t peer : {1U, 2U, 3U}) bench.join(peer);
    interpreter.give(PlanProposed{plan.hash, model.hash, "text"});
    uint64_t frame = 1;
    for (int i = 0; i < 3000; ++i) {
      uint32_t from = liar.number(4);
      Message message = liar.message(from);
      if (liar.chance(0.6)) std::tie(from, message) = liar.likely_piece();
      interpreter.give(MessageReceived{liar.envelope(from), message, liar.payload(message)});
      bench.wait(std::chrono::milliseconds(1));
      if (liar.chance(0.3)) interpreter.catch_up();
      if (liar.chance(0.05))
        interpreter.give(FrameCaptured{frame++, plan.hash, std::chrono::seconds(1)});
      if (liar.chance(0.02)) interpreter.give(PeerSeen{NodeId{1 + liar.number(2)}});
      if (liar.chance(0.01)) interpreter.give(PeerLost{NodeId{1 + liar.number(2)}, "gone"});
      if (liar.chance(0.02)) interpreter.give(Woken{});
    }
    refused += bench.refused();
    computed += bench.node().counters().tiles_computed;
  }
  CHECK(refused > 1000);
  CHECK(computed > 500);  // the lies went deep enough to matter
}

}  // namespace
}  // namespace shingle
