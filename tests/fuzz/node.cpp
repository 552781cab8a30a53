// Fuzzes one node among three peers that may send anything: messages as the decoder returns them,
// and random messages that fit the plan, so that some of them pass the first checks. An interpreter
// carries out the node's actions: it computes tiles and loads plans.
//
// After each step the node's invariants hold, and the size of its state is bounded. Whatever the
// node sends, pastes, computes from or delivers exists and was written before. At the end all peers
// are lost; then nothing may be left open.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "partition/search/planner.hpp"
#include "runtime/node/node.hpp"
#include "runtime/protocol/load_plan.hpp"
#include "tests/fuzz/canvas_model.hpp"
#include "tests/fuzz/story.hpp"
#include "tests/partition/plan/random_plans.hpp"
#include "transport/codec/codec.hpp"

namespace shingle::fuzz {
namespace {

constexpr uint32_t peers = 3;
constexpr size_t most_actions = 10'000;  // of one step
constexpr size_t most_canvases = 1'000;  // at once

const Model& the_model() {
  static const Model model = [] {
    Model made = chain(16);
    made.hash = structural_hash(made);
    return made;
  }();
  return model;
}

// Nodes 0, 1 and 2 are homes, node 3 is not.
const std::shared_ptr<const LoadedPlan>& the_plan() {
  static const auto loaded = [] {
    const Model& model = the_model();
    Cluster cluster;
    for (uint32_t id = 0; id < peers; ++id) cluster.nodes.push_back({NodeId{id}, 1.0, 100.0, 0});
    const PlanOptions options{.cut_after = {LayerId{0}}, .grid = {6, 1}, .granule = {}};
    return std::make_shared<const LoadedPlan>(
        trusted_plan(model, grid_plan(model, cluster, options)));
  }();
  return loaded;
}

// The plan, or a stand-in for it that the node has made itself. Null if the text is no plan. There
// are few stand-ins, so all of them are kept.
std::shared_ptr<const LoadedPlan> plan_of(const LoadPlan& load) {
  static std::map<PlanHash, std::shared_ptr<const LoadedPlan>> known;
  if (load.plan == the_plan()->hash) return the_plan();
  if (const auto found = known.find(load.plan); found != known.end()) return found->second;
  Result<LoadedPlan> made = load_plan(the_model(), load.text, load.plan);
  if (!made) return nullptr;
  return known[load.plan] = std::make_shared<const LoadedPlan>(std::move(*made));
}

NodeConfig config() {
  NodeConfig config;
  config.id = {0};
  for (uint32_t id = 0; id <= peers; ++id) config.members.push_back({id});
  return config;
}

class Stage {
 public:
  explicit Stage(Bytes bytes) : story_(bytes, *the_plan()), node_(config()) {}

  void play() {
    for (uint32_t id = 1; id <= peers; ++id) give(PeerSeen{{id}});
    answer_greetings();
    give(PlanProposed{the_plan()->hash, the_plan()->plan.model, print(the_plan()->plan)});
    while (!story_.over()) happen();
    end();
  }

 private:
  void give(const Event& event) {
    actions_.clear();
    node_.step(now_, event, actions_);
    for (const std::string& breach : node_.broken_invariants()) expect(false, breach);
    expect(actions_.size() <= most_actions, "a step's actions are bounded");
    for (const Action& action : actions_)
      std::visit([this](const auto& what) { carry_out(what); }, action);
    expect(canvases_.size() <= most_canvases, "a node's canvases are bounded");
  }

