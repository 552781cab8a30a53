#include "sim/experiment/seed_run.hpp"

#include <algorithm>
#include <deque>

#include "sim/experiment/fault_script.hpp"
#include "sim/experiment/flow_run.hpp"
#include "sim/experiment/frame_follower.hpp"
#include "sim/experiment/ftp_run.hpp"
#include "sim/experiment/hardware_watch.hpp"
#include "sim/experiment/load_meter.hpp"
#include "sim/experiment/run_result.hpp"
#include "sim/experiment/stream_run.hpp"

namespace shingle::sim {

namespace {

constexpr Duration step = std::chrono::seconds(1);      // at most, between two looks at the whole
constexpr Duration patience = std::chrono::minutes(1);  // for the last frames
constexpr Duration stalled_after = std::chrono::minutes(2);  // without a tile or a byte

class SeedRun {
 public:
  SeedRun(const Experiment& experiment, uint64_t seed, const SeedRunOptions& options)
      : experiment_(experiment),
        options_(options),
        seed_(seed),
        end_(experiment_start + experiment.file.duration),
        follower_(experiment),
        meter_(experiment_start + experiment.file.warm_up, end_, options.spans),
        watch_(experiment.file, experiment_start + experiment.file.warm_up, end_) {}

  Result<RunResult> run() {
    ClusterOptions machines = machines_of(experiment_, seed_);
    machines.on_report = [this](NodeId node, const Report& report) { hear(node, report); };
    machines.on_trace = [this](const TraceEvent& event) { see(event); };
    machines.on_flow = [this](uint64_t flow) { flow_ended(flow); };
    if (options_.simulator) {
      auto packets = open_packets(experiment_, watch_.network(), options_.simulator, seed_);
      if (!packets) return packets.failure();
      machines.packets = std::move(*packets);
    }
    cluster_.emplace(std::move(machines), *experiment_.sources.front().model);
    for (const PlannedSource& source : experiment_.sources) cluster_->add_model(*source.model);
    for (size_t i = 0; i < experiment_.sources.size(); ++i)
      streams_.push_back(std::make_unique<StreamRun>(experiment_, i, port_of(i)));
    if (const Status ready = get_ready(); !ready) return ready.failure();
    for (const auto& stream : streams_) stream->begin(experiment_start, end_, seed_);
    for (const ExperimentFault& fault : experiment_.file.faults)
      put_in(*cluster_, experiment_start + fault.at, fault);
    begin_flows();
    if (const Status ran = go_through(); !ran) return ran.failure();
    return run_result({.experiment = experiment_,
                       .seed = seed_,
                       .cluster = *cluster_,
                       .streams = streams_,
                       .follower = follower_,
                       .meter = meter_,
                       .watch = watch_,
                       .flows = flows_,
                       .stalled = stalled_});
  }

 private:
  StreamPort port_of(size_t stream);
  Status get_ready();
  void begin_flows();
  void flow_ended(uint64_t flow);
  Status go_through();
  bool look_around();
  void advance(Time until);
  void act();
  void hear(NodeId node, const Report& report);
  void hear_all();
  void see(const TraceEvent& event);
  std::optional<FrameKey> capture(NodeId owner, const StreamOwner::Loaded& plan, Duration time_left,
                                  Time since);
  bool is_over() const;

