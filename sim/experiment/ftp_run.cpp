#include "sim/experiment/ftp_run.hpp"

#include <algorithm>
#include <deque>

#include "sim/experiment/arrivals.hpp"
#include "sim/experiment/experiment_network.hpp"

namespace shingle::sim {

namespace {

constexpr int32_t pi3_cores = 4;
constexpr int32_t gateway_cores = 2;     // the most that a gateway was measured with
constexpr size_t measured_gateway = 16;  // layers, of tiles and gateway together
constexpr uint64_t arrivals_stream = 1, frame_stream = 2;  // of a seed

// The nodes, the source first.
std::vector<const ClusterFileNode*> devices_of(const Experiment& experiment) {
  const NodeId owner = experiment.file.sources.front().owner;
  std::vector<const ClusterFileNode*> devices;
  for (const ClusterFileNode& node : experiment.file.cluster.nodes) devices.push_back(&node);
  std::ranges::stable_partition(devices,
                                [&](const ClusterFileNode* node) { return node->id == owner; });
  return devices;
}

// The gateway is connected as the source is.
NetworkTopology ftp_network(const Experiment& experiment) {
  NetworkTopology network = network_of(experiment.file, Time{}).topology;
  // Sweeps run such frames by the hundred thousand: the air's table does for them.
  for (NetworkResource& resource : network.resources) resource.radio.reset();
  const auto& nodes = experiment.file.cluster.nodes;
  const auto source =
      std::ranges::find(nodes, experiment.file.sources.front().owner, &ClusterFileNode::id);
  const auto place = network.hosts.begin() + (source - nodes.begin());
  std::rotate(network.hosts.begin(), place, place + 1);
  NetworkPort gateway = network.hosts.front();
  for (Way* way : {&gateway.up, &gateway.down}) {
    if (way->resource == no_resource) continue;
    const NetworkResource resource = network.resources[way->resource];
    if (!resource.air.empty() || resource.half_duplex) continue;  // everybody's
    way->resource = static_cast<uint32_t>(network.resources.size());
    network.resources.push_back(resource);
  }
  network.hosts.push_back(gateway);
  return network;
}

FtpDevice device_of(const ClusterFileNode& node, const FtpScheme& scheme) {
  FtpDevice device;
  if (scheme.darknet)
    device.darknet = pi3_darknet(std::min(node.cores, pi3_cores));
  else
    device.profile = costs_of(node);
  return device;
}

std::string name_of(const ClusterFileNode& node, const FtpScheme& scheme) {
  if (scheme.darknet) return std::to_string(node.cores);
  return node.profile + " " + std::to_string(node.cores) + " " + std::to_string(node.gflops) +
         (node.pace ? " paced" : "");
}

std::string text_of(const FtpScheme& scheme) {
  return std::to_string(scheme.rows) + "x" + std::to_string(scheme.columns) + ":" +
         std::to_string(scheme.layers) + (scheme.reuse ? "+reuse" : "") +
         (scheme.darknet ? "+pi3" : "");
}

// Frames that are served one after the other, each for the same time.
class Queue {
 public:
  Queue(const ExperimentSource& source, Duration service) : source_(source), service_(service) {}

  void arrive(Time at) {
    serve_until(at);
    frames_.push_back({.source = 0, .captured = at});
    waiting_.push_back(frames_.size() - 1);
    serve_until(at);
    if (waiting_.size() <= source_.waiting_frames) return;
    const auto dropped = source_.drops_oldest ? waiting_.begin() : waiting_.end() - 1;
    frames_[*dropped].fate = Fate::dropped;
    waiting_.erase(dropped);
  }
  void serve_until(Time now) {
    while (!waiting_.empty() && free_ <= now) {
      FrameOutcome& frame = frames_[waiting_.front()];
      waiting_.pop_front();
      const Time begin = std::max(free_, frame.captured);
      free_ = begin + service_;
      frame.latency = free_ - frame.captured;
      const bool late = source_.deadline && frame.latency > *source_.deadline;
      frame.fate = late ? Fate::late : Fate::delivered;
      frame.causes[static_cast<size_t>(Cause::room)] = begin - frame.captured;
    }
  }
  Time free() const { return free_; }
  std::vector<FrameOutcome>& frames() { return frames_; }