  void carry_out(const Send& send) {
    expect(send.to.value >= 1 && send.to.value <= peers, "a node speaks to its peers");
    if (const auto* hello = std::get_if<Hello>(&send.message)) greeted_[send.to] = hello->session;
    expect(std::holds_alternative<Piece>(send.message) == send.source.has_value(),
           "a piece carries something, and nothing else does");
    if (send.source)
      expect(canvases_.holds(*send.source, send.region), "what a piece carries has been written");
  }
  void carry_out(const Paste& paste) {
    const LoadedPlan& plan = loaded(paste.plan);
    const int64_t element_bytes = bytes_of(plan.types[paste.target.tensor.value]);
    if (paste.source)
      expect(canvases_.holds(*paste.source, paste.region), "what is pasted has been written");
    else
      expect(payload_bytes_ == paste.region.elements() * element_bytes,
             "a payload is as large as the box that it is pasted into");
    canvases_.write(plan, paste.target, paste.region);
  }
  void carry_out(const Compute& compute) {
    expect_windows(compute);
    for (const Slice& output : planned(compute).outputs)
      canvases_.open(loaded(compute.plan), key_of(compute, output.tensor));
    running_.push_back(compute);
  }
  void carry_out(const Release& release) { canvases_.release(release.canvas); }
  void carry_out(const ReleaseAll& all) { canvases_.release_all(all.frame, all.place); }
  void carry_out(const Deliver& deliver) {
    const LoadedPlan& plan = loaded(deliver.plan);
    for (const TensorId output : plan.outputs)
      expect(canvases_.holds({deliver.key, Place::outcome, output, {}},
                             whole(plan.shapes[output.value])),
             "what is delivered is whole");
    meet_fate(deliver.key);
  }
  void carry_out(const LoadPlan& load) {
    loading_.push_back(load);
    expect(loading_.size() <= max_plans, "no more plans are loaded than a node keeps");
  }
  void carry_out(const CheckWeights&) {}
  void carry_out(const PackAgain&) {
    expect(!packing_, "weights are packed once at a time");
    packing_ = true;
  }
  void carry_out(const Report& report) {
    if (facts_of(report.kind).ends_frame && report.key.owner.value == 0) meet_fate(report.key);
  }
  void carry_out(const WakeAt& wake) { wake_ = wake.at; }

  const LoadedPlan& loaded(const PlanHash& hash) const {
    const auto plan = plans_.find(hash);
    expect(plan != plans_.end(), "a node works by plans that were loaded for it");
    return *plan->second;
  }
  const Tile& planned(const Compute& compute) const {
    return tile(loaded(compute.plan).plan, compute.tile);
  }
  static CanvasKey key_of(const Compute& compute, TensorId tensor) {
    const bool lent = compute.place == Place::lent;
    return {compute.key, compute.place, tensor, lent ? compute.tile : TileId{}};
  }
  // A tile from the order to compute it until it is computed.
  void expect_windows(const Compute& compute) const {
    for (const Slice& window : planned(compute).inputs)
      expect(canvases_.holds(key_of(compute, window.tensor), window.region),
             "what a tile reads has been written, and stays");
  }

  void meet_fate(const FrameKey& key) {
    expect(open_.erase(key.frame) == 1, "a frame has one fate, and was captured");
  }

