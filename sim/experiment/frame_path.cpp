#include "sim/experiment/frame_path.hpp"

#include <algorithm>
#include <string_view>

namespace shingle::sim {

const char* name_of(Cause cause) {
  switch (cause) {
    case Cause::room:
      return "room";
    case Cause::slot:
      return "slot";
    case Cause::compute:
      return "compute";
    case Cause::core:
      return "core";
    case Cause::wire:
      return "wire";
    case Cause::traffic:
      return "traffic";
    case Cause::credit:
      return "credit";
    case Cause::order:
      return "order";
    case Cause::recovery:
      break;
  }
  return "recovery";
}

TileInputs::TileInputs(const LoadedPlan& plan)
    : strips(plan.routes.waits_for.size()), tiles(plan.routes.waits_for.size()) {
  const Routes& routes = plan.routes;
  for (uint32_t strip = 0; strip < routes.waiting_on_strip.size(); ++strip)
    for (const TileId reader : routes.waiting_on_strip[strip])
      strips[reader.value].push_back(StripId{strip});
  for (uint32_t tile = 0; tile < routes.waiting_on_tile.size(); ++tile)
    for (const TileId reader : routes.waiting_on_tile[tile])
      tiles[reader.value].push_back(TileId{tile});
}

FramePath::FramePath(std::shared_ptr<const PathPlan> plan, NodeId owner, Time since, Time submitted)
    : plan_(std::move(plan)),
      owner_(owner),
      since_(since),
      submitted_(submitted),
      opened_(submitted),
      strips_(plan_->plan->routes.strips.size()),
      tiles_(plan_->plan->routes.waits_for.size()) {}

void FramePath::on(const TraceEvent& event) {
  if (event.key.attempt > 0) begun_again_ = true;
  if (begun_again_) return;
  using Kind = TraceEvent::Kind;
  if (event.kind == Kind::computed) {
    if (event.place == Place::home && event.node != tile(plan_->plan->plan, event.tile).home)
      on_stand_in_ = true;
    Computed& tile = tiles_[event.tile.value];
    if (tile.end == Time::max())
      tile = {event.at - event.length, event.at, event.place == Place::lent, event.node};
    return;
  }
  if (event.kind != Kind::sent && event.kind != Kind::received) return;
  const std::string_view what = event.what;
  if (what == "Piece") on_piece(event);
  if (what == "Grant" && event.kind == Kind::received && event.node == owner_) opened_ = event.at;
}

FramePath::Transfer* FramePath::transfer_of(const TraceEvent& event) {
  switch (event.role) {
    case Piece::Role::promised:
      return event.index < strips_.size() ? &strips_[event.index] : nullptr;
    case Piece::Role::lent_input:
      return &loans_[{event.tile, event.index}].input;
    case Piece::Role::lent_output:
      return &loans_[{event.tile, event.index}].output;
    case Piece::Role::audit_input:
      break;
  }
  return nullptr;
}

// Of a piece that is sent again after a connection broke, the last copy counts.
void FramePath::on_piece(const TraceEvent& event) {
  Transfer* transfer = transfer_of(event);
  if (transfer == nullptr) return;
  if (event.kind == TraceEvent::Kind::sent)
    *transfer = {.sent = event.at, .from = event.node, .to = event.peer, .bytes = event.bytes};
  else if (transfer->from == event.peer && transfer->to == event.node)
    transfer->received = event.at;
}

// The way back from the delivery.
struct FramePath::Walk {
  const FramePath& path;
  const AloneTime& alone;
  Time at;
  CauseTimes times{};

  void back_to(Time moment, Cause cause) {
    const Time to = std::clamp(moment, path.since_, at);
    times[static_cast<size_t>(cause)] += at - to;
    at = to;
  }

  // A tile that is ready waits for its node: for other tiles of this frame, which is computing, or
  // for those of others.
  void back_over_queue(Time ready, NodeId node) {
    const Time end = at;
    Duration own{};
    for (const Computed& tile : path.tiles_)
      if (tile.node == node && tile.end != Time::max())
        own += std::max(Duration{}, std::min(tile.end, end) - std::max(tile.begin, ready));
    back_to(at - std::min(own, std::max(Duration{}, end - ready)), Cause::compute);
    back_to(ready, Cause::core);
  }

  void back_over(const Transfer& transfer, NodeId node) {
    back_over_queue(transfer.received, node);
    const Duration shortest = alone(transfer.from, transfer.to, transfer.bytes);
    back_to(std::max(transfer.sent, at - shortest), Cause::wire);
    back_to(transfer.sent, Cause::traffic);
  }

