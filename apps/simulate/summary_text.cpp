#include "apps/simulate/summary_text.hpp"

#include <algorithm>
#include <cstdio>

#include "apps/cli/command_line.hpp"
#include "apps/simulate/text_table.hpp"

namespace shingle {
namespace {

using namespace sim;

template <class... Values>
std::string text(const char* format, Values... values) {
  char line[512];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

std::string plural(size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string arrivals_text(const ExperimentSource& source) {
  switch (source.arrivals.kind) {
    case Arrivals::Kind::periodic:
      return text("every %s", short_seconds(1.0 / source.arrivals.per_second).c_str());
    case Arrivals::Kind::poisson:
      return text("at random, %.3g a second", source.arrivals.per_second);
    case Arrivals::Kind::trace:
      return "at the moments in " + source.arrivals.file;
    case Arrivals::Kind::back_to_back:
      break;
  }
  return "one after the other";
}

std::string p99_text(const SourceSummary& source, bool drawn) {
  if (source.p99_ms) return "p99 " + with_interval(*source.p99_ms, 1.0, 1, drawn) + " ms";
  if (source.p99_ms_together)
    return text("p99 %.1f ms (of all runs together)", *source.p99_ms_together);
  return text("p99 needs %zu frames, there are %zu", fewest_for_p99, source.latencies_ms.size());
}

std::string causes_text(const SourceSummary& source) {
  double all = 0.0;
  for (const Interval& cause : source.cause_ms) all += cause.mean;
  if (all <= 0.0) return "";
  std::vector<size_t> order;
  for (size_t i = 0; i < causes; ++i) order.push_back(i);
  std::ranges::stable_sort(
      order, [&](size_t a, size_t b) { return source.cause_ms[a].mean > source.cause_ms[b].mean; });
  std::string line;
  for (const size_t i : order) {
    const double share = source.cause_ms[i].mean / all;
    if (share < 0.005) continue;
    line += (line.empty() ? "" : ", ") +
            text("%s %.0f %%", name_of(static_cast<Cause>(i)), 100.0 * share);
  }
  return line;
}

void add_source(std::string& out, const Experiment& experiment, const Summary& summary,
                size_t index) {
  const SourceSummary& source = summary.sources[index];
  const ExperimentSource& said = experiment.file.sources[index];
  const bool drawn = !summary.drawn.empty();
  out += text("\nsource %zu: model '%s' at node %u, %s\n", index + 1, said.model.c_str(),
              said.owner.value, arrivals_text(said).c_str());
  out += "  frames/s   " + with_interval(source.frames_per_second, 1.0, 3, drawn) + "\n";
  out += "  latency    ";
  out += source.latencies_ms.empty() ? "no frame was delivered\n"
                                     : "p50 " + with_interval(source.p50_ms, 1.0, 1, drawn) +
                                           " ms, " + p99_text(source, drawn) + "\n";
  out += text("  frames     %zu captured: %.2f %% dropped, %.2f %% late, %.2f %% lost\n",
              source.frames, 100.0 * source.dropped.mean, 100.0 * source.late.mean,
              100.0 * source.lost.mean);
  if (const std::string line = causes_text(source); !line.empty())
    out += "  time is    " + line + "\n";
}

std::string node_table(const Summary& summary) {
  const bool drawn = !summary.drawn.empty();
  TextTable table;
  table.add({"node", "busy %", "tiles/s", "stolen %", "sent/s", "received/s", "memory", "power W"});
  for (const NodeSummary& node : summary.nodes)
    table.add({std::to_string(node.node.value), with_interval(node.busy, 100.0, 1, drawn),
               with_interval(node.tiles_per_second, 1.0, 1, drawn),
               with_interval(node.stolen_tiles, 100.0, 1, drawn),
               short_bytes(node.sent_bytes_per_second.mean),
               short_bytes(node.received_bytes_per_second.mean), short_bytes(node.peak_bytes.mean),
               with_interval(node.watts, 1.0, 2, drawn)});
  return table.str();
}

std::string link_table(const Summary& summary) {
  constexpr size_t most = 24;
  const bool drawn = !summary.drawn.empty();
  std::vector<LinkSummary> links = summary.links;
  std::ranges::stable_sort(links, [](const LinkSummary& a, const LinkSummary& b) {
    return a.bytes_per_second.mean > b.bytes_per_second.mean;
  });
  TextTable table;
  table.add({"link", "bytes/s", "busy %"});
  for (const LinkSummary& link : links) {
    if (&link - links.data() == most) break;
    table.add({text("%u to %u", link.from.value, link.to.value),
               short_bytes(link.bytes_per_second.mean), with_interval(link.busy, 100.0, 1, drawn)});
  }
  if (links.empty()) return "";
  return std::string("\n").append(table.str()) +
         (links.size() > most ? text("(and %zu others; --json has all)\n", links.size() - most)
                              : "");
}

std::string wire_table(const Summary& summary) {
  const bool drawn = !summary.drawn.empty();
  TextTable table;
  table.add({"wire", "bytes/s", "busy %"});
  for (const WireSummary& wire : summary.wires)
    table.add({wire.name, short_bytes(wire.bytes_per_second.mean),
               with_interval(wire.busy, 100.0, 1, drawn)});
  return std::string("\n").append(table.str());
}

std::string flow_table(const Summary& summary) {
  if (summary.flows.empty()) return "";
  TextTable table;
  table.add({"flow", "bytes", "seconds", "Mb/s"});
  for (const FlowSummary& flow : summary.flows) {
    const bool ended = flow.unfinished < summary.runs;
    const double mbps = ended ? static_cast<double>(flow.bytes) * 8e-6 / flow.seconds.mean : 0.0;
    table.add({text("%u to %u", flow.from.value, flow.to.value),
               short_bytes(static_cast<double>(flow.bytes)),
               ended ? with_interval(flow.seconds, 1.0, 4, !summary.drawn.empty()) : "did not end",
               ended ? text("%.2f", mbps) : ""});
  }
  return std::string("\n").append(table.str());
}

std::string trust_text(const Summary& summary) {
  std::string out;
  for (const KnownError& error : summary.errors)
    out += text("The model's own error here: %s %.1f %% (%s).\n", error.quantity.c_str(),
                100.0 * error.share, error.source.c_str());
  if (!summary.warnings.empty()) out += "How far to trust this:\n";
  for (const std::string& warning : summary.warnings) out += "  - " + warning + "\n";
  return out;
}

std::string what_is_drawn(const Summary& summary) {
  if (summary.drawn.empty()) return "Nothing is drawn: every seed gives this run.\n";
  std::string list;
  for (const std::string& part : summary.drawn) list += (list.empty() ? "" : ", ") + part;
  return "Drawn from the seed: " + list + ". +/- is the 95 % interval of the mean over " +
         plural(summary.runs, "run") + (summary.runs < 10 ? ", which are few" : "") + ".\n";
}

}  // namespace

std::string short_seconds(double seconds) {
  if (seconds == 0.0) return "0";
  if (seconds >= 1.0) return text("%.3g s", seconds);
  if (seconds >= 1e-3) return text("%.3g ms", seconds * 1e3);
  return text("%.3g us", seconds * 1e6);
}

std::string short_bytes(double bytes) {
  if (bytes >= 1e9) return text("%.2f GB", bytes / 1e9);
  if (bytes >= 1e6) return text("%.2f MB", bytes / 1e6);
  if (bytes >= 1e3) return text("%.1f kB", bytes / 1e3);
  return text("%.0f B", bytes);
}

std::string with_interval(const Interval& interval, double factor, int digits, bool drawn) {
  if (!drawn || interval.values < 2) return text("%.*f", digits, interval.mean * factor);
  return text("%.*f +/- %.*f", digits, interval.mean * factor, digits,
              interval.half_width * factor);
}

std::string origin_text(const Provenance& provenance, const std::vector<RunResult>& runs) {
  std::string out = text("%s, experiment %s, seeds %llu to %llu", program_version,
                         short_name(provenance.experiment).c_str(),
                         static_cast<unsigned long long>(runs.front().seed),
                         static_cast<unsigned long long>(runs.back().seed));
  if (!runs.front().simulator.empty()) out += ", packets by " + runs.front().simulator;
  const auto add = [&](const char* what, const auto& list) {
    for (const auto& [name, hash] : list)
      out += ", " + std::string(what) + name + " " + short_name(hash);
  };
  add("model ", provenance.models);
  add("plan of ", provenance.plans);
  add("profile ", provenance.profiles);
  return out + "\n";
}

std::string run_line(const Experiment& experiment, const RunResult& run) {
  std::string line = "seed " + std::to_string(run.seed) + ":";
  for (size_t i = 0; i < experiment.file.sources.size(); ++i) {
    std::vector<double> latencies;
    for (const FrameOutcome& frame : run.frames)
      if (frame.source == i && frame.fate == Fate::delivered)
        latencies.push_back(in_nanoseconds(frame.latency) / 1e6);
    std::ranges::sort(latencies);
    const double rate =
        static_cast<double>(run.delivered[i]) / (in_nanoseconds(run.measured) / 1e9);
    line += text(" source %zu: %.3f frames/s", i + 1, rate);
    if (!latencies.empty()) line += text(", p50 %.1f ms", quantile(latencies, 0.5));
  }
  return line;
}

std::string summary_text(const Experiment& experiment, const Summary& summary) {
  const ExperimentFile& file = experiment.file;
  std::string out = file.title.empty() ? "" : file.title + "\n";
  out +=
      plural(summary.runs, "run") +
      text(" of %s", short_seconds(in_nanoseconds(file.duration) / 1e9).c_str()) +
      text(", the first %s left out\n", short_seconds(in_nanoseconds(file.warm_up) / 1e9).c_str());
  for (size_t i = 0; i < summary.sources.size(); ++i) add_source(out, experiment, summary, i);
  if (!summary.nodes.empty()) {
    out.append("\n").append(node_table(summary)).append(link_table(summary));
    out.append("\nall nodes   ")
        .append(with_interval(summary.watts, 1.0, 2, !summary.drawn.empty()))
        .append(" W");
    if (summary.joules_per_frame)
      out += ", " + with_interval(*summary.joules_per_frame, 1.0, 2, !summary.drawn.empty()) +
             " J a frame";
    out += "\n";
  }
  if (!summary.wires.empty()) out += wire_table(summary);
  out.append(flow_table(summary))
      .append("\n")
      .append(what_is_drawn(summary))
      .append(trust_text(summary));
  if (!summary.events.empty()) out += "\nIn the first run:\n";
  for (const std::string& event : summary.events) out += "  " + event + "\n";
  return out;
}

}  // namespace shingle
