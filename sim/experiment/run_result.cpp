#include "sim/experiment/run_result.hpp"

#include <algorithm>

#include "sim/experiment/seed_run.hpp"

namespace shingle::sim {

namespace {

NodeUse use_of(const EndedRun& run, size_t place) {
  const ExperimentFile& file = run.experiment.file;
  const ClusterFileNode& node = file.cluster.nodes[place];
  const NodeProfile profile = costs_of(node);
  const LoadMeter::Node load = run.meter.node(node.id);
  NodeUse use{.node = node.id,
              .busy = load.busy,
              .slots = std::max(1, profile.slots),
              .tiles = load.tiles,
              .stolen_tiles = load.stolen_tiles,
              .sent_bytes = load.sent_bytes,
              .received_bytes = load.received_bytes,
              .peak_bytes = run.cluster.most_canvas_bytes(node.id) +
                            weight_bytes_of(run.experiment, node.id)};
  if (const auto board = run.watch.board(place)) {
    use.joules = board->joules;
    use.celsius = board->celsius;
    return use;
  }
  const double measured = in_nanoseconds(file.duration - file.warm_up);
  const double busy = in_nanoseconds(load.busy) / use.slots;
  use.joules =
      1e-9 * (profile.idle_watts * measured + (profile.busy_watts - profile.idle_watts) * busy);
  return use;
}

void check_frames(const EndedRun& run, std::vector<std::string>& breaches) {
  for (const auto& stream : run.streams)
    for (const StreamRun::Frame& frame : stream->frames()) {
      if (frame.outcome.fate != Fate::delivered) continue;
      Duration sum{};
      for (const Duration part : frame.outcome.causes) sum += part;
      if (sum == frame.outcome.latency) continue;
      breaches.push_back("the parts of the latency of frame " + frame_name(frame.key) +
                         " add up to " + milliseconds(sum) + " ms, and it is " +
                         milliseconds(frame.outcome.latency) + " ms");
    }
}

std::vector<std::string> breaches_of(const EndedRun& run) {
  std::vector<std::string> breaches = run.cluster.breaches();
  for (const auto* more : {&run.meter.breaches(), &run.watch.breaches()})
    breaches.insert(breaches.end(), more->begin(), more->end());
  const NetworkTotals& bytes = run.cluster.network().totals();
  if (bytes.sent != bytes.arrived + bytes.lost + bytes.under_way)
    breaches.push_back("of " + std::to_string(bytes.sent) + " bytes " +
                       std::to_string(bytes.arrived) + " arrived, " + std::to_string(bytes.lost) +
                       " were lost and " + std::to_string(bytes.under_way) + " are under way");
  if (run.experiment.file.faults.empty() && run.meter.missing_bytes() != 0)
    breaches.push_back(std::to_string(run.meter.missing_bytes()) +
                       " bytes of payload were sent and did not arrive");
  if (run.stalled)
    breaches.emplace_back("no tile and no byte for two minutes, with frames under way");
  check_frames(run, breaches);
  return breaches;
}

// Frames count by their capture, throughput by their delivery.
void add_frames(const EndedRun& run, RunResult& result) {
  const ExperimentFile& file = run.experiment.file;
  const Time from = experiment_start + file.warm_up, end = experiment_start + file.duration;
  result.delivered.resize(run.streams.size());
  for (const auto& stream : run.streams)
    for (const StreamRun::Frame& frame : stream->frames()) {
      const FrameOutcome& outcome = frame.outcome;
      const Time arrived = outcome.captured + outcome.latency;
      if (outcome.fate == Fate::delivered && arrived >= from && arrived < end)
        ++result.delivered[outcome.source];
      if (outcome.captured < from || outcome.captured >= end) continue;
      result.frames.push_back(outcome);
      result.frames.back().captured -= experiment_start - Time{};
    }
  std::ranges::stable_sort(result.frames, {}, &FrameOutcome::captured);
}

void add_events(const EndedRun& run, RunResult& result) {
  for (const auto& stream : run.streams) {
    result.switches += stream->switches(), result.searches += stream->searches();
    result.events.insert(result.events.end(), stream->events().begin(), stream->events().end());
  }
  for (const KilledNode& killed : run.cluster.killed())
    result.events.push_back(moment_text(killed.at - experiment_start) + ": node " +
                            std::to_string(killed.node.value) +
                            " is killed: it holds more memory than its board has");
}

}  // namespace

RunResult run_result(const EndedRun& run) {
  const ExperimentFile& file = run.experiment.file;
  RunResult result{.seed = run.seed,
                   .simulator = run.cluster.network().simulator(),
                   .measured = file.duration - file.warm_up};
  for (const auto& stream : run.streams)
    for (StreamRun::Frame& frame : stream->frames())
      if (frame.outcome.fate == Fate::delivered)
        frame.outcome.causes = run.follower.causes_of(frame.key);
  result.breaches = breaches_of(run);
  add_frames(run, result);
  add_events(run, result);
  for (size_t i = 0; i < file.cluster.nodes.size(); ++i) result.nodes.push_back(use_of(run, i));
  for (const auto& [pair, link] : run.meter.links())
    result.links.push_back({pair.first, pair.second, link.bytes, link.messages, link.busy});
  result.wires = run.watch.wires();
  result.flows = run.flows;
  result.spans = run.meter.take_spans();
  result.trace_hash = run.cluster.trace_hash();
  result.steps = run.cluster.events();
  return result;
}

}  // namespace shingle::sim
