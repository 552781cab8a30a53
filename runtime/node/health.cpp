#include "runtime/node/health.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace shingle {

namespace {

// A tile may begin just before a beat, and that beat counts fully. Each pause of the whole process
// adds one beat. So a tile of a healthy executor may have seen three.
constexpr int least_beats = 4;
constexpr int patience = 8;  // times what is expected of a tile

std::string milliseconds(Duration duration) {
  return std::to_string(duration / std::chrono::milliseconds(1)) + " ms";
}

}  // namespace

Health::Health(const NodeConfig& config, const Peers& peers, const Weights& weights,
               const Effects& effects)
    : config_(config), peers_(peers), weights_(weights), effects_(effects) {}

void Health::begin(const Compute& compute, const KnownPlan& plan, const ComputeSpeed& speed) {
  assert(running() < config_.limits.compute_slots);
  const Duration expected = speed.expected(plan, compute.tile);
  const Duration allowed =
      expected == Duration::zero()
          ? config_.limits.first_tile_allowed
          : std::max({config_.limits.hang_allowed, least_beats * config_.limits.beat_every,
                      patience * expected});
  underway_.push_back({.key = {compute.key, compute.tile},
                       .place = compute.place,
                       .since = uptime_,
                       .allowed = config_.limits.packing_allowed,
                       .allowed_to_compute = allowed});
}

std::vector<Underway>::iterator Health::find(const FrameKey& key, TileId tile, Place place) {
  return std::find_if(underway_.begin(), underway_.end(), [&](const Underway& other) {
    return other.key == TileKey{key, tile} && other.place == place;
  });
}

bool Health::begun(const TileBegun& event) {
  const auto tile = find(event.key, event.tile, event.place);
  if (tile == underway_.end() || tile->begun) return false;
  tile->begun = true;
  tile->since = uptime_;
  tile->allowed = tile->allowed_to_compute;
  return std::exchange(tile->hangs, false);
}

Health::Ended Health::end(const TileComputed& event) {
  const auto tile = find(event.key, event.tile, event.place);
  assert(tile != underway_.end());
  const Ended ended{.hung = tile->hangs, .sound = !tile->tainted};
  underway_.erase(tile);
  return ended;
}

void Health::taint() {
  for (Underway& tile : underway_) tile.tainted = true;
}

void Health::pass(Duration since_last) {
  const Duration beat = config_.limits.beat_every;
  assert(since_last >= beat);
  uptime_ += since_last > 2 * beat ? beat : since_last;
}

const Underway* Health::next_suspect() {
  const auto tile = std::find_if(underway_.begin(), underway_.end(), [&](const Underway& each) {
    return !each.hangs && uptime_ - each.since >= each.allowed;
  });
  if (tile == underway_.end()) return nullptr;
  tile->hangs = true;
  return &*tile;
}

bool Health::hangs() const {
  return std::any_of(underway_.begin(), underway_.end(),
                     [](const Underway& tile) { return tile.hangs; });
}

std::string Health::why_it_hangs(const Underway& tile) const {
  assert(tile.hangs);
  return std::string(tile.begun ? "its executor has been at a tile for "
                                : "its executor has packed weights for a tile for ") +
         milliseconds(uptime_ - tile.since) + ", " + milliseconds(tile.allowed) + " were enough";
}

PlanReady Health::hang_refusal(const PlanHash& plan) const {
  const auto tile = std::find_if(underway_.begin(), underway_.end(),
                                 [](const Underway& each) { return each.hangs; });
  assert(tile != underway_.end());
  return {.plan = plan, .ready = false, .why_not = why_it_hangs(*tile), .hangs = true};
}

std::optional<PlanReady> Health::refusal(const PlanHash& plan) const {
  if (weights_.damaged()) return weights_.refusal(plan);
  if (hangs()) return hang_refusal(plan);
  return {};
}

Answer Health::own_answer() const {
  Answer answer{Answer::Kind::ready, {}, effects_.now(), true};
  if (weights_.damaged()) {
    answer.kind = weights_.answer_kind();
    answer.why = weights_.damage();
  } else if (hangs()) {
    answer.kind = Answer::Kind::hung;
    answer.why = peers_.name_of(config_.id) + " hangs: " + hang_refusal({}).why_not;
  }
  return answer;
}

}  // namespace shingle