  void hear(uint32_t from, const Message& message) {
    const Envelope envelope = story_.envelope(from);
    payload_bytes_ = story_.payload(message);
    give(MessageReceived{envelope, message, *payload_bytes_});
    payload_bytes_.reset();
  }
  void hear_frame() {
    const Result<Packet> packet = decoder_.decode(story_.frame(), 0);
    if (!packet || !std::holds_alternative<Message>(packet->content)) return;
    give(MessageReceived{packet->envelope, std::get<Message>(packet->content), 0});
  }
  void answer_greetings() {
    for (const auto& [peer, session] : std::exchange(greeted_, {})) {
      Hello hello;
      hello.life = 1;
      hello.session = 100 + session;
      hello.answers = session;
      hello.credit_bytes = 4096;
      hello.compute_slots = 1;
      Envelope envelope;
      envelope.from = peer;
      envelope.life = 1;
      give(MessageReceived{envelope, hello, 0});
    }
  }
  void begin_tile() {
    const Compute& compute = running_[story_.number(255) % running_.size()];
    give(TileBegun{compute.key, compute.tile, compute.place});
  }
  void finish_tile(bool well) {
    if (running_.empty()) return;
    if (story_.one_in(4)) begin_tile();
    const size_t choice = story_.number(255) % running_.size();
    const Compute compute = running_[choice];
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(choice));
    expect_windows(compute);
    for (const Slice& output : planned(compute).outputs) {
      const CanvasKey key = key_of(compute, output.tensor);
      expect(canvases_.is_there(key), "what a tile writes into stays until it is computed");
      if (well) canvases_.write(loaded(compute.plan), key, output.region);
    }
    give(TileComputed{compute.key, compute.tile, compute.attempt, compute.place,
                      std::chrono::milliseconds(1), well ? success() : Error{"it broke"}});
  }
  void load() {
    if (loading_.empty()) return;
    const LoadPlan order = loading_.back();
    loading_.pop_back();
    const std::shared_ptr<const LoadedPlan> plan = plan_of(order);
    if (plan) plans_[order.plan] = plan;
    give(plan ? PlanLoaded{order.plan, plan}
              : PlanLoaded{order.plan, Error{"there is no such plan"}});
  }
  void change_weights() {
    if (std::exchange(packing_, false))
      give(
          PackedAgain{story_.one_in(4) ? Error{"there is no memory"} : success(), frame_ % 2 == 0});
    else
      give(WeightsDamaged{"they have changed"});
  }
  void capture() {
    open_.insert(++frame_);
    for (const TensorId input : the_plan()->inputs)
      canvases_.write(*the_plan(), {{{0}, 1, frame_}, Place::frame, input, {}},
                      whole(the_plan()->shapes[input.value]));
    give(FrameCaptured{frame_, the_plan()->hash, std::chrono::seconds(1)});
  }
  void pass(Duration duration) {
    now_ += duration;
    if (wake_ && *wake_ <= now_) {
      wake_.reset();
      give(Woken{});
    }
  }

  void happen() {
    switch (story_.number(15)) {
      case 0:
      case 1:
      case 2:
      case 3: {
        const auto [from, piece] = story_.likely_piece();
        return hear(from, piece);
      }
      case 4:
        return hear_frame();
      case 5:
        return answer_greetings();
      case 6:
      case 7:
        return finish_tile(!story_.one_in(16));
      case 8:
        return load();
      case 9:
        return capture();
      case 10:
        return give(PeerSeen{{1 + story_.number(peers - 1)}});
      case 11:
        return give(PeerLost{{1 + story_.number(peers - 1)}, "gone"});
      case 12:
        return pass(std::chrono::milliseconds(story_.number(255)));
      case 13:
        if (story_.one_in(4)) return change_weights();
        [[fallthrough]];
      default: {
        const uint32_t from = story_.number(peers + 1);
        return hear(from, story_.message(from));
      }
    }
  }

  // All peers leave, running tiles end, and time passes until no timer is left.
  void end() {
    for (uint32_t id = 1; id <= peers; ++id) give(PeerLost{{id}, "gone"});
    for (int second = 0; second < 60 && !(node_.idle() && open_.empty()); ++second) {
      while (!loading_.empty()) load();
      if (packing_) change_weights();
      while (!running_.empty()) finish_tile(true);
      pass(std::chrono::seconds(1));
    }
    expect(open_.empty(), "every frame meets its fate when the others are gone");
    expect(node_.idle(), "nothing is left open when the others are gone");
    expect(canvases_.size() == 0, "no canvas outlives its frame");
  }

  Story story_;
  Node node_;
  Decoder decoder_;
  Time now_{};
  Actions actions_;
  std::optional<Time> wake_;
  std::vector<Compute> running_;
  std::vector<LoadPlan> loading_;
  std::map<PlanHash, std::shared_ptr<const LoadedPlan>> plans_;  // loaded so far
  bool packing_ = false;
  std::map<NodeId, uint32_t> greeted_;  // the session of a Hello without an answer, by peer
  CanvasModel canvases_{{0}};
  std::optional<int64_t> payload_bytes_;  // of the message that is being handled
  std::set<uint64_t> open_;
  uint64_t frame_ = 0;
};

}  // namespace

void node(Bytes bytes) { Stage(bytes).play(); }

}  // namespace shingle::fuzz
