// What the nodes' actions do in virtual time.
#include <cmath>
#include <utility>

#include "runtime/driver/canvas.hpp"
#include "runtime/protocol/load_plan.hpp"
#include "sim/cluster_host.hpp"

namespace shingle::sim {

void VirtualCluster::carry_out(Host& host, Send& send) {
  if (takes_part_in_tick(host, send)) return;
  if (host.liar && keeps_to_itself(host, send)) return;
  if (host.liar) lie_beside(host, send);
  const Pair pair = std::minmax(host.id(), send.to);
  Cargo cargo = new_cargo();
  cargo->from = host.id();
  cargo->to = send.to;
  cargo->connection = breaks_of(host.id(), send.to);
  if (send.source) {
    const std::string wrong = host.contents.read(*send.source, send.region, cargo->boxes);
    if (!wrong.empty()) return breach(host.id(), std::string("sends what is not there: ") + wrong);
    if (host.tensors) cargo->bytes = host.tensors->read(*send.source, send.region);
    FrameKey name = send.source->frame;
    name.attempt = 0;
    const LoadedPlan& plan = loaded(frames_.plans.at(name));
    cargo->payload_bytes = wire_bytes(plan.plan, send.source->tensor, send.region);
  }
  record(host.id(), trace_of_message(TraceEvent::Kind::sent, send.to, send.envelope, send.message,
                                     cargo->payload_bytes));
  cargo->envelope = send.envelope;
  cargo->message = std::move(send.message);
  if (auto* hello = std::get_if<Hello>(&cargo->message)) hello->version = host.version;
  if (faults_.parted.contains(pair)) return;
  const auto clog = faults_.clogged.find({host.id(), send.to});
  if (clog != faults_.clogged.end()) return clog->second.push_back(std::move(cargo));
  cross(std::move(cargo));
}

void VirtualCluster::meter(Host& host, const PlanHash& hash, const CanvasKey& canvas) {
  const LoadedPlan& plan = loaded(hash);
  const ElementType type = model_of(plan.plan).at(canvas.tensor).type;
  const int64_t before = host.meter.bytes();
  host.meter.open(canvas, canvas_region(plan, host.id(), canvas).elements() * bytes_of(type));
  if (host.meter.bytes() != before) hold_memory(host);
}

void VirtualCluster::carry_out(Host& host, Paste& paste) {
  meter(host, paste.plan, paste.target);
  ContentBoxes boxes;
  std::string wrong;
  if (paste.source) wrong = host.contents.read(*paste.source, paste.region, boxes);
  if (!paste.source && at_hand_ == nullptr) wrong = "there is no payload at hand";
  if (!paste.source && at_hand_ != nullptr) boxes = at_hand_->boxes;
  if (wrong.empty() && !covers(clip(boxes, paste.region), paste.region))
    wrong = "the payload is another box than the node says";
  if (wrong.empty() &&
      !contains(canvas_region(loaded(paste.plan), host.id(), paste.target), paste.region))
    wrong = "the box lies outside its canvas";
  if (wrong.empty()) wrong = host.contents.paste(paste.target, boxes);
  if (!wrong.empty()) return breach(host.id(), "pastes wrongly: " + wrong);
  if (host.tensors)
    host.tensors->paste(
        loaded(paste.plan), paste.target, paste.region,
        paste.source ? host.tensors->read(*paste.source, paste.region) : at_hand_->bytes);
}

// Two operations per multiply-accumulate, or what the profile says. Of a profile, the part that
// grows with the elements is the memory's.
const VirtualCluster::TileTime& VirtualCluster::tile_time(Host& host,
                                                          const Compute& compute) const {
  const auto [place, is_new] = host.tile_times.try_emplace({compute.plan, compute.tile});
  TileTime& time = place->second;
  if (!is_new) return time;
  const Plan& plan = loaded(compute.plan).plan;
  const Tile& planned = tile(plan, compute.tile);
  time.compute_ns = 2.0 * static_cast<double>(planned.macs) / host.machine.gflops;
  if (!host.machine.profile) return time;
  const FusedBlock& block = plan.blocks[block_of(plan, compute.tile)];
  const Model& model = model_of(plan);
  const TileProgram program = tile_program(model, block, planned.outputs);
  time.compute_ns = work_of(*host.machine.profile, model, program).compute_ns;
  NodeProfile memory = *host.machine.profile;
  for (WorkCost& cost : memory.costs) cost.ns_per_mac = cost.ns_per_call = 0.0;
  time.memory_ns = work_of(memory, model, program).compute_ns;
  time.compute_ns -= time.memory_ns;
  return time;
}

// A given time may differ from frame to frame, so it is asked for each time.
double VirtualCluster::whole_time_ns(Host& host, const Compute& compute) const {
  const std::optional<Duration> given =
      options_.compute_time ? options_.compute_time(host.id(), compute) : std::nullopt;
  if (given) return in_nanoseconds(*given);
  const TileTime& work = tile_time(host, compute);
  return work.compute_ns + work.memory_ns;
}

// Threads do not wake up after equal times: half as much to one and a half times as much.
Duration VirtualCluster::handover(Host& host) {
  if (host.machine.handover == Duration::zero()) return {};
  return Duration(
      static_cast<int64_t>(in_nanoseconds(host.machine.handover) * (0.5 + host.threads.uniform())));
}

void VirtualCluster::carry_out(Host& host, Compute& compute) {
  for (const Slice& output : tile(loaded(compute.plan).plan, compute.tile).outputs)
    meter(host, compute.plan, key_of(compute, output.tensor));
  const Time begin = std::max(now(), host.weights.packed_at) + handover(host);
  if (host.board) return schedule(begin, Started{host.id(), host.life, compute});
  const double nanoseconds = whole_time_ns(host, compute) * host.ails.slowness;
  const Duration time(std::max<int64_t>(1000, static_cast<int64_t>(nanoseconds)));
  const TileBegun begun{compute.key, compute.tile, compute.place};
  schedule(begin, Begun{host.id(), host.life, begun});
  schedule(begin + time, Computed{host.id(), host.life, compute, time});
}

void VirtualCluster::carry_out(Host& host, Release& release) {
  host.contents.release(release.canvas);
  host.meter.release(release.canvas);
  if (host.tensors) host.tensors->release(release.canvas);
}

void VirtualCluster::carry_out(Host& host, ReleaseAll& release) {
  host.contents.release_all(release.frame, release.place);
  host.meter.release_all(release.frame, release.place);
  if (host.tensors) host.tensors->release_all(release.frame, release.place);
}

void VirtualCluster::carry_out(Host& host, Deliver& deliver) {
  const LoadedPlan& plan = loaded(deliver.plan);
  std::string wrong = host.contents.check_outcome(plan, deliver.key);
  if (wrong.empty() && host.tensors) {
    const Result<Outcome> expected = whole_run(model_of(plan.plan), deliver.key, *oracle_);
    const int64_t differing =
        expected ? host.tensors->differing_bytes(plan, deliver.key, *expected) : 0;
    record_.differing_bytes += differing;
    if (!expected) wrong = expected.error();
    if (differing > 0) wrong = std::to_string(differing) + " bytes differ from the whole run";
  }
  if (!wrong.empty() && expected_.wrong_tiles)
    record_.wrong_frames.insert(deliver.key);
  else if (!wrong.empty())
    breach(host.id(), "delivers wrongly: " + wrong);
  uint64_t& last = host.last_delivered[plan.plan.model];
  if (deliver.key.frame <= last) breach(host.id(), "delivers out of order");
  last = deliver.key.frame;
  TraceEvent event;
  event.kind = TraceEvent::Kind::delivered;
  event.key = deliver.key;
  record(host.id(), event);
  settle_fate({now(), FrameEvent::Kind::delivered, deliver.key, {}, plan.plan.model},
              record_.fates.delivered);
}

// Stand-ins are made by the nodes themselves: the cluster learns of them here.
void VirtualCluster::carry_out(Host& host, LoadPlan& load) {
  if (const auto model = models_.find(load.model);
      model != models_.end() && !plans_.contains(load.plan))
    if (Result<Plan> plan = parse_plan(load.text);
        plan && hash_of(*plan) == load.plan && plan->model == load.model)
      plans_[load.plan] = {load.text, std::make_shared<const LoadedPlan>(
                                          trusted_plan(*model->second, std::move(*plan)))};
  const auto known = plans_.find(load.plan);
  const bool false_text = known == plans_.end() || known->second.text != load.text;
  host.weights.packed_at = std::max(now(), host.weights.packed_at) + options_.plan_load_time;
  schedule(host.weights.packed_at, Loaded{host.id(), host.life, load.plan, load.model, false_text});
}

// Does the look pass the place where they are damaged?
void VirtualCluster::carry_out(Host& host, CheckWeights& check) {
  const double from =
      std::exchange(host.weights.seen_to, std::fmod(host.weights.seen_to + check.share, 1.0));
  if (!host.ails.damaged_at) return;
  const double ahead = std::fmod(*host.ails.damaged_at - from + 1.0, 1.0);
  if (ahead <= check.share) schedule(now(), WeightsSeen{host.id(), host.life});
}

void VirtualCluster::carry_out(Host& host, PackAgain&) {
  host.weights.packed_at = std::max(now(), host.weights.packed_at) + options_.plan_load_time;
  schedule(host.weights.packed_at, WeightsPacked{host.id(), host.life});
}

void VirtualCluster::carry_out(Host& host, Report& report) {
  record(host.id(), trace_of_report(report));
  if (options_.on_report) options_.on_report(host.id(), report);
  const bool speaks_ours = host.version == protocol_version;  // the other side refuses as well
  if (report.kind == Report::Kind::peer_joined && speaks_ours &&
      this->host(report.node).version != protocol_version)
    breach(host.id(), "joins a node that speaks another version");
  if (!facts_of(report.kind).ends_frame) return;
  const bool dropped = report.kind == Report::Kind::frame_dropped;
  settle_fate({now(), dropped ? FrameEvent::Kind::dropped : FrameEvent::Kind::aborted, report.key,
               report.sentence},
              dropped ? record_.fates.dropped : record_.fates.aborted);
}

void VirtualCluster::carry_out(Host& host, WakeAt& wake) {
  const Time at = std::max(wake.at - host.machine.clock_offset, now());
  schedule(at, Alarm{host.id(), host.life, ++host.alarms});
}

void VirtualCluster::settle_fate(FrameEvent event, size_t& count) {
  record_.history.push_back(event);
  if (frames_.open.erase(event.key) == 0)
    return breach(event.key.owner,
                  "frame " + std::to_string(event.key.frame) + " met its fate twice");
  ++count;
}

}  // namespace shingle::sim
