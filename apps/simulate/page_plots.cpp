#include "apps/simulate/page_plots.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "apps/simulate/drawing.hpp"
#include "apps/simulate/summary_text.hpp"

namespace shingle {
namespace {

using namespace sim;

template <class... Values>
std::string text(const char* format, Values... values) {
  char line[160];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

constexpr double half_width = 480.0;  // of plots that stand in pairs

// Horizontal bars with a name before and a value behind.
class Bars {
 public:
  Bars(size_t rows, const std::string& label, double name_width, double value_width)
      : svg_(half_width, static_cast<double>(rows) * row + 6.0, label),
        begin_(name_width),
        end_(half_width - value_width) {}

  void name(size_t at, const std::string& name) {
    svg_.words(begin_ - 8.0, middle(at), Svg::Anchor::end, "", name);
  }
  // From one share of the full length to another.
  void bar(size_t at, double from, double to, const std::string& fill, const std::string& title) {
    const double length = end_ - begin_;
    svg_.box({begin_ + from * length, static_cast<double>(at) * row + 5.0,
              std::max(0.0, (to - from) * length), row - 9.0},
             fill, title);
  }
  void value(size_t at, double share, const std::string& value) {
    svg_.words(begin_ + share * (end_ - begin_) + 6.0, middle(at), Svg::Anchor::start, "soft",
               value);
  }
  std::string str() const { return svg_.str(); }

 private:
  static constexpr double row = 26.0;
  static double middle(size_t at) { return static_cast<double>(at) * row + row / 2.0 + 4.5; }
  Svg svg_;
  double begin_, end_;
};

double idle_watts_of(const Experiment& experiment, NodeId id) {
  for (const ClusterFileNode& node : experiment.file.cluster.nodes)
    if (node.id == id) return costs_of(node).idle_watts;
  return 0.0;
}

}  // namespace

const char* colour_of(Cause cause) {
  switch (cause) {
    case Cause::room:
      return "#9aa5b1";
    case Cause::slot:
      return "#cbd2d9";
    case Cause::compute:
      return "#4e79a7";
    case Cause::core:
      return "#a0cbe8";
    case Cause::wire:
      return "#f28e2b";
    case Cause::traffic:
      return "#ffbe7d";
    case Cause::credit:
      return "#d4a72c";
    case Cause::order:
      return "#b07aa1";
    case Cause::recovery:
      break;
  }
  return "#e15759";
}

const char* meaning_of(Cause cause) {
  switch (cause) {
    case Cause::room:
      return "waits at its source for room in the stream";
    case Cause::slot:
      return "waits until all homes have taken it";
    case Cause::compute:
      return "its tiles are computed";
    case Cause::core:
      return "a tile waits for other frames";
    case Cause::wire:
      return "bytes are on an idle wire";
    case Cause::traffic:
      return "bytes wait for others on the wire";
    case Cause::credit:
      return "bytes wait to be sent";
    case Cause::order:
      return "waits for an earlier frame";
    case Cause::recovery:
      break;
  }
  return "was begun again after a fault";
}

std::string latency_plot(const SourceSummary& source, size_t index) {
  if (source.latencies_ms.empty()) return "";
  constexpr double height = 190.0, left = 12.0, right = 12.0, top = 24.0, bottom = 162.0;
  constexpr size_t bins = 40;
  const double low = source.latencies_ms.front() * 0.97, high = source.latencies_ms.back() * 1.03;
  std::vector<size_t> counts(bins);
  for (const double latency : source.latencies_ms)
    ++counts[std::min(bins - 1, static_cast<size_t>((latency - low) / (high - low) * bins))];
  const auto most = static_cast<double>(*std::ranges::max_element(counts));
  const auto x = [&](double ms) {
    return left + (ms - low) / (high - low) * (half_width - left - right);
  };
  Svg svg(half_width, height, "distribution of latencies");
  for (const double tick : ticks(low, high, 6)) {
    svg.line(x(tick), top, x(tick), bottom, "rule");
    svg.words(x(tick), bottom + 16.0, Svg::Anchor::middle, "soft", short_seconds(tick / 1e3));
  }
  const double step = (half_width - left - right) / bins;
  for (size_t i = 0; i < bins; ++i) {
    const double part = static_cast<double>(counts[i]) / most * (bottom - top);
    svg.box({left + static_cast<double>(i) * step + 0.5, bottom - part, step - 1.0, part},
            colour(index), std::to_string(counts[i]) + " frames");
  }
  svg.line(left, bottom, half_width - right, bottom, "axis");
  const auto mark = [&](double ms, const std::string& name, bool before) {
    svg.line(x(ms), top - 6.0, x(ms), bottom, "mark");
    svg.words(x(ms) + (before ? -5.0 : 5.0), top, before ? Svg::Anchor::end : Svg::Anchor::start,
              "strong", name + " " + short_seconds(ms / 1e3));
  };
  const double median = quantile(source.latencies_ms, 0.5);
  mark(median, "p50", x(median) > half_width * 0.7);
  if (source.p99_ms_together)
    mark(*source.p99_ms_together, "p99", x(*source.p99_ms_together) > half_width * 0.5);
  return svg.str();
}

std::string frames_plot(const Experiment& experiment, const RunResult& run) {
  constexpr double width = 1000.0, height = 210.0, left = 62.0, right = 10.0, top = 26.0,
                   bottom = 182.0;
  constexpr size_t most_frames = 3000;
  const ExperimentFile& file = experiment.file;
  const double from = in_nanoseconds(file.warm_up) / 1e9, to = in_nanoseconds(file.duration) / 1e9;
  double longest = 0.0;
  for (const FrameOutcome& frame : run.frames)
    longest = std::max(longest, in_nanoseconds(frame.latency) / 1e9);
  if (longest <= 0.0) return "";
  const double high = longest * 1.08;
  const auto x = [&](double at) {
    return left + (at - from) / (to - from) * (width - left - right);
  };
  const auto y = [&](double at) { return bottom - at / high * (bottom - top); };
  Svg svg(width, height, "latency of each frame, over time");
  for (const double tick : ticks(0.0, high, 4)) {
    svg.line(left, y(tick), width - right, y(tick), "rule");
    svg.words(left - 8.0, y(tick) + 4.0, Svg::Anchor::end, "soft", short_seconds(tick));
  }
  for (const double tick : ticks(from, to, 10))
    svg.words(x(tick), bottom + 17.0, Svg::Anchor::middle, "soft", short_seconds(tick));
  const size_t every = run.frames.size() / most_frames + 1;
  for (size_t i = 0; i < run.frames.size(); i += every) {
    const FrameOutcome& frame = run.frames[i];
    const bool came = frame.fate == Fate::delivered;
    const double at = x(in_nanoseconds(frame.captured.time_since_epoch()) / 1e9);
    const double middle = came ? y(in_nanoseconds(frame.latency) / 1e9) : top;
    svg.box({at - 2.2, middle - 2.2, 4.4, 4.4}, came ? colour(frame.source) : "#e15759", "",
            " rx=\"2.2\" opacity=\"0.75\"");
  }
  for (const ExperimentFault& fault : file.faults) {
    const double at = in_nanoseconds(fault.at) / 1e9;
    if (at < from) continue;
    svg.line(x(at), top - 8.0, x(at), bottom, "mark");
    svg.words(
        x(at) + 5.0, top - 8.0, Svg::Anchor::start, "strong",
        fault_kinds()[static_cast<size_t>(fault.kind)] + " " + std::to_string(fault.node.value));
  }
  return svg.str();
}

std::string causes_plot(const Summary& summary) {
  double longest = 0.0;
  for (const SourceSummary& source : summary.sources) {
    double sum = 0.0;
    for (const Interval& cause : source.cause_ms) sum += cause.mean;
    longest = std::max(longest, sum);
  }
  if (longest <= 0.0) return "";
  Bars bars(summary.sources.size(), "what frames wait for", 70.0, 62.0);
  for (size_t i = 0; i < summary.sources.size(); ++i) {
    bars.name(i, "source " + std::to_string(i + 1));
    double at = 0.0;
    for (size_t cause = 0; cause < causes; ++cause) {
      const double ms = summary.sources[i].cause_ms[cause].mean;
      if (ms <= 0.0) continue;
      const auto which = static_cast<Cause>(cause);
      bars.bar(i, at / longest, (at + ms) / longest, colour_of(which),
               text("%s: %.1f ms (%s)", name_of(which), ms, meaning_of(which)));
      at += ms;
    }
    bars.value(i, at / longest, short_seconds(at / 1e3));
  }
  return bars.str();
}

std::string power_plot(const Experiment& experiment, const Summary& summary) {
  double most = 0.0;
  for (const NodeSummary& node : summary.nodes) most = std::max(most, node.watts.mean);
  if (most <= 0.0) return "";
  Bars bars(summary.nodes.size(), "power of each node", 70.0, 62.0);
  for (size_t i = 0; i < summary.nodes.size(); ++i) {
    const NodeSummary& node = summary.nodes[i];
    const double idle = std::min(idle_watts_of(experiment, node.node), node.watts.mean);
    bars.name(i, "node " + std::to_string(node.node.value));
    bars.bar(i, 0.0, idle / most, "#cbd2d9", text("idle: %.2f W", idle));
    bars.bar(i, idle / most, node.watts.mean / most, "#59a14f",
             text("work: %.2f W", node.watts.mean - idle));
    bars.value(i, node.watts.mean / most, text("%.2f W", node.watts.mean));
  }
  return bars.str();
}

std::string links_plot(const Summary& summary) {
  constexpr size_t most_links = 12;
  std::vector<LinkSummary> links = summary.links;
  std::ranges::stable_sort(links, [](const LinkSummary& a, const LinkSummary& b) {
    return a.bytes_per_second.mean > b.bytes_per_second.mean;
  });
  if (links.size() > most_links) links.resize(most_links);
  if (links.empty()) return "";
  const double most = links.front().bytes_per_second.mean;
  Bars bars(links.size(), "what links carry", 70.0, 160.0);
  for (size_t i = 0; i < links.size(); ++i) {
    const double rate = links[i].bytes_per_second.mean;
    bars.name(i, text("%u to %u", links[i].from.value, links[i].to.value));
    bars.bar(i, 0.0, rate / most, "#f28e2b", text("busy %.1f %%", 100.0 * links[i].busy.mean));
    bars.value(i, rate / most,
               short_bytes(rate) + text("/s, %.0f %% busy", 100.0 * links[i].busy.mean));
  }
  return bars.str();
}

}  // namespace shingle
