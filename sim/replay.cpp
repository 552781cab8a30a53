#include "sim/replay.hpp"

#include <algorithm>
#include <cassert>
#include <map>

#include "sim/rehearsal.hpp"

namespace shingle::sim {

namespace {

constexpr Time ready = Time{} + std::chrono::minutes(1);  // all plans are loaded by then
constexpr Duration longest = std::chrono::hours(24);      // after the last capture

class Replayer {
 public:
  Replayer(const Model& model, const Cluster& cluster, const ReplayScript& script)
      : script_(script), nodes_(options(cluster, script), model) {}

  Result<std::vector<ReplayedFrame>> run() {
    Time last = ready;
    for (const ReplayedSource& source : script_.sources) {
      propose(source);
      const size_t at_first = source.refill ? static_cast<size_t>(source.open_frames) : SIZE_MAX;
      for (size_t i = 0; i < std::min(at_first, source.captures.size()); ++i)
        capture(source, ready + source.captures[i].after);
      if (!source.captures.empty()) last = std::max(last, ready + source.captures.back().after);
    }
    if (!nodes_.run(last + longest)) return Error{"the nodes came to no end"};
    if (!nodes_.breaches().empty()) return Error{nodes_.breaches().front()};
    std::vector<ReplayedFrame> frames;
    for (const auto& [key, frame] : frames_) frames.push_back(frame);
    return frames;
  }

 private:
  ClusterOptions options(const Cluster& cluster, const ReplayScript& script) {
    int32_t open_frames = 1;
    for (const ReplayedSource& source : script.sources)
      open_frames = std::max(open_frames, source.open_frames);
    ClusterOptions options = cluster_options(cluster, open_frames);
    for (Machine& machine : options.machines) machine.node.limits.steals = true;
    options.compute_time = script.compute_time;
    options.on_trace = [this](const TraceEvent& event) { hear(event); };
    return options;
  }

  void propose(const ReplayedSource& source) {
    for (const Plan& plan : script_.plans) {
      const PlanHash hash = hash_of(plan);
      const auto uses = [&](const ReplayedSource::Capture& each) { return each.plan == hash; };
      if (std::ranges::any_of(source.captures, uses)) nodes_.propose(Time{}, source.owner, plan);
    }
  }

  // The source's next frame.
  void capture(const ReplayedSource& source, Time at) {
    size_t& next = next_[source.owner];
    if (next == source.captures.size()) return;
    nodes_.capture(at, source.owner, source.captures[next++].plan, no_deadline);
  }

  void hear(const TraceEvent& event) {
    if (script_.on_trace) script_.on_trace(event);
    const bool delivered = event.kind == TraceEvent::Kind::delivered;
    const bool dropped =
        event.kind == TraceEvent::Kind::reported && facts_of(event.report).ends_frame;
    FrameKey key = event.key;
    key.attempt = 0;
    if (event.kind == TraceEvent::Kind::captured) frames_[key] = {.key = key, .captured = event.at};
    if (!delivered && !dropped) return;
    frames_[key].ended = event.at;
    frames_[key].delivered = delivered;
    for (const ReplayedSource& source : script_.sources)
      if (source.owner == key.owner && source.refill) capture(source, event.at + *source.refill);
  }

  const ReplayScript& script_;
  std::map<NodeId, size_t> next_;
  std::map<FrameKey, ReplayedFrame> frames_;
  VirtualCluster nodes_;  // last: it calls hear()
};

}  // namespace

Result<std::vector<ReplayedFrame>> replay(const Model& model, const Cluster& cluster,
                                          const ReplayScript& script) {
  for (const ReplayedSource& source : script.sources)
    assert(std::ranges::is_sorted(source.captures, {}, &ReplayedSource::Capture::after) &&
           source.open_frames > 0);
  return Replayer(model, cluster, script).run();
}

}  // namespace shingle::sim
