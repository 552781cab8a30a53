#include "tests/swarm/driver_life.hpp"

#include <algorithm>
#include <new>
#include <set>

#include "transport/codec/frame_checksum.hpp"

namespace shingle::swarm {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr int items_a_turn = 32;
constexpr milliseconds stream_looks_every{5};

}  // namespace

// As ZmqTransport packs what is sent. Its sockets' thread comes a moment later.
class Life::Wire final : public Transport {
 public:
  explicit Wire(Life& life) : life_(life) {}
  void send(NodeId to, const Envelope& envelope, const Message& message,
            const Body& body) override {
    const auto* answer = std::get_if<PlanReady>(&message);
    if (answer != nullptr && answer->hangs) life_.sees_.calls_itself_hung(envelope.from);
    Departure outgoing{.to = to, .header = {}, .payload = zmq::message_t(body.bytes)};
    const std::span<std::byte> payload(outgoing.payload.data<std::byte>(), body.bytes);
    if (body.bytes > 0) body.write(payload);
    outgoing.header = with_checksum(encoder_.encode(envelope, message), payload);
    life_.outbox_.push(std::move(outgoing));
    if (std::exchange(leaving, true)) return;
    life_.stage_.in(microseconds(20), [weak = life_.weak_from_this()] {
      const auto life = weak.lock();
      if (!life) return;
      life->wire_->leaving = false;
      life->wires_.take(life->spec_.node.id);
    });
  }

  bool leaving = false;  // its sockets' thread has been woken

 private:
  Life& life_;
  Encoder encoder_;
};

class Life::OffsetClock final : public Clock {
 public:
  OffsetClock(const Stage& stage, Duration offset) : stage_(stage), offset_(offset) {}
  Time now() const override { return stage_.now() + offset_; }

 private:
  const Stage& stage_;
  const Duration offset_;
};

Life::Life(Stage& stage, VirtualWires& wires, const MachineSpec& spec, Nature& nature,
           LifeSees sees)
    : stage_(stage),
      wires_(wires),
      spec_(spec),
      nature_(nature),
      sees_(std::move(sees)),
      inbox_(spec.inbox),
      wire_(std::make_unique<Wire>(*this)),
      clock_(std::make_unique<OffsetClock>(stage, spec.clock_offset)),
      random_(sim::mix(spec.node.seed, sim::mix(spec.node.id.value, spec.node.life))) {
  crew_.worked = [this] { plan_turn(); };
  driver_ = std::make_unique<Driver>(options(), executors(), inbox_, *wire_, *clock_);
}

// As when a process ends: whatever its threads do is of no use any more.
Life::~Life() {
  stage_.hurry(crew_);
  driver_.reset();
}

std::vector<std::unique_ptr<Executor>> Life::executors() {
  std::vector<std::unique_ptr<Executor>> all;
  for (size_t i = 0; i < spec_.slots; ++i)
    all.push_back(std::make_unique<StagedExecutor>(stage_, nature_));
  return all;
}

Result<std::shared_ptr<const Model>> Life::find(const ModelName& name) const {
  if (nature_.has_no_memory) throw std::bad_alloc();
  if (!nature_.has_lost_its_models)
    for (const auto& model : spec_.models)
      if (model->hash == name.hash) return model;
  return Error{"the folder of models cannot be read: Input/output error"};
}

// Executors keep what plans that are held made them pack, and nothing else but what a tile without
// weights needs while it is computed. A plan is judged alone as well, as if nothing were held: that
// says nothing of what is packed.
Status Life::judge(std::span<const PlanOfModel> held) {
  int64_t kept = 0;
  std::set<const Model*> models;
  for (const PlanOfModel& each : held) {
    models.insert(each.model);
    for (uint32_t tile = 0; tile < static_cast<uint32_t>(tile_count(*each.plan)); ++tile)
      kept += keeps_weights(*each.plan, spec_.node.id, {tile}) ? 1 : 0;
  }
  const auto slots = static_cast<int64_t>(spec_.slots);
  // While a tile runs on an executor whose weights were damaged, there is the new one beside it.
  const auto others = slots * (static_cast<int64_t>(models.size()) - 1);
  const int64_t executors = std::max(slots, nature_.executors - others);
  if (!held.empty() && nature_.programs > executors * (kept + 1))
    sees_.broken(spec_.node.id, "it keeps weights of plans that it does not hold");
  if (!nature_.may_hold_no_more) return success();
  return Error{"the plan does not fit into this node's memory"};
}

