// The home's part: slots, strips, readiness, computing, and what follows when a tile is done.
#include <algorithm>
#include <cassert>

#include "runtime/node/node_state.hpp"

namespace shingle {

void Node::State::on_frame_open(NodeId from, const FrameOpen& open) {
  if (known(open.plan) == nullptr)  // given up between offer and opening
    return send(from, PlanReady{open.plan, false, "it no longer holds the plan", {}, true});
  slot_requests.push_back({.key = open.key,
                           .plan = open.plan,
                           .deadline = deadline_in(open.time_left),
                           .due = open.time_left < no_deadline / 2,
                           .audits = open.audits,
                           .shunned = open.shunned});
  grant_slots();
}

void Node::State::grant_slots() {
  while (!slot_requests.empty() && homes.size() < config.limits.frame_slots) {
    const auto next = next_request();
    const SlotRequest request = *next;
    slot_requests.erase(next);
    grant(request);
  }
}

// The first of the owner that holds the fewest slots here: one with many frames must not keep the
// others out.
std::deque<SlotRequest>::iterator Node::State::next_request() {
  const auto held = [&](const SlotRequest& request) {
    return std::count_if(homes.begin(), homes.end(),
                         [&](const auto& entry) { return entry.first.owner == request.key.owner; });
  };
  return std::min_element(
      slot_requests.begin(), slot_requests.end(),
      [&](const SlotRequest& a, const SlotRequest& b) { return held(a) < held(b); });
}

void Node::State::grant(const SlotRequest& request) {
  KnownPlan& plan = *known(request.plan);
  plans.at(request.plan).used_at = now;
  HomeFrame& frame = homes[request.key];
  frame.plan = &plan;
  frame.deadline = deadline_behind_earlier(request);
  frame.due = request.due;
  frame.arrived.assign(plan.routes().strips.size(), false);
  frame.tiles.resize(plan.tiles.size());
  for (const Tile* tile : plan.tiles) {
    if (tile->home != config.id) continue;
    HomeTile& own = frame.tiles[tile->id.value];
    own.state = TileState::waiting;
    own.missing = plan.routes().waits_for[tile->id.value];
    ++frame.waiting;
  }
  for (const TileAudit& audit : request.audits)
    frame.audits[audit.tile].auditors.push_back(audit.auditor);
  frame.shunned.insert(request.shunned.begin(), request.shunned.end());
  if (idle_since) idle_since = now;  // until now there was nothing to wait for
  for (const CanvasSpec* canvas : plan.canvases) frame.users.push_back(canvas->users);
  send(request.key.owner, Grant{request.key});
}

// The limit keeps sums of times in range.
Time Node::State::deadline_in(Duration time_left) const {
  return now + std::clamp<Duration>(time_left, Duration::zero(), no_deadline);
}

// An owner delivers in order: no frame of its own is more urgent than the one before it. What they
// say of their time left is a message's way old, and ways differ: without this two nodes would work
// on two frames in opposite orders, each waiting for the other's halos.
Time Node::State::deadline_behind_earlier(const SlotRequest& request) const {
  Time deadline = request.deadline;
  const FrameKey first{request.key.owner, request.key.life, 0};
  for (auto at = homes.lower_bound(first); at != homes.end() && at->first < request.key; ++at) {
    deadline = std::max(deadline, at->second.deadline);
  }
  return deadline;
}

HomeFrame* Node::State::home_frame(const FrameKey& key) {
  HomeFrame* frame = find_in(homes, key);
  return frame == nullptr || frame->closed ? nullptr : frame;
}

void Node::State::begin_unprompted(NodeId from, const FrameKey& key) {
  HomeFrame* frame = home_frame(key);
  if (frame == nullptr || key.owner != from) return;
  for (const Tile* tile : frame->plan->tiles) {
    const HomeTile& own = frame->tiles[tile->id.value];
    if (own.state == TileState::waiting && own.missing == 0) make_ready(key, *frame, tile->id);
  }
}

void Node::State::on_promised(const FrameKey& key, StripId id, std::optional<CanvasKey> source) {
  const KnownPlan* plan = nullptr;
  HomeFrame* frame = home_frame(key);
  const OwnedFrame* own = own_frame(key);
  if (frame != nullptr) plan = frame->plan;
  if (own != nullptr && own->plan != nullptr) plan = own->plan;
  if (plan == nullptr) return;  // late: the frame is closed
  const Strip& strip = plan->routes().strips[id.value];
  if (!strip.destination) return on_outcome(key, id, source);
  if (frame == nullptr || frame->arrived[id.value]) return;
  frame->arrived[id.value] = true;
  act(Paste{.plan = plan->hash(),
            .target = {.frame = key, .place = Place::home, .tensor = strip.tensor, .tile = {}},
            .region = strip.region,
            .source = source});
  for (const TileId reader : plan->routes().waiting_on_strip[id.value])
    count_down(key, *frame, reader);
}

void Node::State::count_down(const FrameKey& key, HomeFrame& frame, TileId tile) {
  HomeTile& waiting = frame.tiles[tile.value];
  assert(waiting.state == TileState::waiting && waiting.missing > 0);
  if (--waiting.missing == 0) make_ready(key, frame, tile);
}

Urgency Node::State::urgency(const FrameKey& key, const HomeFrame& frame, TileId tile) const {
  return {frame.deadline, key, frame.plan->block_of_tile[tile.value],
          frame.plan->order_of_tile[tile.value]};
}

void Node::State::make_ready(const FrameKey& key, HomeFrame& frame, TileId tile) {
  HomeTile& own = frame.tiles[tile.value];
  if (own.state == TileState::waiting) --frame.waiting;
  own.state = TileState::ready;
  ready.insert({urgency(key, frame, tile), tile, Place::home, frame.due});
}

void Node::State::compute_ready() {
  while (running < config.limits.compute_slots && !ready.empty() && !is_damaged()) {
    const ReadyTile next = ready.take();
    ++running;
    const TileKey key{next.urgency.frame, next.tile};
    Compute compute{
        .key = key.frame, .plan = {}, .tile = key.tile, .attempt = 0, .place = next.place};
    if (next.place == Place::home) {
      HomeFrame& frame = homes.at(key.frame);
      ++frame.running;
      frame.tiles[key.tile.value].state = TileState::running;
      compute.plan = frame.plan->hash();
      compute.attempt = frame.tiles[key.tile.value].attempt;
      compute.audited = request_audit(key.frame, frame, key.tile, config.id);
      ready.charge(next, frame.plan->tiles[key.tile.value]->macs + 1);
    } else {
      Borrowed& lent = borrowed.at(key);
      lent.stage = Borrowed::Stage::running;
      compute.plan = lent.plan->hash();
      compute.attempt = lent.attempt;
      compute.audited = lent.audited;
    }
    begin_watch(compute,
                next.place == Place::home ? *homes.at(key.frame).plan : *borrowed.at(key).plan);
    act(compute);
  }
}

void Node::State::home_computed(const TileComputed& event) {
  HomeFrame& frame = homes.at(event.key);
  assert(frame.running > 0);
  --frame.running;
  if (event.error.empty()) measure(*frame.plan, event.tile, event.compute_time);
  if (frame.closed) {
    if (frame.running == 0) release_home(event.key);
    return;
  }
  if (!event.error.empty()) {  // the owner will close the frame
    frame.tiles[event.tile.value].state = TileState::failed;
    return send(event.key.owner,
                Failed{Failed::Kind::at_home, event.key, event.tile, event.attempt, event.error});
  }
  ++counters.tiles_computed;
  finish_tile(event.key, event.tile, config.id, event.compute_time, event.content);
}

// Exponential means over about eight tiles: boards throttle, so old times must fade. One tile that
// hung must not make the next one's hanging look usual. Those of closed frames count as well: a
// node that was suspected at its first long tile would be suspected at each attempt otherwise.
void Node::State::measure(KnownPlan& plan, TileId tile, Duration compute_time) {
  Duration& mean = plan.measured[plan.block_of_tile[tile.value]];
  if (mean > Duration::zero()) compute_time = std::min(compute_time, 8 * mean);
  mean = mean == Duration::zero() ? compute_time : (mean * 7 + compute_time) / 8;
  const int64_t macs = plan.tiles[tile.value]->macs;
  if (macs <= 0) return;
  const double sample =
      1000.0 * static_cast<double>(compute_time.count()) / static_cast<double>(macs);
  const double speed =
      picoseconds_per_mac == 0 ? sample : (picoseconds_per_mac * 7.0 + sample) / 8.0;
  picoseconds_per_mac = static_cast<uint32_t>(std::clamp(speed, 1.0, 1e9));
}

// The output lies in the home canvas, whoever computed it.
void Node::State::finish_tile(const FrameKey& key, TileId id, NodeId computed_by,
                              Duration compute_time, const TileContent& content) {
  HomeFrame& frame = homes.at(key);
  const KnownPlan& plan = *frame.plan;
  HomeTile& tile = frame.tiles[id.value];
  tile.state = TileState::done;
  for (const StripId strip : plan.routes().leaving[id.value]) send_strip(key, frame, strip);
  for (const TileId reader : plan.routes().waiting_on_tile[id.value])
    count_down(key, frame, reader);
  for (const Slice& window : plan.tiles[id.value]->inputs) use_done(key, frame, window.tensor);
  for (const Slice& part : plan.tiles[id.value]->outputs) use_done(key, frame, part.tensor);
  send(key.owner, Done{key, id, computed_by, tile.attempt, compute_time, content});
}

void Node::State::send_strip(const FrameKey& key, const HomeFrame& frame, StripId id) {
  const KnownPlan& plan = *frame.plan;
  const Strip& strip = plan.routes().strips[id.value];
  transfer(strip.destination.value_or(key.owner),
           {.urgency = {frame.deadline, key, plan.block_of_strip[id.value], 0},
            .piece = promised(key, plan.hash(), id),
            .source = {.frame = key, .place = Place::home, .tensor = strip.tensor, .tile = {}},
            .region = strip.region,
            .bytes = strip.bytes});
}

// A canvas lives until its last user, a tile here or a strip that leaves, is done with it.
void Node::State::use_done(const FrameKey& key, HomeFrame& frame, TensorId tensor) {
  const int32_t canvas = frame.plan->canvas_of_tensor[tensor.value];
  assert(canvas >= 0);
  int32_t& users = frame.users[static_cast<size_t>(canvas)];
  assert(users > 0);
  if (--users == 0)
    act(Release{{.frame = key, .place = Place::home, .tensor = tensor, .tile = {}}});
}

void Node::State::on_frame_closed(NodeId from, const FrameClosed& closed) {
  forget_borrowed(from, closed.key);
  if (closed.key.owner == from) close_home(closed.key);
}

void Node::State::close_home(const FrameKey& key) {
  std::erase_if(slot_requests, [&](const SlotRequest& request) { return request.key == key; });
  HomeFrame* frame = home_frame(key);
  if (frame == nullptr) return;
  frame->closed = true;
  ready.erase_if([&](const ReadyTile& tile) {
    return tile.place == Place::home && tile.urgency.frame == key;
  });
  drop_pieces(key, Place::home);
  void_loans(key);
  void_audits(key, *frame);
  if (frame->running == 0) release_home(key);  // else its canvases are in use
}

void Node::State::release_home(const FrameKey& key) {
  act(ReleaseAll{key, Place::home});
  homes.erase(key);
  grant_slots();
}

// The owner's watermark: what it no longer has open needs no slot here.
void Node::State::close_below(NodeId owner, uint64_t life, uint64_t number) {
  std::vector<FrameKey> over;
  for (auto frame = homes.lower_bound({owner, 0, 0});
       frame != homes.end() && frame->first.owner == owner; ++frame) {
    const FrameKey& key = frame->first;
    const bool passed = key.life != life || key.frame < number;
    if (passed && !frame->second.closed) over.push_back(key);
  }
  for (const FrameKey& key : over) close_home(key);
}

void Node::State::home_lost_owner(NodeId owner) {
  std::erase_if(slot_requests,
                [&](const SlotRequest& request) { return request.key.owner == owner; });
  std::vector<FrameKey> orphans;
  for (auto frame = homes.lower_bound({owner, 0, 0});
       frame != homes.end() && frame->first.owner == owner; ++frame)
    orphans.push_back(frame->first);
  for (const FrameKey& key : orphans) close_home(key);
}

}  // namespace shingle