  // Where the input lies at its reader.
  Time completion(StripId strip) const {
    const Transfer& transfer = path.strips_[strip.value];
    if (transfer.has_arrived()) return transfer.received;
    const auto& producer = path.plan_->plan->routes.strips[strip.value].producer;
    return producer ? completion(*producer) : path.opened_;
  }
  Time completion(TileId tile) const {
    const Computed& computed = path.tiles_[tile.value];
    const Loan* loan = computed.lent ? last_loan(tile) : nullptr;
    return loan != nullptr && loan->output.has_arrived() ? loan->output.received : computed.end;
  }

  const Loan* last_loan(TileId tile) const {
    const Loan* last = nullptr;
    for (auto loan = path.loans_.lower_bound({tile, 0});
         loan != path.loans_.end() && loan->first.first == tile; ++loan)
      if (loan->second.output.has_arrived() &&
          (last == nullptr || loan->second.output.received > last->output.received))
        last = &loan->second;
    return last;
  }
  const Transfer* last_input(TileId tile) const {
    const Transfer* last = nullptr;
    for (auto loan = path.loans_.lower_bound({tile, 0});
         loan != path.loans_.end() && loan->first.first == tile; ++loan)
      if (const Transfer& input = loan->second.input;
          input.has_arrived() && (last == nullptr || input.received > last->received))
        last = &input;
    return last;
  }

  // Each returns the tile to go on with; none: the path has reached the owner's input.
  std::optional<TileId> before(StripId strip) {
    const Transfer& transfer = path.strips_[strip.value];
    if (transfer.has_arrived()) back_over(transfer, transfer.to);
    return path.plan_->plan->routes.strips[strip.value].producer;
  }
  std::optional<TileId> before(TileId tile) {
    const Computed& computed = path.tiles_[tile.value];
    const Loan* loan = computed.lent ? last_loan(tile) : nullptr;
    back_to(completion(tile), Cause::credit);
    if (loan != nullptr) back_over(loan->output, loan->output.to);
    back_to(computed.end, Cause::credit);
    back_to(computed.begin, Cause::compute);
    if (const Transfer* input = computed.lent ? last_input(tile) : nullptr)
      back_over(*input, computed.node);
    const NodeId home = computed.lent && loan != nullptr ? loan->output.to : computed.node;
    return last_of_inputs(tile, home);
  }
  std::optional<TileId> last_of_inputs(TileId tile, NodeId home) {
    Time ready = Time::min();
    std::optional<StripId> strip;
    std::optional<TileId> local;
    for (const StripId each : path.plan_->inputs.strips[tile.value])
      if (const Time there = completion(each); there > ready) ready = there, strip = each;
    for (const TileId each : path.plan_->inputs.tiles[tile.value])
      if (const Time there = completion(each); there > ready) ready = there, local = each;
    back_over_queue(ready == Time::min() ? path.opened_ : ready, home);
    return local || !strip ? local : before(*strip);
  }
};

CauseTimes FramePath::causes_on_stand_in(Time end) const {
  std::vector<std::pair<Time, Time>> spans;
  for (const Computed& tile : tiles_)
    if (tile.end != Time::max()) spans.emplace_back(tile.begin, std::min(tile.end, end));
  std::ranges::sort(spans);
  Duration computing{};
  Time until = submitted_;
  for (const auto& [begin, stop] : spans) {
    computing += std::max(Duration{}, stop - std::max(begin, until));
    until = std::max(until, stop);
  }
  CauseTimes times{};
  times[static_cast<size_t>(Cause::compute)] = computing;
  times[static_cast<size_t>(Cause::recovery)] = end - submitted_ - computing;
  times[static_cast<size_t>(Cause::room)] = submitted_ - since_;
  return times;
}

CauseTimes FramePath::causes(Time end, const AloneTime& alone) const {
  if (on_stand_in_ && !begun_again_) return causes_on_stand_in(end);
  Walk walk{*this, alone, end};
  if (begun_again_) {
    walk.back_to(submitted_, Cause::recovery);
  } else {
    std::optional<StripId> last;
    for (const StripId strip : plan_->plan->routes.to_owner)
      if (!last || walk.completion(strip) > walk.completion(*last)) last = strip;
    if (last) walk.back_to(walk.completion(*last), Cause::order);
    std::optional<TileId> tile = last ? walk.before(*last) : std::nullopt;
    // Each step goes to an earlier tile of the plan.
    for (size_t steps = 0; tile && steps <= tiles_.size(); ++steps) tile = walk.before(*tile);
    walk.back_to(opened_, Cause::credit);
    walk.back_to(submitted_, Cause::slot);
  }
  walk.back_to(since_, Cause::room);
  return walk.times;
}

}  // namespace shingle::sim
