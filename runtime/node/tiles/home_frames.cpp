#include "runtime/node/tiles/home_frames.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

HomeFrames::HomeFrames(const NodeConfig& config, const Peers& peers, Plans& plans,
                       ReadyQueue& ready, Loans& loans, Effects& effects)
    : config_(config),
      peers_(peers),
      plans_(plans),
      ready_(ready),
      loans_(loans),
      effects_(effects) {}

HomeFrame& HomeFrames::at(const FrameKey& key) {
  HomeFrame* frame = find_in(frames_, key);
  assert(frame != nullptr);
  return *frame;
}

const HomeFrame& HomeFrames::at(const FrameKey& key) const {
  const HomeFrame* frame = find(key);
  assert(frame != nullptr);
  return *frame;
}

const HomeFrame* HomeFrames::find_open(const FrameKey& key) const {
  const HomeFrame* frame = find(key);
  return frame == nullptr || frame->closed ? nullptr : frame;
}

HomeFrame* HomeFrames::open_frame(const FrameKey& key) {
  return const_cast<HomeFrame*>(find_open(key));
}

bool HomeFrames::uses(const PlanHash& plan) const {
  for (const auto& [key, frame] : frames_)
    if (frame.plan->hash() == plan) return true;
  return std::any_of(requests_.begin(), requests_.end(),
                     [&](const SlotRequest& request) { return request.plan == plan; });
}

bool HomeFrames::holds_below(NodeId owner, uint64_t number) const {
  const auto first = frames_.lower_bound({owner, 0, 0});
  return std::any_of(first, frames_.end(), [&](const auto& entry) {
    return entry.first.owner == owner && entry.first.frame < number;
  });
}

Invitations::Party HomeFrames::party() const {
  Invitations::Party party;
  for (const auto& [key, frame] : frames_) {
    party.homes.insert(party.homes.end(), frame.plan->homes.begin(), frame.plan->homes.end());
    party.owners.push_back(key.owner);
  }
  return party;
}

// The plan expects that tiles wait for pieces, but for no longer than the longest tile takes.
Duration HomeFrames::usual_pause() const {
  Duration pause = Duration::zero();
  for (const auto& [key, frame] : frames_) {
    if (frame.closed || frame.waiting == 0) continue;
    const std::vector<Duration>& measured = frame.plan->measured;
    const Duration longest = *std::max_element(measured.begin(), measured.end());
    pause = std::max(pause, longest == Duration::zero() ? config_.limits.beat_every : longest);
  }
  return pause;
}

Urgency HomeFrames::urgency(const FrameKey& key, const HomeFrame& frame, TileId tile) const {
  assert(tile.value < frame.tiles.size());
  return {frame.deadline, key, frame.plan->block_of_tile[tile.value],
          frame.plan->order_of_tile[tile.value]};
}

void HomeFrames::begin_unprompted(NodeId from, const FrameKey& key) {
  HomeFrame* frame = open_frame(key);
  if (frame == nullptr || key.owner != from) return;
  for (const Tile* tile : frame->plan->tiles) {
    const HomeTile& own = frame->tiles[tile->id.value];
    if (own.state == TileState::waiting && own.missing == 0) make_ready(key, *frame, tile->id);
  }
}

void HomeFrames::take_strip(const FrameKey& key, StripId id, std::optional<CanvasKey> source) {
  HomeFrame* frame = open_frame(key);
  if (frame == nullptr) return;
  assert(id.value < frame->arrived.size());
  if (frame->arrived[id.value]) return;
  const KnownPlan& plan = *frame->plan;
  frame->arrived[id.value] = true;
  const Strip& strip = plan.routes().strips[id.value];
  effects_.act(
      Paste{.plan = plan.hash(),
            .target = {.frame = key, .place = Place::home, .tensor = strip.tensor, .tile = {}},
            .region = strip.region,
            .source = source});
  for (const TileId reader : plan.routes().waiting_on_strip[id.value])
    count_down(key, *frame, reader);
}

void HomeFrames::count_down(const FrameKey& key, HomeFrame& frame, TileId tile) {
  HomeTile& waiting = frame.tiles[tile.value];
  assert(waiting.state == TileState::waiting && waiting.missing > 0);
  if (--waiting.missing == 0) make_ready(key, frame, tile);
}