 private:
  const ExperimentSource& source_;
  const Duration service_;
  Time free_{};
  std::deque<size_t> waiting_;
  std::vector<FrameOutcome> frames_;
};

}  // namespace

Result<const FtpBlock*> FtpMemo::block(const Model& model, const FtpScheme& scheme) {
  const std::pair key(&model, text_of(scheme));
  if (const auto found = blocks_.find(key); found != blocks_.end()) return &found->second;
  auto made = ftp_block(model, scheme);
  if (!made) return made.failure();
  return &blocks_.emplace(key, std::move(*made)).first->second;
}

const std::vector<FtpTileTime>& FtpMemo::times(const Model& model, const FtpBlock& block,
                                               const std::string& name, const FtpDevice& device) {
  const auto [entry, is_new] = times_.try_emplace({&block, name});
  if (is_new) entry->second = ftp_times(model, block, device);
  return entry->second;
}

Duration FtpMemo::rest(const Model& model, const FtpBlock& block, const std::string& name,
                       const FtpDevice& gateway) {
  const auto [entry, is_new] = rests_.try_emplace({&block, name});
  if (is_new) entry->second = ftp_rest_time(model, block, gateway);
  return entry->second;
}

Result<FtpExperiment> FtpExperiment::prepare(const Experiment& experiment, FtpMemo& memo) {
  const PlannedSource& source = experiment.sources.front();
  const FtpScheme& scheme = *source.ftp;
  const std::vector<const ClusterFileNode*> devices = devices_of(experiment);
  if (scheme.darknet && std::ranges::any_of(devices, [](const ClusterFileNode* node) {
        return node->profile != "pi3b";
      }))
    return bad_input("a scheme with +pi3 needs nodes with board = \"pi3b\"");
  const auto block = memo.block(*source.model, scheme);
  if (!block) return bad_input(block.error());
  FtpFrame frame{.block = **block, .network = ftp_network(experiment), .times = {}};
  for (const ClusterFileNode* node : devices)
    frame.times.push_back(
        memo.times(*source.model, **block, name_of(*node, scheme), device_of(*node, scheme)));
  ClusterFileNode gateway = *devices.front();
  if (scheme.darknet) gateway.cores = gateway_cores;
  frame.rest =
      memo.rest(*source.model, **block, name_of(gateway, scheme), device_of(gateway, scheme));
  FtpExperiment made(experiment, std::move(frame));
  for (const NetworkResource& resource : made.frame_.network.resources)
    if (!resource.air.empty())
      made.air_bytes_per_second_ = air_rate(resource.air, 1).bytes_per_second;
  made.chance_.phases = true;
  for (const ClusterFileNode* node : devices) {
    made.chance_.jitter.push_back(node->spec ? node->spec->jitter : 0.0);
    made.watts_.push_back(watts_of(*node, made.air_bytes_per_second_ > 0.0));
  }
  return made;
}

FtpExperiment::Watts FtpExperiment::watts_of(const ClusterFileNode& node, bool on_air) {
  if (!node.spec) {
    const NodeProfile profile = costs_of(node);
    return {.idle = profile.idle_watts, .computing = profile.busy_watts - profile.idle_watts};
  }
  const DevicePower& power = node.spec->power;
  const auto cores = std::min(static_cast<size_t>(node.cores), power.busy_watts.size());
  Watts watts{.idle = power.idle_watts,
              .sent_packet_joules = power.sent_packet_joules,
              .received_packet_joules = power.received_packet_joules};
  if (cores > 0) watts.computing = power.busy_watts[cores - 1] - power.idle_watts;
  if (on_air && power.radio) watts.radio = *power.radio;
  return watts;
}

// Of the devices. The gateway is somebody's server.
FrameEnergy FtpExperiment::energy_of(const FtpRun& run) const {
  FrameEnergy energy;
  const auto seconds = [](Duration time) { return 1e-9 * in_nanoseconds(time); };
  const auto on_air = [&](int64_t bytes) {
    return air_bytes_per_second_ > 0.0 ? static_cast<double>(bytes) / air_bytes_per_second_ : 0.0;
  };
  for (size_t i = 0; i < watts_.size(); ++i) {
    const Watts& watts = watts_[i];
    const FtpUse& use = run.devices[i];
    const double sending = on_air(use.sent_bytes), receiving = on_air(use.received_bytes);
    energy.idle += (watts.idle + watts.radio.idle_watts) * seconds(run.latency);
    energy.active += watts.computing * seconds(use.computing) +
                     (watts.radio.sending_watts - watts.radio.idle_watts) * sending +
                     (watts.radio.receiving_watts - watts.radio.idle_watts) * receiving +
                     watts.sent_packet_joules * static_cast<double>(use.sent_packets) +
                     watts.received_packet_joules * static_cast<double>(use.received_packets);
  }
  return energy;
}

RunResult FtpExperiment::run(uint64_t seed) const {
  const ExperimentFile& file = experiment_->file;
  const ExperimentSource& source = file.sources.front();
  FtpChance chance = chance_;
  chance.seed = mix(seed, frame_stream);
  const FtpRun frame = run_ftp_frame(frame_, chance);
  Queue queue(source, frame.latency);
  const Time end = Time{} + file.duration, from = Time{} + file.warm_up;
  if (source.arrivals.kind == Arrivals::Kind::back_to_back)
    for (; queue.free() < end;) queue.arrive(queue.free());
  else
    for (ArrivalSequence arrivals(source.arrivals, mix(seed, arrivals_stream), Time{});
         arrivals.next() < end; arrivals.take())
      queue.arrive(arrivals.next());
  queue.serve_until(Time::max());
  RunResult result{.seed = seed, .measured = file.duration - file.warm_up, .delivered = {0}};
  for (const FrameOutcome& outcome : queue.frames()) {
    const Time arrived = outcome.captured + outcome.latency;
    if (outcome.fate == Fate::delivered && arrived >= from && arrived < end) ++result.delivered[0];
    if (outcome.captured >= from) result.frames.push_back(outcome);
  }
  result.frame_energy = energy_of(frame);
  result.events.push_back("DeepThings' scheme: " + std::to_string(frame.wire_bytes()) +
                          " bytes a frame on the wires, " + std::to_string(frame.rolled_back) +
                          " tiles rolled back");
  return result;
}

std::vector<std::string> extrapolated_parts(const Experiment& experiment) {
  std::vector<std::string> parts;
  if (experiment.sources.empty() || !experiment.sources.front().ftp) return parts;
  const PlannedSource& source = experiment.sources.front();
  const FtpScheme& scheme = *source.ftp;
  if (!scheme.darknet) return parts;
  if (scheme.rows != scheme.columns || scheme.rows < 3 || scheme.rows > 4)
    parts.push_back("a grid of " + std::to_string(scheme.rows) + "x" +
                    std::to_string(scheme.columns));
  if (std::ranges::any_of(experiment.file.cluster.nodes,
                          [](const ClusterFileNode& node) { return node.cores > 2; }))
    parts.emplace_back("more than 2 cores");
  const auto places = std::ranges::count_if(source.model->layers, [](const Layer& layer) {
    return std::holds_alternative<Convolution>(layer.op) ||
           std::holds_alternative<Pooling>(layer.op);
  });
  if (static_cast<size_t>(places) > measured_gateway)
    parts.emplace_back("the gateway behind 16 layers");
  return parts;
}

}  // namespace shingle::sim
