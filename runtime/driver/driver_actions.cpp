// What the node decided, carried out in real time.
#include <algorithm>
#include <cassert>

#include "runtime/driver/driver.hpp"

namespace shingle {

std::shared_ptr<const PreparedPlan> Driver::plan(const PlanHash& hash) const {
  const auto place = plans_.find(hash);
  return place == plans_.end() ? nullptr : place->second.lock();
}

TensorView Driver::open(const PreparedPlan& prepared, const CanvasKey& key) {
  const Region region = canvas_region(prepared.loaded, options_.node.id, key);
  assert(!region.empty());
  return canvases_.open(key, region, prepared.loaded.types[key.tensor.value]);
}

void Driver::carry_out(const Send& send) {
  assert(send.to != options_.node.id);
  assert(send.source.has_value() == std::holds_alternative<Piece>(send.message));
  const TensorView* canvas = send.source ? canvases_.find(*send.source) : nullptr;
  assert(canvas != nullptr || !send.source);
  const int64_t bytes = canvas == nullptr ? 0 : send.region.elements() * bytes_of(canvas->type);
  if (options_.on_trace)
    trace(trace_of_message(TraceEvent::Kind::sent, send.to, send.envelope, send.message, bytes));
  if (canvas == nullptr) return transport_.send(send.to, send.envelope, send.message, {});
  // One captured reference: a std::function that holds more would allocate.
  const auto write = [&send, canvas](std::span<std::byte> wire) {
    copy_region(as_const(*canvas), {wire.data(), send.region, canvas->type}, send.region);
  };
  transport_.send(send.to, send.envelope, send.message,
                  {static_cast<size_t>(bytes), std::ref(write)});
}

// A whole canvas that fills another one of this node is shared, not copied.
bool Driver::fills(const PreparedPlan& prepared, const Paste& paste) const {
  const TensorView* source = canvases_.find(*paste.source);
  assert(source != nullptr);
  return source->region == paste.region && canvases_.find(paste.target) == nullptr &&
         canvas_region(prepared.loaded, options_.node.id, paste.target) == paste.region;
}

void Driver::carry_out(const Paste& paste) {
  const std::shared_ptr<const PreparedPlan> prepared = plan(paste.plan);
  assert(prepared != nullptr);
  if (paste.source && fills(*prepared, paste)) return canvases_.share(paste.target, *paste.source);
  const TensorView target = open(*prepared, paste.target);
  if (paste.source) {
    const TensorView* source = canvases_.find(*paste.source);
    return copy_region(as_const(*source), target, paste.region);
  }
  // The node has refused a piece whose length is not its region's.
  assert(static_cast<int64_t>(step_.payload.size()) ==
         paste.region.elements() * bytes_of(target.type));
  copy_region({step_.payload.data(), paste.region, target.type}, target, paste.region);
}

void Driver::carry_out(const Compute& compute) {
  assert(compute.place == Place::home || compute.place == Place::lent);
  const auto slot =
      std::ranges::find_if(slots_, [](const auto& candidate) { return !candidate->busy(); });
  assert(slot != slots_.end());  // the node keeps to compute_slots
  TileWork& work = (*slot)->work();
  work.plan = plan(compute.plan);
  assert(work.plan != nullptr && compute.tile.value < work.plan->programs.size());
  work.order = compute;
  const TileProgram& program = work.plan->programs[compute.tile.value];
  const auto key = [&compute](TensorId tensor) {
    const TileId tile = compute.place == Place::lent ? compute.tile : TileId{};
    return CanvasKey{.frame = compute.key, .place = compute.place, .tensor = tensor, .tile = tile};
  };
  work.inputs.clear();
  for (const Slice& input : program.inputs) {
    const TensorView* canvas = canvases_.find(key(input.tensor));
    assert(canvas != nullptr);
    work.inputs.push_back(as_const(*canvas));
  }
  work.outputs.clear();
  for (const Slice& output : program.outputs)
    work.outputs.push_back(open(*work.plan, key(output.tensor)));
  (*slot)->start();
}

void Driver::carry_out(const Release& release) { canvases_.release(release.canvas); }

void Driver::carry_out(const ReleaseAll& release) {
  canvases_.release_place(release.frame, release.place);
}

void Driver::carry_out(const Deliver& deliver) {
  step_.delivered.clear();
  canvases_.visit(deliver.key, Place::outcome, [this](TensorId tensor, const TensorView& view) {
    step_.delivered.push_back({tensor, as_const(view)});
  });
  assert(!step_.delivered.empty());
  if (options_.on_trace) {
    TraceEvent event;
    event.kind = TraceEvent::Kind::delivered;
    event.key = deliver.key;
    trace(std::move(event));
  }
  if (options_.on_deliver) options_.on_deliver(deliver.key, step_.delivered);
}

void Driver::carry_out(const LoadPlan& load) { loader_->load(load); }

void Driver::carry_out(const CheckWeights& check) {
  for (const auto& slot : slots_) slot->check_weights(check.share);
}

void Driver::carry_out(const PackAgain&) { loader_->pack_again(); }

void Driver::carry_out(const Report& report) {
  if (options_.on_trace) trace(trace_of_report(report));
  if (options_.on_report) options_.on_report(report);
}

void Driver::carry_out(const WakeAt& wake) { wake_at_ = wake.at; }

}  // namespace shingle