void HomeFrames::make_ready(const FrameKey& key, HomeFrame& frame, TileId tile) {
  HomeTile& own = frame.tiles[tile.value];
  assert(own.state == TileState::waiting || own.state == TileState::lent);
  if (own.state == TileState::waiting) --frame.waiting;
  own.state = TileState::ready;
  ready_.insert({urgency(key, frame, tile), tile, Place::home, frame.due});
}

Compute HomeFrames::begin(const ReadyTile& tile) {
  assert(tile.place == Place::home);
  const FrameKey& key = tile.urgency.frame;
  HomeFrame& frame = at(key);
  HomeTile& own = frame.tiles[tile.tile.value];
  assert(own.state == TileState::ready);
  ++frame.running;
  own.state = TileState::running;
  const bool audited = request_audit(key, frame, tile.tile, config_.id);
  ready_.charge(tile, frame.plan->tiles[tile.tile.value]->macs + 1);
  return {.key = key,
          .plan = frame.plan->hash(),
          .tile = tile.tile,
          .attempt = own.attempt,
          .place = Place::home,
          .audited = audited};
}

void HomeFrames::computed(const TileComputed& event, ComputeSpeed& speed) {
  HomeFrame& frame = at(event.key);
  assert(frame.running > 0);
  --frame.running;
  if (event.status) speed.measure(*frame.plan, event.tile, event.compute_time);
  if (frame.closed) {
    if (frame.running == 0) release(event.key);
    return;
  }
  if (!event.status) {  // the owner will close the frame
    frame.tiles[event.tile.value].state = TileState::failed;
    return effects_.send(event.key.owner, Failed{Failed::Kind::at_home, event.key, event.tile,
                                                 event.attempt, event.status.error()});
  }
  ++effects_.counters().tiles_computed;
  finish(event.key, event.tile, config_.id, event.compute_time, event.content);
}

void HomeFrames::finish(const FrameKey& key, TileId id, NodeId computed_by, Duration compute_time,
                        const TileContent& content) {
  HomeFrame& frame = at(key);
  const KnownPlan& plan = *frame.plan;
  HomeTile& tile = frame.tiles[id.value];
  assert(tile.state == TileState::running || tile.state == TileState::lent);
  tile.state = TileState::done;
  for (const StripId strip : plan.routes().leaving[id.value]) send_strip(key, frame, strip);
  for (const TileId reader : plan.routes().waiting_on_tile[id.value])
    count_down(key, frame, reader);
  for (const Slice& window : plan.tiles[id.value]->inputs) use_done(key, frame, window.tensor);
  for (const Slice& part : plan.tiles[id.value]->outputs) use_done(key, frame, part.tensor);
  effects_.send(key.owner, Done{key, id, computed_by, tile.attempt, compute_time, content});
}

void HomeFrames::send_strip(const FrameKey& key, const HomeFrame& frame, StripId id) {
  const KnownPlan& plan = *frame.plan;
  const Strip& strip = plan.routes().strips[id.value];
  effects_.transfer(
      strip.destination.value_or(key.owner),
      {.urgency = {frame.deadline, key, plan.block_of_strip[id.value], 0},
       .piece = promised(key, plan.hash(), id),
       .source = {.frame = key, .place = Place::home, .tensor = strip.tensor, .tile = {}},
       .region = strip.region,
       .bytes = strip.bytes});
}

void HomeFrames::piece_left(const FrameKey& key, TensorId tensor) {
  if (HomeFrame* frame = open_frame(key)) use_done(key, *frame, tensor);
}

// A canvas lives until its last user, a tile here or a strip that leaves, is done with it.
void HomeFrames::use_done(const FrameKey& key, HomeFrame& frame, TensorId tensor) {
  const int32_t canvas = frame.plan->canvas_of_tensor[tensor.value];
  assert(canvas >= 0);
  int32_t& users = frame.users[static_cast<size_t>(canvas)];
  assert(users > 0);
  if (--users == 0)
    effects_.act(Release{{.frame = key, .place = Place::home, .tensor = tensor, .tile = {}}});
}

}  // namespace shingle
