#include "apps/trace/merge_traces.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>

#include "apps/trace/trace_lines.hpp"

namespace shingle {

namespace {

using Json = nlohmann::ordered_json;

struct Line {
  int64_t at_ns = 0;  // metadata: before everything
  std::string text;
};

std::string by_file(const RecordedTrace& trace) { return "'" + trace.file + "'"; }

Status check(const std::vector<RecordedTrace>& traces) {
  std::map<NodeId, const RecordedTrace*> nodes;
  for (const RecordedTrace& trace : traces) {
    if (trace.source != RecordedTrace::Source::node)
      return bad_input(by_file(trace) + " is on one clock already; merge takes traces of nodes");
    const auto [place, is_new] = nodes.try_emplace(trace.node, &trace);
    if (!is_new)
      return bad_input(by_file(*place->second) + " and " + by_file(trace) + " are both of node " +
                       std::to_string(trace.node.value));
  }
  return success();
}

Json header_of(const std::vector<RecordedTrace>& traces, const std::vector<NodeClockFit>& clocks,
               const Json& first) {
  Json header = first;
  Json& args = header["args"];
  args["source"] = "merged";
  args.erase("node");
  const auto first_that_says = [&](std::string RecordedTrace::*field) {
    const auto place =
        std::ranges::find_if(traces, [&](const auto& trace) { return !(trace.*field).empty(); });
    return place == traces.end() ? std::string() : (*place).*field;
  };
  args["model"] = first_that_says(&RecordedTrace::model);
  args["cluster"] = first_that_says(&RecordedTrace::cluster);
  args["clocks"] = Json::array();
  for (const NodeClockFit& clock : clocks)
    args["clocks"].push_back({{"node", clock.node.value},
                              {"offset_us", clock.offset_ns / 1e3},
                              {"drift_ppm", clock.drift * 1e6},
                              {"error_us", clock.error_ns / 1e3}});
  return header;
}

// Appends the events of a file, moved to the reference's clock. The file was read before.
Status append_lines(const RecordedTrace& trace, const NodeClockFit& clock, Json& header,
                    std::vector<Line>& lines) {
  std::ifstream in(trace.file, std::ios::binary);
  TraceLines events(in, trace.file, TraceLimits{}.line_bytes);
  for (bool is_header = true;; is_header = false) {
    auto next = events.next();
    if (!next) return next.failure();
    if (!*next) return success();
    Json& event = **next;
    if (is_header) {
      if (header.is_null()) header = std::move(event);
      continue;
    }
    Line line{.at_ns = INT64_MIN, .text = {}};
    if (event.contains("ts") && event["ts"].is_number() && event["ph"] != "M") {
      const double local = event["ts"].get<double>();
      const Time at = clock.on_reference(Time{} + Duration(std::llround(local * 1e3)));
      line.at_ns = at.time_since_epoch().count();
      event["ts"] = static_cast<double>(line.at_ns) / 1e3;
    }
    line.text = event.dump(-1, ' ', false, Json::error_handler_t::replace);
    lines.push_back(std::move(line));
  }
}

}  // namespace

Result<MergedTraces> merge_traces(const std::vector<std::string>& paths) {
  assert(!paths.empty());
  std::vector<RecordedTrace> traces;
  for (const std::string& path : paths) {
    auto trace = read_trace_file(path);
    if (!trace) return trace.failure();
    traces.push_back(std::move(*trace));
  }
  if (const Status fits = check(traces); !fits) return fits.failure();
  auto clocks = align_clocks(traces);
  if (!clocks) return clocks.failure();
  Json header;
  std::vector<Line> lines;
  for (size_t i = 0; i < traces.size(); ++i)
    if (const Status read = append_lines(traces[i], (*clocks)[i], header, lines); !read)
      return read.failure();
  std::ranges::stable_sort(lines, {}, &Line::at_ns);
  MergedTraces merged{.text = "[\n", .clocks = std::move(*clocks)};
  merged.text +=
      header_of(traces, merged.clocks, header).dump(-1, ' ', false, Json::error_handler_t::replace);
  for (const Line& line : lines) merged.text.append(",\n").append(line.text);
  merged.text += TracePrinter::end();
  return merged;
}

std::string clocks_text(const std::vector<NodeClockFit>& clocks) {
  std::string text = " node   its clock is ahead       it gains      error at most   through\n";
  for (const NodeClockFit& clock : clocks) {
    char line[160];
    std::snprintf(line, sizeof line, "%5u  %16.3f ms  %9.2f ppm  %13.3f ms  %s\n", clock.node.value,
                  clock.offset_ns / 1e6, clock.drift * 1e6, clock.error_ns / 1e6,
                  clock.through == clock.node
                      ? "it is the reference"
                      : ("node " + std::to_string(clock.through.value)).c_str());
    text += line;
  }
  return text;
}

}  // namespace shingle
