#include "apps/shingle/plan_report.hpp"

#include <algorithm>
#include <cstdio>

#include "apps/run/choose_plan.hpp"
#include "partition/plan/plan_summary.hpp"

namespace shingle {
namespace {

using Json = nlohmann::ordered_json;

template <class... Values>
std::string text(const char* format, Values... values) {
  char line[256];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

double milliseconds(Duration duration) { return in_nanoseconds(duration) / 1e6; }
double mebibytes(int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }
double per_second(Duration period) { return 1e9 / in_nanoseconds(std::max(Duration(1), period)); }

std::string node_name(NodeId id) {
  return id.value == UINT32_MAX ? "the owner" : "node " + std::to_string(id.value);
}

// Halos and rounding to granules both count as redundant: MACs over those of the layers.
double redundancy(const Model& model, int64_t macs) {
  const auto needed = static_cast<double>(std::max<int64_t>(1, total_macs(model)));
  return static_cast<double>(macs) / needed - 1.0;
}

int64_t macs_of(const Timeline& line) {
  int64_t macs = 0;
  for (const NodeLoad& node : line.nodes) macs += node.macs;
  return macs;
}

int64_t fullest(const Timeline& line) {
  int64_t most = 0;
  for (const NodeLoad& node : line.nodes) most = std::max(most, node.peak_bytes);
  return most;
}

int32_t round_frames(const Rotation& rotation) {
  int32_t frames = 0;
  for (const Turn& turn : rotation) frames += turn.share;
  return frames;
}

// "6 of 11 frames: 4 blocks, 9 tiles on nodes 0 3"; a single plan computes all frames.
std::string turn_line(const PlanReport& report, const Turn& turn) {
  const PlanSummary summary = summarize(turn.plan, report.model);
  std::string out = text("%d of %d frames: %d blocks, %d tiles on nodes", turn.share,
                         round_frames(report.found.rotation), summary.blocks, summary.tiles);
  for (const NodeId node : homes(turn.plan)) out.append(" ").append(std::to_string(node.value));
  return out;
}

std::string headline(const PlanReport& report) {
  const FoundRotation& found = report.found;
  std::string out =
      text("goal %s: chosen among %d simulated plans\n", name_of(report.goal.kind), found.trials);
  for (const Turn& turn : found.rotation)
    out.append("  ").append(turn_line(report, turn)).append("\n");
  out += text("  one frame      %10.2f ms\n", milliseconds(found.line.latency));
  out += text("  a stream       %10.3f frames/s with %d open, each %.2f ms\n",
              per_second(found.stream.period), report.goal.open_frames,
              milliseconds(found.stream.typical_latency));
  out += text("  on the wires   %10.2f MiB a frame\n", mebibytes(found.line.wire_bytes));
  out += text("  redundant work %10.2f %%, rounding to granules included\n",
              100.0 * redundancy(report.model, macs_of(found.line)));
  out += text("  energy         %10.2f J a frame\n", found.line.energy_joules);
  if (report.goal.deadline > Duration::zero()) {
    const bool met = found.line.latency <= report.goal.deadline;
    out += text("  deadline       %10.2f ms: %s\n", milliseconds(report.goal.deadline),
                met ? "met" : "missed by every plan that was tried");
  }
  return out;
}

std::string node_table(const PlanReport& report) {
  const Timeline& line = report.found.line;
  std::string out =
      "\n  node       busy ms    of the frame   weights MiB   buffers   maps    rest   peak MiB   "
      "cap "
      "MiB\n";
  for (size_t i = 0; i < line.nodes.size(); ++i) {
    const NodeLoad& load = line.nodes[i];
    const NodeLoad& most = report.found.stream.nodes[i];
    const int64_t cap = report.cluster.nodes[i].memory_bytes;
    out += text(
        "  %-8u %9.2f %12.1f %% %13.2f %9.2f %6.2f %7.2f %10.2f   %s\n", load.node.value,
        milliseconds(load.busy),
        100.0 * in_nanoseconds(load.busy) / in_nanoseconds(std::max(Duration(1), line.latency)),
        mebibytes(most.weight_bytes), mebibytes(most.buffer_bytes),
        mebibytes(most.peak_bytes - most.weight_bytes - most.buffer_bytes - most.other_bytes),
        mebibytes(most.other_bytes), mebibytes(most.peak_bytes),
        cap > 0 ? text("%.2f", mebibytes(cap)).c_str() : "none");
  }
  return out;
}

std::string link_table(const PlanReport& report) {
  if (report.found.line.links.empty()) return "";
  std::string out = "\n  link                        KiB a frame\n";
  for (const LinkLoad& link : report.found.line.links) {
    const std::string ends = node_name(link.from) + " -> " + node_name(link.to);
    out += text("  %-26s %12.1f\n", ends.c_str(), static_cast<double>(link.bytes) / 1024.0);
  }
  return out;
}

// What the goal asks for, as a number and in words.
double asked(const Goal& goal, const Timeline& line, const Timeline& stream) {
  switch (goal.kind) {
    case Goal::Kind::latency:
      return milliseconds(line.latency);
    case Goal::Kind::throughput:
      return milliseconds(stream.period);
    case Goal::Kind::energy:
      return line.energy_joules;
    case Goal::Kind::memory:
      return mebibytes(fullest(stream));
  }
  return 0.0;
}

const char* measure_of(Goal::Kind kind) {
  static constexpr const char* words[] = {"as long for one frame", "the time between frames",
                                          "the energy", "the memory of the fullest node"};
  return words[static_cast<size_t>(kind)];
}

// Why a rival is not taken that is at least as good by the goal's figure.
std::string but(const PlanReport& report, const Rival& rival, bool better) {
  const Duration deadline = report.goal.deadline;
  if (deadline > Duration::zero() && rival.line.latency > deadline)
    return ", but misses the deadline";
  if (rival.open_frames > report.goal.open_frames)
    return text(", but with %d frames open where %d were asked for", rival.open_frames,
                report.goal.open_frames);
  if (better) return ": better, and not found by the search";
  const bool leaner = rival.line.wire_bytes <= report.found.line.wire_bytes &&
                      rival.macs <= macs_of(report.found.line);
  return leaner ? ", and as lean" : ", but sends or computes more";
}

std::string why_lost(const PlanReport& report, const Rival& rival) {
  if (!rival.fits)
    return text("needs %.1f MiB on one node, above its cap", mebibytes(fullest(rival.stream)));
  const double chosen = asked(report.goal, report.found.line, report.found.stream);
  const double factor = asked(report.goal, rival.line, rival.stream) / std::max(chosen, 1e-12);
  const bool worse = factor >= 1.005, better = factor <= 0.995;
  std::string out = worse || better ? text("%.2f times %s", factor, measure_of(report.goal.kind))
                                    : std::string("as good");
  if (!worse) out += but(report, rival, better);
  const double extra = redundancy(report.model, rival.macs);
  if (extra > 0.02) out += text("; %.0f %% redundant work", 100.0 * extra);
  if (rival.line.wire_bytes > report.found.line.wire_bytes * 11 / 10) {
    out += text("; %.2f MiB on the wires", mebibytes(rival.line.wire_bytes));
  }
  return out;
}

std::string rival_table(const PlanReport& report) {
  std::string out =
      "\n  instead of it                            one frame ms   frames/s   why not\n";
  for (const Rival& rival : report.rivals) {
    out += text("  %-40s %12.2f %10.3f   ", rival.name.c_str(), milliseconds(rival.line.latency),
                per_second(rival.stream.period)) +
           why_lost(report, rival) + "\n";
  }
  return out;
}

Json node_json(const PlanReport& report, size_t i) {
  const NodeLoad &load = report.found.line.nodes[i], &most = report.found.stream.nodes[i];
  return {{"node", load.node.value},
          {"busy_ms", milliseconds(load.busy)},
          {"macs", load.macs},
          {"sent_bytes", load.sent_bytes},
          {"received_bytes", load.received_bytes},
          {"weight_bytes", most.weight_bytes},
          {"buffer_bytes", most.buffer_bytes},
          {"other_bytes", most.other_bytes},
          {"peak_bytes", most.peak_bytes}};
}

Json rival_json(const PlanReport& report, const Rival& rival) {
  return {{"name", rival.name},
          {"latency_ms", milliseconds(rival.line.latency)},
          {"frames_per_second", per_second(rival.stream.period)},
          {"wire_bytes", rival.line.wire_bytes},
          {"redundancy", redundancy(report.model, rival.macs)},
          {"peak_bytes", fullest(rival.stream)},
          {"fits", rival.fits},
          {"why_not", why_lost(report, rival)}};
}

}  // namespace

std::string explain(const PlanReport& report) {
  return headline(report) + node_table(report) + link_table(report) + rival_table(report);
}

std::string explain(const FtpRun& run, size_t nodes) {
  return text("DeepThings on %zu nodes and a gateway, simulated\n", nodes) +
         text("  one frame      %10.2f ms\n", milliseconds(run.latency)) +
         text("  on the wires   %10.2f MiB a frame: input %.2f, shared %.2f, output %.2f\n",
              mebibytes(run.wire_bytes()), mebibytes(run.input_bytes), mebibytes(run.shared_bytes),
              mebibytes(run.output_bytes)) +
         text("  redundant work %10.2f %% of the block, and %d tiles computed alone\n",
              100.0 * run.redundancy, run.rolled_back);
}

Json report_json(const FtpRun& run) {
  return {{"latency_ms", milliseconds(run.latency)}, {"wire_bytes", run.wire_bytes()},
          {"input_bytes", run.input_bytes},          {"shared_bytes", run.shared_bytes},
          {"output_bytes", run.output_bytes},        {"block_ms", milliseconds(run.block_latency)},
          {"rolled_back", run.rolled_back},          {"redundancy", run.redundancy}};
}

Json report_json(const PlanReport& report) {
  const FoundRotation& found = report.found;
  Json json{{"goal", name_of(report.goal.kind)},
            {"latency_ms", milliseconds(found.line.latency)},
            {"frames_per_second", per_second(found.stream.period)},
            {"open_frames", report.goal.open_frames},
            {"stream_latency_ms", milliseconds(found.stream.typical_latency)},
            {"wire_bytes", found.line.wire_bytes},
            {"redundancy", redundancy(report.model, macs_of(found.line))},
            {"energy_joules", found.line.energy_joules},
            {"peak_bytes", fullest(found.stream)},
            {"plans_simulated", found.trials}};
  json["nodes"] = Json::array();
  for (size_t i = 0; i < found.line.nodes.size(); ++i)
    json["nodes"].push_back(node_json(report, i));
  json["links"] = Json::array();
  for (const LinkLoad& link : found.line.links) {
    const auto end = [](NodeId id) {
      return id.value == UINT32_MAX ? Json("owner") : Json(id.value);
    };
    json["links"].push_back(
        {{"from", end(link.from)}, {"to", end(link.to)}, {"bytes", link.bytes}});
  }
  json["rivals"] = Json::array();
  for (const Rival& rival : report.rivals) json["rivals"].push_back(rival_json(report, rival));
  return json;
}

}  // namespace shingle