  const Experiment& experiment_;
  const SeedRunOptions& options_;
  const uint64_t seed_;
  const Time end_;
  FrameFollower follower_;
  LoadMeter meter_;
  HardwareWatch watch_;
  std::optional<VirtualCluster> cluster_;
  std::vector<std::unique_ptr<StreamRun>> streams_;
  std::deque<std::pair<NodeId, Report>> reports_;  // not heard yet
  std::vector<FlowOutcome> flows_;
  bool stalled_ = false;
  Time now_{};
};

StreamPort SeedRun::port_of(size_t stream) {
  const NodeId owner = experiment_.file.sources[stream].owner;
  return {
      .propose =
          [this, owner](const StreamOwner::Loaded& plan) {
            cluster_->propose(now_, owner, plan->plan);
          },
      .withdraw = [this, owner](const PlanHash& plan) { cluster_->withdraw(now_, owner, plan); },
      .capture = [this, owner](const StreamOwner::Loaded& plan, Duration time_left,
                               Time since) { return capture(owner, plan, time_left, since); }};
}

// The node captures it at once, before anything else happens.
std::optional<FrameKey> SeedRun::capture(NodeId owner, const StreamOwner::Loaded& plan,
                                         Duration time_left, Time since) {
  cluster_->capture(now_, owner, plan->hash, time_left);
  follower_.expect({plan, owner, since});
  while (!cluster_->run(now_) && cluster_->is_paused()) {
  }
  return follower_.take_captured();
}

Status SeedRun::get_ready() {
  for (const auto& stream : streams_) stream->offer_plans();
  while (now_ < experiment_start) {
    advance(experiment_start);
    if (const Status works = cluster_->network().status(); !works) return works;
    for (const auto& stream : streams_)
      if (!stream->events().empty()) return Error{stream->events().front()};
  }
  if (std::ranges::all_of(streams_, [](const auto& stream) { return stream->is_ready(); }))
    return success();
  return Error{"the nodes were not ready for their plans within a second"};
}

void SeedRun::begin_flows() {
  const ExperimentFile& file = experiment_.file;
  for (size_t i = 0; i < file.flows.size(); ++i) {
    const ExperimentFlow& flow = file.flows[i];
    flows_.push_back({.from = flow.from, .to = flow.to, .bytes = flow.bytes});
    cluster_->flow(experiment_start + flow.at, ExperimentNetwork::flow_source(file, i),
                   ExperimentNetwork::flow_target(file, i), flow.bytes, i);
  }
}

void SeedRun::flow_ended(uint64_t flow) {
  flows_[flow].took = cluster_->now() - experiment_start - experiment_.file.flows[flow].at;
}

// Until `until`, or until a report comes that somebody waits for.
void SeedRun::advance(Time until) {
  cluster_->run(until);
  now_ = cluster_->is_paused() ? cluster_->now() : until;
  hear_all();
}

bool SeedRun::is_over() const {
  const auto is_under_way = [](const FlowOutcome& flow) { return !flow.took; };
  return now_ >= end_ && std::ranges::none_of(flows_, is_under_way) &&
         std::ranges::all_of(streams_, [](const auto& stream) { return stream->is_over(); });
}

Status SeedRun::go_through() {
  Time next_look = now_;
  while (true) {
    if (const Status works = cluster_->network().status(); !works) return works;
    if (now_ >= watch_.next_look()) watch_.look(*cluster_);
    if (is_over()) return success();
    if (now_ >= next_look) {
      next_look = now_ + step;
      const double share =
          in_nanoseconds(now_ - experiment_start) / in_nanoseconds(experiment_.file.duration);
      if (options_.go_on && !options_.go_on(std::min(1.0, share)))
        return Error{"the run was ended"};
      if (!look_around()) return success();
    }
    act();
    Time until = std::min(next_look, watch_.next_look());
    for (const auto& stream : streams_) until = std::min(until, stream->due());
    advance(std::max(until, now_));
  }
}

// False: nothing more will come.
bool SeedRun::look_around() {
  const Time last = std::max(meter_.last_progress(), experiment_start);
  stalled_ = follower_.has_open() && now_ - last > stalled_after;
  return !stalled_ && now_ <= end_ + patience;
}

void SeedRun::act() {
  for (const auto& stream : streams_) {
    if (!cluster_->is_up(stream->owner())) stream->stop(now_, "it is down");
    stream->act(now_);
  }
}

void SeedRun::hear(NodeId node, const Report& report) {
  reports_.emplace_back(node, report);
  using Kind = Report::Kind;
  const bool awaited = report.kind == Kind::frame_closed || report.kind == Kind::plan_ready ||
                       report.kind == Kind::plan_refused || report.kind == Kind::plan_impaired ||
                       facts_of(report.kind).ends_frame;
  if (awaited && cluster_) cluster_->pause();
}

void SeedRun::hear_all() {
  while (!reports_.empty()) {
    const auto [node, report] = std::move(reports_.front());
    reports_.pop_front();
    for (const auto& stream : streams_)
      if (stream->owner() == node) stream->hear(report, now_);
  }
}

void SeedRun::see(const TraceEvent& event) {
  meter_.on(event);
  follower_.on(event);
  if (options_.on_trace) options_.on_trace(event);
}

}  // namespace

Result<RunResult> run_seed(const Experiment& experiment, uint64_t seed,
                           const SeedRunOptions& options) {
  if (experiment.sources.empty()) return run_flows(experiment, seed, options);
  if (experiment.sources.front().ftp) {
    if (options.simulator)
      return bad_input("DeepThings' scheme runs on the fluid model of networks only");
    FtpMemo memo;
    const auto prepared = FtpExperiment::prepare(experiment, memo);
    if (!prepared) return prepared.failure();
    return prepared->run(seed);
  }
  return SeedRun(experiment, seed, options).run();
}

}  // namespace shingle::sim
