#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "apps/simulate/drawing.hpp"
#include "apps/simulate/page_plots.hpp"
#include "apps/simulate/summary_text.hpp"

namespace shingle {
namespace {

using namespace sim;
using Kind = WorkSpan::Kind;

constexpr double width = 1000.0, left = 92.0, right = 8.0, top = 20.0;
constexpr double node_height = 22.0, link_height = 11.0, gap = 5.0;
constexpr size_t most_links = 14, most_boxes = 6000;
constexpr double frames_shown = 2.6;  // latencies that the window holds

using Row = std::pair<NodeId, NodeId>;  // of a node: twice the same

struct TimeWindow {
  Time begin{}, end{};
  double x(Time at) const {
    const double share = in_nanoseconds(at - begin) / in_nanoseconds(end - begin);
    return left + std::clamp(share, 0.0, 1.0) * (width - left - right);
  }
};

TimeWindow window_of(const RunResult& run, const Summary& summary) {
  Time first = Time::max(), last{};
  for (const WorkSpan& span : run.spans)
    first = std::min(first, span.begin), last = std::max(last, span.end);
  double shown_ms = 20.0;
  for (const SourceSummary& source : summary.sources)
    shown_ms = std::max(shown_ms, frames_shown * source.p50_ms.mean);
  const Duration shown(static_cast<int64_t>(shown_ms * 1e6));
  return {first, std::min(last, first + shown)};
}

// Spans of one row and frame that almost touch are drawn as one.
std::vector<WorkSpan> merged(std::vector<WorkSpan> spans, const TimeWindow& window) {
  std::ranges::sort(spans, [](const WorkSpan& a, const WorkSpan& b) { return a.begin < b.begin; });
  std::map<std::tuple<Kind, Row, NodeId, uint64_t, bool>, size_t> latest;
  std::vector<WorkSpan> out;
  for (const WorkSpan& span : spans) {
    if (span.begin >= window.end || span.end <= window.begin) continue;
    const auto key =
        std::tuple(span.kind, Row{span.node, span.peer}, span.owner, span.frame, span.lent);
    const auto before = latest.find(key);
    constexpr double touch = 0.4;  // units of the picture
    if (before != latest.end() &&
        window.x(span.begin) - window.x(out[before->second].end) < touch) {
      out[before->second].end = std::max(out[before->second].end, span.end);
      continue;
    }
    latest[key] = out.size();
    out.push_back(span);
  }
  if (out.size() > most_boxes) out.resize(most_boxes);
  return out;
}

// Nodes, and under each of them the links that carry most of what it sends.
std::vector<Row> rows_of(const Experiment& experiment, const std::vector<WorkSpan>& spans) {
  std::map<Row, Duration> links;
  for (const WorkSpan& span : spans)
    if (span.kind == Kind::message) links[{span.node, span.peer}] += span.end - span.begin;
  std::vector<std::pair<Duration, Row>> busiest;
  for (const auto& [row, busy] : links) busiest.emplace_back(busy, row);
  std::ranges::sort(busiest, std::greater<>());
  if (busiest.size() > most_links) busiest.resize(most_links);
  std::set<Row> chosen;
  for (const auto& [busy, row] : busiest) chosen.insert(row);
  std::vector<Row> rows;
  for (const ClusterFileNode& node : experiment.file.cluster.nodes) {
    rows.emplace_back(node.id, node.id);
    for (const Row& row : chosen)
      if (row.first == node.id) rows.push_back(row);
  }
  return rows;
}

bool is_link(const Row& row) { return row.first != row.second; }

size_t colour_index(const WorkSpan& span) { return span.frame * 3 + span.owner.value * 5; }

void draw_axis(Svg& svg, const TimeWindow& window, double bottom) {
  const double length = in_nanoseconds(window.end - window.begin) / 1e6;
  for (const double tick : ticks(0.0, length, 10)) {
    const double x = window.x(window.begin + Duration(static_cast<int64_t>(tick * 1e6)));
    svg.line(x, top - 4.0, x, bottom, "rule");
    svg.words(x, top - 8.0, Svg::Anchor::middle, "soft", short_seconds(tick / 1e3));
  }
}

std::string title_of(const WorkSpan& span) {
  const std::string frame =
      "frame " + std::to_string(span.owner.value) + ":" + std::to_string(span.frame);
  const std::string time = short_seconds(in_nanoseconds(span.end - span.begin) / 1e9);
  if (span.kind == Kind::message)
    return frame + ", node " + std::to_string(span.node.value) + " to " +
           std::to_string(span.peer.value) + ", " + time;
  return frame + " on node " + std::to_string(span.node.value) + (span.lent ? ", stolen, " : ", ") +
         time;
}

}  // namespace

std::string timeline_plot(const Experiment& experiment, const RunResult& run,
                          const Summary& summary) {
  if (run.spans.empty()) return "";
  const TimeWindow window = window_of(run, summary);
  const std::vector<WorkSpan> spans = merged(run.spans, window);
  const std::vector<Row> rows = rows_of(experiment, spans);
  std::map<Row, double> y_of;
  double y = top;
  for (const Row& row : rows) {
    if (!is_link(row)) y += gap;
    y_of[row] = y;
    y += (is_link(row) ? link_height : node_height) + 2.0;
  }
  Svg svg(width, y + 6.0, "what nodes and links did, over time");
  draw_axis(svg, window, y);
  for (const Row& row : rows) {
    const bool link = is_link(row);
    const double middle = y_of[row] + (link ? link_height - 1.5 : node_height / 2.0 + 4.0);
    svg.words(left - 8.0, middle, Svg::Anchor::end, link ? "soft" : "strong",
              link ? "to " + std::to_string(row.second.value)
                   : "node " + std::to_string(row.first.value));
  }
  for (const WorkSpan& span : spans) {
    const auto place = y_of.find({span.node, span.peer});
    if (place == y_of.end()) continue;
    const bool link = span.kind == Kind::message;
    const double x = window.x(span.begin);
    svg.box(
        {x, place->second, std::max(0.35, window.x(span.end) - x),
         link ? link_height - 3.0 : node_height},
        colour(colour_index(span)), title_of(span),
        link ? " opacity=\"0.55\"" : (span.lent ? " stroke=\"#1f2933\" stroke-width=\"1.2\"" : ""));
  }
  return svg.str();
}

}  // namespace shingle