DriverOptions Life::options() {
  DriverOptions options{.node = spec_.node, .on_deliver = {}, .on_report = {}, .on_trace = {}};
  options.find_model = [this](const ModelName& name) { return find(name); };
  options.judge_plan = [this](std::span<const PlanOfModel> held, const PlanOfModel&) {
    return judge(held);
  };
  if (spec_.slots > 0)
    options.another_executor = [this]() -> std::unique_ptr<Executor> {
      if (nature_.has_no_memory) throw std::bad_alloc();
      return std::make_unique<StagedExecutor>(stage_, nature_);
    };
  options.make_worker = [this](Worker::Work work) { return stage_.worker(crew_, std::move(work)); };
  options.on_deliver = [this](const FrameKey& key, std::span<const Output> outputs) {
    sees_.delivered(key, outputs);
    if (owner_) owner_->delivered(key);
  };
  options.on_report = [this](const Report& report) {
    sees_.reported(report);
    if (owner_) owner_->reported(report);
  };
  return options;
}

void Life::begin() {
  wires_.join(spec_.node.id,
              {.inbox = &inbox_, .outbox = &outbox_, .arrived = [this] { plan_turn(); }});
  if (spec_.stream) {
    owner_.emplace(
        stage_, *driver_, *spec_.stream,
        StagedStream::Sees{.submitted = sees_.captured, .ended = [this](const std::string& why) {
                             sees_.stream_ended(spec_.node.id, why);
                           }});
    look_at_stream();
  }
  plan_turn();
}

void Life::look_at_stream() {
  if (!crew_.frozen) {
    owner_->act();
    plan_turn();
  }
  stage_.in(stream_looks_every, [weak = weak_from_this()] {
    if (const auto life = weak.lock()) life->look_at_stream();
  });
}

void Life::freeze() {
  if (crew_.frozen) return;
  wires_.freeze(spec_.node.id);
  stage_.freeze(crew_);
}

void Life::thaw() {
  if (!crew_.frozen) return;
  stage_.thaw(crew_);
  wires_.thaw(spec_.node.id);
}

void Life::plan_turn() {
  if (std::exchange(turn_planned_, true)) return;
  turn_at(stage_.now() + microseconds(random_.between(1, 30)));
}

void Life::turn_at(Time when) {
  stage_.at(std::max(when, starved_until_), [weak = weak_from_this()] {
    if (const auto life = weak.lock()) life->turn();
  });
}

void Life::turn() {
  if (crew_.frozen) {
    crew_.missed.push_back([weak = weak_from_this()] {
      if (const auto life = weak.lock()) life->turn();
    });
    return;
  }
  if (stage_.now() < starved_until_) return turn_at(starved_until_);
  turn_planned_ = false;
  bool perhaps_more = true;
  for (int i = 0; i < items_a_turn && perhaps_more; ++i) {
    perhaps_more = driver_->turn(Duration(0));
    for (const std::string& breach : driver_->node().broken_invariants())
      sees_.broken(spec_.node.id, breach);
  }
  if (perhaps_more) plan_turn();
  const auto wake = driver_->wakes_at();
  if (!wake) return;
  const Time at = std::max(*wake - spec_.clock_offset, stage_.now() + microseconds(1));
  if (at == alarm_at_) return;
  alarm_at_ = at;
  turn_at(at);
}

}  // namespace shingle::swarm
