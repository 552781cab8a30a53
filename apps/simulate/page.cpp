#include "apps/simulate/page.hpp"

#include <cstdio>

#include "apps/cli/command_line.hpp"
#include "apps/simulate/drawing.hpp"
#include "apps/simulate/page_plots.hpp"
#include "apps/simulate/summary_text.hpp"

namespace shingle {
namespace {

using namespace sim;

template <class... Values>
std::string text(const char* format, Values... values) {
  char line[256];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

// "12.3 <i>± 0.4</i>".
std::string figure(const Interval& interval, double factor, int digits, bool drawn) {
  std::string out = text("%.*f", digits, interval.mean * factor);
  if (drawn && interval.values > 1)
    out += " <i>\xC2\xB1 " + text("%.*f", digits, interval.half_width * factor) + "</i>";
  return out;
}

std::string card(const std::string& value, const std::string& name) {
  return "<div class=\"card\"><b>" + value + "</b><span>" + name + "</span></div>\n";
}

std::string section(const std::string& title, const std::string& note, const std::string& body) {
  if (body.empty()) return "";
  return "<section><h2>" + title + "</h2>" +
         (note.empty() ? "" : "<p class=\"note\">" + note + "</p>") + body + "</section>\n";
}

std::string cards(const Summary& summary) {
  const bool drawn = !summary.drawn.empty();
  std::string out;
  for (size_t i = 0; i < summary.sources.size(); ++i) {
    const SourceSummary& source = summary.sources[i];
    const std::string of =
        summary.sources.size() > 1 ? ", source " + std::to_string(i + 1) : std::string();
    out += card(figure(source.frames_per_second, 1.0, 2, drawn), "frames a second" + of);
    if (source.latencies_ms.empty()) continue;
    out += card(figure(source.p50_ms, 1.0, 0, drawn) + " <i>ms</i>", "median latency" + of);
    if (source.p99_ms_together)
      out += card(text("%.0f", *source.p99_ms_together) + " <i>ms</i>", "p99 of all runs" + of);
    out += card(text("%.1f", 100.0 * (source.dropped.mean + source.late.mean + source.lost.mean)) +
                    " <i>%</i>",
                "dropped, late or lost" + of);
  }
  if (summary.sources.empty()) return "";
  if (!summary.nodes.empty())
    out += card(figure(summary.watts, 1.0, 1, drawn) + " <i>W</i>", "all nodes together");
  if (summary.joules_per_frame)
    out += card(figure(*summary.joules_per_frame, 1.0, 2, drawn) + " <i>J</i>", "for each frame");
  return "<div class=\"cards\">\n" + out + "</div>\n";
}

std::string cause_legend(const Summary& summary) {
  std::string out = "<div class=\"legend\">";
  for (size_t i = 0; i < causes; ++i) {
    double most = 0.0;
    for (const SourceSummary& source : summary.sources)
      most = std::max(most, source.cause_ms[i].mean);
    if (most < 0.05) continue;
    const auto cause = static_cast<Cause>(i);
    out += std::string("<span style=\"--c:") + colour_of(cause) + "\">" + name_of(cause) + ": " +
           meaning_of(cause) + text(", %.1f ms", most) + "</span>";
  }
  return out + "</div>";
}

std::string latency_sections(const Summary& summary) {
  std::string out;
  for (size_t i = 0; i < summary.sources.size(); ++i)
    out += section("Latency" + (summary.sources.size() > 1 ? " of source " + std::to_string(i + 1)
                                                           : std::string()),
                   std::to_string(summary.sources[i].latencies_ms.size()) +
                       " frames of all runs, from capture to result",
                   latency_plot(summary.sources[i], i));
  return out;
}

std::string node_table(const Experiment& experiment, const Summary& summary) {
  const bool drawn = !summary.drawn.empty();
  std::string out =
      "<div class=\"wide\"><table><tr><th>node</th><th>busy %</th><th>tiles/s</th><th>stolen %</th>"
      "<th>sent/s</th><th>received/s</th><th>memory</th><th>power W</th></tr>";
  for (size_t i = 0; i < summary.nodes.size(); ++i) {
    const NodeSummary& node = summary.nodes[i];
    const ClusterFileNode& said = experiment.file.cluster.nodes[i];
    const std::string board = said.device ? said.device->name : text("%.3g GFLOP/s", said.gflops);
    out += "<tr><td>" + std::to_string(node.node.value) + " <span class=\"note\">" +
           escaped(said.name + ", " + board) + "</span></td>";
    for (const std::string& cell :
         {figure(node.busy, 100.0, 1, drawn), figure(node.tiles_per_second, 1.0, 1, drawn),
          figure(node.stolen_tiles, 100.0, 1, drawn), short_bytes(node.sent_bytes_per_second.mean),
          short_bytes(node.received_bytes_per_second.mean), short_bytes(node.peak_bytes.mean),
          figure(node.watts, 1.0, 2, drawn)})
      out += "<td>" + cell + "</td>";
    out += "</tr>";
  }
  return out + "</table></div>";
}

std::string flow_table(const Summary& summary) {
  if (summary.flows.empty()) return "";
  std::string out = "<table><tr><th>flow</th><th>bytes</th><th>seconds</th></tr>";
  for (const FlowSummary& flow : summary.flows)
    out += text("<tr><td>%u to %u</td><td>", flow.from.value, flow.to.value) +
           short_bytes(static_cast<double>(flow.bytes)) + "</td><td>" +
           (flow.unfinished < summary.runs ? figure(flow.seconds, 1.0, 4, !summary.drawn.empty())
                                           : std::string("did not end")) +
           "</td></tr>";
  return out + "</table>";
}

std::string list_of(const std::vector<std::string>& sentences) {
  if (sentences.empty()) return "";
  std::string out = "<ul>";
  for (const std::string& sentence : sentences) out += "<li>" + escaped(sentence) + "</li>";
  return out + "</ul>";
}

std::string trust(const Summary& summary) {
  std::string out;
  if (summary.drawn.empty()) {
    out += "<p>Nothing is drawn: every seed gives this run.</p>";
  } else {
    out += "<p>Drawn from the seed:</p>" + list_of(summary.drawn) +
           "<p>\xC2\xB1 is the 95 % interval of the mean over " + std::to_string(summary.runs) +
           " runs (Student's t).</p>";
  }
  for (const KnownError& error : summary.errors)
    out += "<p>The model's own error here: " + escaped(error.quantity) +
           text(" %.1f %%", 100.0 * error.share) + " <span class=\"note\">(" +
           escaped(error.source) + ")</span></p>";
  return out + list_of(summary.warnings);
}

std::string origin(const Provenance& provenance, const std::vector<RunResult>& runs) {
  std::string out = std::string("<p class=\"note\">") + program_version + ", " +
                    escaped(provenance.file) + " <code>" + to_string(provenance.experiment) +
                    "</code>, seeds " + std::to_string(runs.front().seed) + " to " +
                    std::to_string(runs.back().seed) + ".";
  const auto add = [&](const char* what, const auto& list) {
    for (const auto& [name, hash] : list)
      out +=
          std::string(" ") + what + " " + escaped(name) + " <code>" + short_name(hash) + "</code>.";
  };
  add("Model", provenance.models);
  add("Plan of", provenance.plans);
  add("Profile", provenance.profiles);
  return out + "</p>\n";
}

std::string pair_of(const std::string& body) {
  return body.empty() ? "" : "<div class=\"pair\">" + body + "</div>\n";
}

}  // namespace

std::string page_of(const Experiment& experiment, const Provenance& provenance,
                    const std::vector<RunResult>& runs, const Summary& summary) {
  const ExperimentFile& file = experiment.file;
  const std::string title = escaped(file.title.empty() ? provenance.file : file.title);
  std::string out =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<title>" +
      title + "</title><style>" + page_style() + "</style></head>\n<body><main>\n";
  out += "<h1>" + title + "</h1>\n<p class=\"lead\">" + std::to_string(summary.runs) +
         (summary.runs == 1 ? " run of " : " runs of ") +
         short_seconds(in_nanoseconds(file.duration) / 1e9) + " on " +
         std::to_string(file.cluster.nodes.size()) + " nodes, the first " +
         short_seconds(in_nanoseconds(file.warm_up) / 1e9) + " left out. Simulated.</p>\n";
  out += cards(summary);
  out += section("Timeline",
                 "The first moments after the warm-up, one colour for each frame. "
                 "Boxes are tiles (framed: stolen from another node), thin boxes "
                 "bytes on their way to another node.",
                 timeline_plot(experiment, runs.front(), summary));
  out += section("Frames",
                 "Latency of each frame of the first run, by its capture. Red: dropped, "
                 "late or lost.",
                 frames_plot(experiment, runs.front()));
  const std::string causes_picture = causes_plot(summary);
  out += pair_of(
      section("What a frame waits for", "On the path that decides when it is done",
              causes_picture.empty() ? "" : causes_picture + cause_legend(summary)) +
      latency_sections(summary) +
      section("Power", "Grey: idle. Green: what computing adds.", power_plot(experiment, summary)) +
      section("Links", "Payload of the busiest links", links_plot(summary)));
  if (!summary.nodes.empty()) out += section("Nodes", "", node_table(experiment, summary));
  out += section("Flows", "", flow_table(summary));
  out += section("What happened in the first run", "", list_of(summary.events));
  out += section("How far to trust this", "", trust(summary) + origin(provenance, runs));
  return out + "</main></body></html>\n";
}

}  // namespace shingle
