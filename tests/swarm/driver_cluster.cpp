#include "tests/swarm/driver_cluster.hpp"

#include <algorithm>

namespace shingle::swarm {

namespace {

using std::chrono::milliseconds;
using Maps = std::map<TensorId, std::vector<std::byte>>;

constexpr milliseconds until_people_notice{200};
constexpr size_t enough_violations = 20;

std::vector<std::byte> copy_of(const ConstTensorView& view) {
  return {view.data, view.data + view.region.elements() * bytes_of(view.type)};
}

// Computes the whole network as one tile on one executor, without node, plan or driver.
Maps on_one_machine(const Model& model, const Picture& picture) {
  ReferenceExecutor executor;
  const TileProgram program = whole_program(model);
  if (!executor.prepare(model, std::span(&program, 1))) return {};
  const Tensor& input = model.at(model.inputs.front());
  const ConstTensorView frame{picture->data(), whole(input.shape), input.type};
  Maps maps;
  std::vector<TensorView> views;
  for (const Slice& slice : program.outputs) {
    const ElementType type = model.at(slice.tensor).type;
    std::vector<std::byte>& bytes = maps[slice.tensor];
    bytes.resize(static_cast<size_t>(slice.region.elements() * bytes_of(type)));
    views.push_back({bytes.data(), slice.region, type});
  }
  if (!executor.compute(program, std::span(&frame, 1), views)) return {};
  return maps;
}

}  // namespace

DriverCluster::DriverCluster(uint64_t seed, WireOptions wires, std::vector<MachineSpec> specs)
    : stage_(seed), wires_(stage_, wires) {
  for (MachineSpec& spec : specs) {
    machines_.push_back(std::make_unique<Machine>());
    machines_.back()->spec = std::move(spec);
  }
}

DriverCluster::~DriverCluster() {
  for (const auto& machine : machines_) stop(machine->spec.node.id, false);
}

void DriverCluster::start(NodeId id) {
  Machine& of = machine(id);
  if (of.life) return;
  ++lives_;
  of.life = std::make_shared<Life>(stage_, wires_, of.spec, of.nature, sees(of));
  of.life->begin();
}

// The process's frames end with it, because nobody is left to report their ends.
void DriverCluster::stop(NodeId id, bool power_gone) {
  Machine& of = machine(id);
  if (!of.life) return;
  of.life->thaw();
  wires_.leave(id, power_gone);
  if (of.life->owner() != nullptr) switches_ += of.life->owner()->switches();
  of.life.reset();
  met(sim::FrameEvent::Kind::owner_died, {id, of.spec.node.life, 0});
  of.spec.node.life = sim::mix(of.spec.node.life);  // a random number: lives have no order
}

void DriverCluster::start_again(NodeId owner) {
  stage_.in(until_people_notice, [this, owner] {
    const Machine& of = machine(owner);
    if (!of.life || !of.life->owner()->has_ended()) return;
    stop(owner, false);
    start(owner);
  });
}

void DriverCluster::violated(NodeId node, const std::string& what) {
  if (violations_.size() >= enough_violations) return;
  violations_.push_back("node " + std::to_string(node.value) + ": " + what);
}

void DriverCluster::met(sim::FrameEvent::Kind kind, const FrameKey& key,
                        const std::string& sentence) {
  history_.push_back({.at = stage_.now(), .kind = kind, .key = key, .sentence = sentence});
  if (kind == sim::FrameEvent::Kind::captured)
    under_way_.insert(key);
  else if (kind == sim::FrameEvent::Kind::owner_died)
    std::erase_if(under_way_, [&](const FrameKey& frame) { return frame.owner == key.owner; });
  else
    under_way_.erase(key);
  const auto at = static_cast<uint64_t>(stage_.now().time_since_epoch().count());
  hash_ = sim::mix(sim::mix(hash_, at),
                   sim::mix(key.owner.value, key.frame * 8) + static_cast<uint64_t>(kind));
}

LifeSees DriverCluster::sees(Machine& of) {
  const NodeId id = of.spec.node.id;
  return {
      .captured =
          [this](const FrameKey& key) {
            captured_[key] = stage_.now();
            met(sim::FrameEvent::Kind::captured, key);
          },
      .delivered = [this, &of](const FrameKey& key,
                               std::span<const Output> outputs) { delivered(of, key, outputs); },
      .reported =
          [this](const Report& report) {
            if (report.kind == Report::Kind::frame_dropped)
              met(sim::FrameEvent::Kind::dropped, report.key, report.sentence);
            if (report.kind == Report::Kind::frame_aborted)
              met(sim::FrameEvent::Kind::aborted, report.key, report.sentence);
          },
      .broken = [this](NodeId node, const std::string& what) { violated(node, what); },
      .calls_itself_hung =
          [this, &of](NodeId node) {
            if (!of.was_hurt) violated(node, "it is well, and tells others that it hangs");
          },
      .stream_ended =
          [this, id](NodeId, const std::string& why) {
            ended_.push_back({stage_.now(), id, why});
            start_again(id);
          }};
}

void DriverCluster::delivered(const Machine& of, const FrameKey& key,
                              std::span<const Output> outputs) {
  met(sim::FrameEvent::Kind::delivered, key);
  const auto captured = captured_.find(key);
  if (captured != captured_.end()) delays_[key] = stage_.now() - captured->second;
  const StreamSpec& stream = *of.spec.stream;
  const size_t shown = key.frame % stream.pictures.size();
  Maps& expected = expected_[{stream.model->hash, shown + 1000 * key.owner.value}];
  if (expected.empty()) expected = on_one_machine(*stream.model, stream.pictures[shown]);
  Maps found;
  for (const Output& output : outputs) found[output.tensor] = copy_of(output.view);
  for (const ModelOutput& wanted : stream.model->outputs)
    if (found[wanted.tensor] != expected[wanted.tensor] || expected[wanted.tensor].empty())
      violated(key.owner,
               "frame " + std::to_string(key.frame) + " is not what one machine computes");
}

}  // namespace shingle::swarm
