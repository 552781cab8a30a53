#include "apps/trace/replay_trace.hpp"

#include <algorithm>
#include <cmath>

namespace shingle {

namespace {

FrameKey without_attempt(FrameKey key) {
  key.attempt = 0;
  return key;
}

template <class Value>
Value median(std::vector<Value> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// A source that waits for its frames captures the next one as soon as one has ended; a camera has a
// rhythm of its own. Fills in what the captures say of that.
// REQUIRES: frames in the order of their captures.
void find_rhythm(const std::vector<sim::ReplayedFrame>& frames, sim::ReplayedSource& source) {
  std::vector<Time> ends;
  for (const sim::ReplayedFrame& frame : frames)
    if (frame.ended) ends.push_back(*frame.ended);
  std::ranges::sort(ends);
  size_t most_open = 1;
  std::vector<double> gaps, periods;
  for (size_t i = 0; i < frames.size(); ++i) {
    const auto ended = std::ranges::upper_bound(ends, frames[i].captured);
    most_open = std::max(most_open, i + 1 - static_cast<size_t>(ended - ends.begin()));
    if (i > 0) periods.push_back(in_nanoseconds(frames[i].captured - frames[i - 1].captured));
    if (ended != ends.begin()) gaps.push_back(in_nanoseconds(frames[i].captured - *(ended - 1)));
  }
  source.open_frames = static_cast<int32_t>(most_open);
  constexpr double soon = 0.1;  // of the time between captures
  if (gaps.size() >= 3 && median(gaps) < soon * median(periods))
    source.refill = Duration(std::llround(median(gaps)));
}

const ClusterNode* node_in(const Cluster& cluster, NodeId id) {
  const auto place = std::ranges::find(cluster.nodes, id, &ClusterNode::id);
  return place == cluster.nodes.end() ? nullptr : &*place;
}

}  // namespace

Result<TracedFrames> frames_of(const RecordedTrace& trace) {
  std::map<FrameKey, sim::ReplayedFrame> frames;
  std::map<FrameKey, uint32_t> plans;
  for (const RecordedEvent& event : trace.events) {
    const FrameKey key = without_attempt(event.frame);
    if (event.kind == RecordedEvent::Kind::captured) {
      frames[key] = {.key = key, .captured = event.at};
      plans[key] = event.plan;
    }
    if (event.kind != RecordedEvent::Kind::ended || !frames.contains(key)) continue;
    frames[key].ended = event.at;
    frames[key].delivered = trace.what(event) == "delivered";
  }
  if (frames.empty())
    return bad_input("'" + trace.file +
                     "' has no captured frame; it lacks the trace of the frames' owner");
  TracedFrames traced;
  for (const RecordedPlan& recorded : trace.plans) {
    auto plan = parse_plan(recorded.text);
    if (!plan || hash_of(*plan) != recorded.hash)
      return bad_input("'" + trace.file + "' lacks the text of plan " + short_name(recorded.hash));
    traced.plans.push_back(std::move(*plan));
  }
  Time first = Time::max();
  for (const auto& [key, frame] : frames) first = std::min(first, frame.captured);
  std::map<NodeId, std::vector<sim::ReplayedFrame>> by_owner;
  for (const auto& [key, frame] : frames) by_owner[key.owner].push_back(frame);
  for (auto& [owner, its_frames] : by_owner) {
    std::ranges::stable_sort(its_frames, {}, &sim::ReplayedFrame::captured);
    sim::ReplayedSource source{.owner = owner, .captures = {}};
    for (const sim::ReplayedFrame& frame : its_frames)
      source.captures.push_back({frame.captured - first, trace.plans[plans.at(frame.key)].hash});
    find_rhythm(its_frames, source);
    traced.sources.push_back(std::move(source));
    traced.frames.insert(traced.frames.end(), its_frames.begin(), its_frames.end());
  }
  return traced;
}

TileTimes::TileTimes(const RecordedTrace& trace, const TracedFrames& traced, const Model& model,
                     const Cluster& was)
    : traced_(traced), model_(model), was_(was) {
  std::map<FrameKey, PlanHash> plans;
  for (const RecordedEvent& event : trace.events)
    if (event.kind == RecordedEvent::Kind::captured)
      plans[event.frame] = trace.plans[event.plan].hash;
  std::map<std::pair<TileName, NodeId>, std::vector<Duration>> times;
  for (const RecordedEvent& event : trace.events) {
    const auto plan = plans.find(event.frame);  // a later attempt may have a stand-in for a plan
    if (event.kind == RecordedEvent::Kind::computed && plan != plans.end())
      times[{{plan->second, event.tile}, event.node}].push_back(event.length);
  }
  for (auto& [place, lengths] : times)
    measured_[place.first].push_back({place.second, median(std::move(lengths))});
}

std::optional<double> TileTimes::predicted_ns(const Cluster& cluster, NodeId node,
                                              const TileName& tile_name) const {
  const ClusterNode* board = node_in(cluster, node);
  const auto plan = std::ranges::find(traced_.plans, tile_name.first,
                                      [](const Plan& each) { return hash_of(each); });
  if (board == nullptr || plan == traced_.plans.end()) return {};
  const FusedBlock& block = plan->blocks[block_of(*plan, tile_name.second)];
  const TileProgram program = tile_program(model_, block, tile(*plan, tile_name.second).outputs);
  return work_of(profile_of(*board), model_, program).compute_ns;
}

std::optional<Duration> TileTimes::on(const Cluster& cluster, NodeId node,
                                      const Compute& compute) const {
  const TileName name{compute.plan, compute.tile};
  const auto place = measured_.find(name);
  if (place == measured_.end()) return {};
  const auto here = std::ranges::find(place->second, node, &Measured::node);
  const Measured& measured = here == place->second.end() ? place->second.front() : *here;
  const auto then = predicted_ns(was_, measured.node, name),
             now = predicted_ns(cluster, node, name);
  if (!then || !now || *then <= 0.0) return {};
  return Duration(std::llround(in_nanoseconds(measured.median) * *now / *then));
}

FrameFigures figures_of(const std::vector<sim::ReplayedFrame>& frames) {
  FrameFigures figures{.frames = frames.size()};
  std::vector<double> latencies;
  Time first = Time::max(), last = Time::min();
  for (const sim::ReplayedFrame& frame : frames) {
    if (!frame.delivered) continue;
    latencies.push_back(in_nanoseconds(*frame.ended - frame.captured) / 1e6);
    first = std::min(first, *frame.ended);
    last = std::max(last, *frame.ended);
  }
  figures.delivered = latencies.size();
  if (latencies.empty()) return figures;
  std::ranges::sort(latencies);
  figures.latency_p50_ms = latencies[latencies.size() / 2];
  figures.latency_p99_ms =
      latencies[static_cast<size_t>(0.99 * static_cast<double>(latencies.size() - 1) + 0.5)];
  if (last > first)
    figures.frames_per_second =
        static_cast<double>(latencies.size() - 1) / (in_nanoseconds(last - first) / 1e9);
  return figures;
}

}  // namespace shingle
