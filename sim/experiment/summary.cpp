#include "sim/experiment/summary.hpp"

#include <algorithm>
#include <set>

#include "sim/experiment/packets.hpp"

namespace shingle::sim {

namespace {

using Runs = std::vector<RunResult>;

template <class Value>
Interval over(const Runs& runs, const Value& value) {
  std::vector<double> values;
  for (const RunResult& run : runs) values.push_back(value(run));
  return interval_of(values);
}

double seconds(Duration time) { return in_nanoseconds(time) / 1e9; }

double share(double part, double whole) { return whole > 0.0 ? part / whole : 0.0; }

std::vector<double> latencies_of(const RunResult& run, size_t source) {
  std::vector<double> latencies;
  for (const FrameOutcome& frame : run.frames)
    if (frame.source == source && frame.fate == Fate::delivered)
      latencies.push_back(in_nanoseconds(frame.latency) / 1e6);
  std::ranges::sort(latencies);
  return latencies;
}

Interval fate_share(const Runs& runs, size_t source, Fate fate) {
  return over(runs, [&](const RunResult& run) {
    double all = 0.0, of_fate = 0.0;
    for (const FrameOutcome& frame : run.frames)
      if (frame.source == source) all += 1.0, of_fate += frame.fate == fate ? 1.0 : 0.0;
    return share(of_fate, all);
  });
}

Interval cause_of(const Runs& runs, size_t source, size_t cause) {
  return over(runs, [&](const RunResult& run) {
    double sum = 0.0, frames = 0.0;
    for (const FrameOutcome& frame : run.frames)
      if (frame.source == source && frame.fate == Fate::delivered)
        sum += in_nanoseconds(frame.causes[cause]) / 1e6, frames += 1.0;
    return share(sum, frames);
  });
}

SourceSummary source_summary(const Runs& runs, size_t source) {
  SourceSummary summary;
  std::vector<double> medians, tails;
  size_t fewest = SIZE_MAX;
  for (const RunResult& run : runs) {
    const std::vector<double> latencies = latencies_of(run, source);
    fewest = std::min(fewest, latencies.size());
    if (!latencies.empty()) {
      medians.push_back(quantile(latencies, 0.5));
      tails.push_back(quantile(latencies, 0.99));
    }
    summary.latencies_ms.insert(summary.latencies_ms.end(), latencies.begin(), latencies.end());
    summary.frames +=
        static_cast<size_t>(std::ranges::count(run.frames, source, &FrameOutcome::source));
  }
  std::ranges::sort(summary.latencies_ms);
  summary.p50_ms = interval_of(medians);
  if (fewest >= fewest_for_p99) summary.p99_ms = interval_of(tails);
  if (summary.latencies_ms.size() >= fewest_for_p99)
    summary.p99_ms_together = quantile(summary.latencies_ms, 0.99);
  summary.frames_per_second = over(runs, [&](const RunResult& run) {
    return static_cast<double>(run.delivered[source]) / seconds(run.measured);
  });
  summary.dropped = fate_share(runs, source, Fate::dropped);
  summary.late = fate_share(runs, source, Fate::late);
  summary.lost = fate_share(runs, source, Fate::lost);
  for (size_t cause = 0; cause < causes; ++cause)
    summary.cause_ms[cause] = cause_of(runs, source, cause);
  return summary;
}

NodeSummary node_summary(const Runs& runs, size_t place) {
  const auto of = [&](const auto& value) {
    return over(runs, [&](const RunResult& run) { return value(run.nodes[place], run); });
  };
  NodeSummary summary{.node = runs.front().nodes[place].node};
  summary.busy = of([](const NodeUse& use, const RunResult& run) {
    return share(seconds(use.busy), seconds(run.measured) * use.slots);
  });
  summary.tiles_per_second = of([](const NodeUse& use, const RunResult& run) {
    return static_cast<double>(use.tiles) / seconds(run.measured);
  });
  summary.stolen_tiles = of([](const NodeUse& use, const RunResult&) {
    return share(static_cast<double>(use.stolen_tiles), static_cast<double>(use.tiles));
  });
  summary.sent_bytes_per_second = of([](const NodeUse& use, const RunResult& run) {
    return static_cast<double>(use.sent_bytes) / seconds(run.measured);
  });
  summary.received_bytes_per_second = of([](const NodeUse& use, const RunResult& run) {
    return static_cast<double>(use.received_bytes) / seconds(run.measured);
  });
  summary.peak_bytes =
      of([](const NodeUse& use, const RunResult&) { return static_cast<double>(use.peak_bytes); });
  summary.watts = of(
      [](const NodeUse& use, const RunResult& run) { return use.joules / seconds(run.measured); });
  return summary;
}

std::vector<LinkSummary> link_summaries(const Runs& runs) {
  std::set<std::pair<NodeId, NodeId>> pairs;
  for (const RunResult& run : runs)
    for (const LinkUse& link : run.links) pairs.insert({link.from, link.to});
  std::vector<LinkSummary> summaries;
  for (const auto& [from, to] : pairs) {
    const auto of = [&, from = from, to = to](const auto& value) {
      return over(runs, [&](const RunResult& run) {
        const auto link = std::ranges::find_if(
            run.links, [&](const LinkUse& use) { return use.from == from && use.to == to; });
        return link == run.links.end() ? 0.0 : value(*link) / seconds(run.measured);
      });
    };
    summaries.push_back(
        {.from = from,
         .to = to,
         .bytes_per_second = of([](const LinkUse& use) { return static_cast<double>(use.bytes); }),
         .busy = of([](const LinkUse& use) { return seconds(use.busy); })});
  }
  return summaries;
}

std::vector<WireSummary> wire_summaries(const Runs& runs) {
  std::vector<WireSummary> summaries;
  for (size_t i = 0; i < runs.front().wires.size(); ++i)
    summaries.push_back({.name = runs.front().wires[i].name,
                         .bytes_per_second = over(runs,
                                                  [&](const RunResult& run) {
                                                    return static_cast<double>(run.wires[i].bytes) /
                                                           seconds(run.measured);
                                                  }),
                         .busy = over(runs, [&](const RunResult& run) {
                           return seconds(run.wires[i].busy) / seconds(run.measured);
                         })});
  return summaries;
}

std::vector<FlowSummary> flow_summaries(const Runs& runs) {
  std::vector<FlowSummary> summaries;
  for (size_t i = 0; i < runs.front().flows.size(); ++i) {
    const FlowOutcome& flow = runs.front().flows[i];
    FlowSummary summary{.from = flow.from, .to = flow.to, .bytes = flow.bytes};
    std::vector<double> times;
    for (const RunResult& run : runs)
      if (run.flows[i].took)
        times.push_back(seconds(*run.flows[i].took));
      else
        ++summary.unfinished;
    summary.seconds = interval_of(times);
    summaries.push_back(summary);
  }
  return summaries;
}

double joules_of(const RunResult& run) {
  double joules = 0.0;
  for (const NodeUse& use : run.nodes) joules += use.joules;
  return joules;
}

double delivered_of(const RunResult& run) {
  double frames = 0.0;
  for (const size_t delivered : run.delivered) frames += static_cast<double>(delivered);
  return frames;
}

void add_breaches(Summary& summary, const Runs& runs) {
  for (const RunResult& run : runs)
    for (const std::string& breach : run.breaches)
      summary.breaches.push_back("seed " + std::to_string(run.seed) + ": " + breach);
}

}  // namespace

Summary summary_of(const Experiment& experiment, const std::vector<RunResult>& runs) {
  Summary summary{.runs = runs.size(), .measured = runs.front().measured};
  summary.drawn = drawn_parts(experiment);
  const std::string& simulator = runs.front().simulator;
  if (!simulator.empty()) summary.drawn.emplace_back(drawn_by_simulator);
  for (size_t i = 0; i < experiment.file.sources.size(); ++i)
    summary.sources.push_back(source_summary(runs, i));
  for (size_t i = 0; i < runs.front().nodes.size(); ++i)
    summary.nodes.push_back(node_summary(runs, i));
  summary.links = link_summaries(runs);
  summary.wires = wire_summaries(runs);
  summary.flows = flow_summaries(runs);
  summary.watts =
      over(runs, [](const RunResult& run) { return joules_of(run) / seconds(run.measured); });
  summary.switches =
      over(runs, [](const RunResult& run) { return static_cast<double>(run.switches); });
  if (std::ranges::all_of(
          runs, [](const RunResult& run) { return delivered_of(run) > 0.0 && !run.nodes.empty(); }))
    summary.joules_per_frame =
        over(runs, [](const RunResult& run) { return joules_of(run) / delivered_of(run); });
  summary.events = runs.front().events;
  add_breaches(summary, runs);
  if (simulator.empty())
    summary.errors = known_errors(experiment);
  else
    summary.warnings.push_back("packets are simulated by " + simulator +
                               ", which was never compared with real nodes");
  for (const std::string& sentence : beyond_calibration(experiment))
    summary.warnings.push_back(sentence);
  return summary;
}

}  // namespace shingle::sim
