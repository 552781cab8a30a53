// The figures that `bench plan` measures for each case, and how it prints them.
#pragma once

#include <nlohmann/json.hpp>

#include "bench/ftp_check.hpp"
#include "bench/plan_cases.hpp"
#include "partition/plan/plan_summary.hpp"
#include "sim/rehearsal.hpp"

namespace shingle::bench {

struct PlanFigures {
  double predicted_s = 0.0, virtual_s = 0.0;  // one frame, or the time between frames
  double one_node_s = 0.0;                    // virtual; the owner computes everything
  double bound_s = 0.0;                       // all MACs, no wire, nobody ever waits
  double virtual_median_s = 0.0;              // of a stream's frames
  double redundancy = 0.0, mebibytes = 0.0;
  double peak_mebibytes = 0.0;  // of the fullest node: canvases and buffers
  double canvas_error = 0.0;    // the worst node's, predicted against virtual
  PlanHash plan;

  double error() const { return predicted_s / virtual_s - 1.0; }
  double speedup() const { return one_node_s / virtual_s; }
  double of_the_sum() const { return bound_s / virtual_s; }
};

inline double in_seconds(Duration duration) { return 1e-9 * in_nanoseconds(duration); }
inline double in_mebibytes(int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

inline double compute_bound_s(const Model& model, const Cluster& cluster) {
  double per_second = 0.0;
  const TileProgram whole = whole_program(model, WinogradUse::never);
  for (const ClusterNode& node : cluster.nodes)
    per_second += 1e9 / work_of(profile_of(node), model, whole).compute_ns;
  return 1.0 / per_second;
}

inline int64_t all_macs(const Timeline& line) {
  int64_t macs = 0;
  for (const NodeLoad& node : line.nodes) macs += node.macs;
  return macs;
}

inline double canvas_error(const Model& model, const FoundRotation& found,
                           const sim::Rehearsed& real, size_t owner) {
  double worst = 0.0;
  for (size_t i = 0; i < real.canvas_bytes.size(); ++i) {
    int64_t held = real.canvas_bytes[i];
    for (TensorId input : model.inputs)
      if (i == owner) held += model.at(input).shape.elements() * bytes_of(model.at(input).type);
    const auto predicted = static_cast<double>(found.line.nodes[i].canvas_bytes);
    if (held > 0) worst = std::max(worst, std::abs(predicted / static_cast<double>(held) - 1.0));
  }
  return worst;
}

inline PlanFigures figures_of(const PlanCase& task) {
  const Model model = picture_model(task.network, task.size);
  const Cluster cluster = virtual_boards(task.cluster, task.nodes);
  Goal goal = task.goal;
  const NodeId owner = cluster.nodes[0].id;
  goal.owner = owner;
  PlanFigures figures;
  const FoundRotation found = must(find_rotation(model, cluster, goal));
  const bool stream = goal.kind == Goal::Kind::throughput;
  const size_t round = round_of(found.rotation).size();
  const sim::Rehearsed alone =
      must(sim::rehearse(model, cluster, found.rotation, owner, {static_cast<int32_t>(round), 1}));
  const sim::Rehearsed real =
      stream ? must(sim::rehearse(
                   model, cluster, found.rotation, owner,
                   {std::max(30, steady_stream(goal.open_frames, round).frames), goal.open_frames}))
             : alone;
  const Plan single = single_plan(model, owner, WinogradUse::never);
  figures.one_node_s =
      in_seconds(must(sim::rehearse(model, cluster, {{single}}, owner, {})).latency);
  figures.bound_s = compute_bound_s(model, cluster);
  figures.predicted_s = in_seconds(stream ? found.stream.period : found.line.latency);
  figures.virtual_s = in_seconds(stream ? real.period : real.latency);
  figures.virtual_median_s = in_seconds(real.typical_latency);
  figures.redundancy =
      static_cast<double>(all_macs(found.line)) / static_cast<double>(total_macs(model)) - 1.0;
  figures.mebibytes = in_mebibytes(real.payload_bytes);
  for (const NodeLoad& node : found.line.nodes)
    figures.peak_mebibytes =
        std::max(figures.peak_mebibytes, in_mebibytes(node.peak_bytes - node.weight_bytes));
  figures.canvas_error = canvas_error(model, found, alone, 0);
  figures.plan = hash_of(found.rotation.front().plan);
  return figures;
}

// The time to plan YOLOv2 on this number of boards like those of pi3x6: the median of three
// searches.
inline double plan_milliseconds(uint32_t nodes) {
  const Model model = picture_model("yolov2", 608);
  Cluster cluster = virtual_boards("pi3x6", 1);
  for (uint32_t i = 1; i < nodes; ++i) {
    cluster.nodes.push_back(cluster.nodes[0]);
    cluster.nodes.back().id = NodeId{i};
  }
  std::vector<double> times;
  for (int i = 0; i < 3; ++i)
    times.push_back(1e3 * seconds([&] { must(find_plan(model, cluster, {.owner = NodeId{0}})); }));
  return median(times);
}

// Plans layers 0-15 with this many MiB on each node, weights included: the peak, or why it fails.
inline Result<double> capped_mebibytes(int64_t mebibytes) {
  const Model model = picture_model("yolov2_front", 608);
  Cluster cluster = virtual_boards("pi3x6", 6);
  cap_memory(cluster, mebibytes << 20);
  const Result<Found> found = find_plan(model, cluster, {.owner = NodeId{0}, .open_frames = 1});
  if (!found) return Error{found.error()};
  double most = 0.0;
  for (const NodeLoad& node : found->stream.nodes)
    most = std::max(most, in_mebibytes(node.peak_bytes));
  return most;
}

inline bool reached(const PlanCase& task, const PlanFigures& figures) {
  const double got = task.of_the_sum ? figures.of_the_sum() : figures.speedup();
  return got >= task.wanted && std::abs(figures.error()) <= 0.10 && figures.canvas_error <= 0.05;
}

inline void print_row(const PlanCase& task, const PlanFigures& figures) {
  std::printf("%-13s %9.3f %9.3f %6.1f%% %8.3f %8.3f %7.2f %6.3f %6.2f %6.2f%% %6.2f %7.2f  %s%s\n",
              task.name.c_str(), figures.predicted_s, figures.virtual_s, 100 * figures.error(),
              figures.one_node_s, figures.bound_s, figures.speedup(), figures.of_the_sum(),
              task.wanted, 100 * figures.redundancy, figures.mebibytes, figures.peak_mebibytes,
              to_string(figures.plan).substr(0, 8).c_str(),
              reached(task, figures) ? "" : "  MISSED");
  std::fflush(stdout);
}

inline nlohmann::ordered_json json_of(const PlanFigures& figures) {
  return {{"predicted_s", figures.predicted_s},
          {"virtual_s", figures.virtual_s},
          {"one_node_s", figures.one_node_s},
          {"bound_s", figures.bound_s},
          {"speedup", figures.speedup()},
          {"of_the_sum", figures.of_the_sum()},
          {"redundancy", figures.redundancy},
          {"mib_per_frame", figures.mebibytes},
          {"peak_mib", figures.peak_mebibytes},
          {"predicted_error", figures.error()},
          {"predicted_memory_error", figures.canvas_error},
          {"median_latency_s", figures.virtual_median_s},
          {"plan", to_string(figures.plan)}};
}

inline bool report_cases(nlohmann::ordered_json& json) {
  std::printf(
      "of sum: of what all nodes could do together; MiB: on the wires, then canvases and "
      "buffers of the fullest node\n%-13s %9s %9s %7s %8s %8s %7s %6s %6s %7s %6s %7s  %s\n",
      "case", "predicted", "virtual s", "error", "one node", "bound s", "speedup", "of sum",
      "wanted", "redund.", "MiB", "MiB", "plan");
  bool all = true;
  for (const PlanCase& task : plan_cases()) {
    const PlanFigures figures = figures_of(task);
    print_row(task, figures);
    json["cases"][task.name] = json_of(figures);
    all = reached(task, figures) && all;
  }
  return all;
}

inline bool report_caps(nlohmann::ordered_json& json) {
  bool all = true;
  for (int64_t cap : {16, 24, 32, 48, 64}) {
    const Result<double> peak = capped_mebibytes(cap);
    json["caps"][std::to_string(cap)] = peak.ok();
    std::printf("cap %2lld MiB  %s\n", static_cast<long long>(cap),
                peak ? ("fits, at most " + std::to_string(*peak)).c_str() : peak.error().c_str());
    all = all && (peak.ok() || cap < 24);
  }
  return all;
}

inline bool report_ftp_check(nlohmann::ordered_json& json) {
  const FtpCheck check = ftp_check();
  std::printf("ftp_check: %.1f %% redundant (paper 27.6), %.2f MiB (12.6), %.2f s (7.0)%s\n",
              100 * check.redundancy, check.mebibytes, check.seconds,
              check.good() ? "" : "  MISSED");
  json["ftp_check"] = json_of(check);
  return check.good();
}

// The planner's latency divided by that of DeepThings' scheme on the same boards, without
// overheads. DeepThings' gateway is a seventh board.
inline double vs_ftp(const std::string& network, double virtual_s) {
  const Cluster cluster = virtual_boards("pi3x6", 6);
  ClusterNode gateway = cluster.nodes[0];
  gateway.id = NodeId{6};
  const Model model = picture_model(network, 608);
  const FtpRun run =
      must(simulate_ftp(model, cluster, gateway, must(parse_ftp("ftp:5x5:16+reuse"))));
  const double ftp_s = in_seconds(run.latency);
  std::printf(
      "%s: FTP takes %.3f s on the same boards and a gateway; the planner's plan %.2f of it\n",
      network.c_str(), ftp_s, virtual_s / ftp_s);
  return virtual_s / ftp_s;
}

inline bool report_ftp(nlohmann::ordered_json& json) {
  const bool checked = report_ftp_check(json);
  const auto took = [&](const char* name) {
    return json["cases"][name]["virtual_s"].get<double>();
  };
  json["vs_ftp_front"] = vs_ftp("yolov2_front", took("front"));
  json["vs_ftp_whole"] = vs_ftp("yolov2", took("whole"));
  return checked && json["vs_ftp_front"] <= 0.45 && json["vs_ftp_whole"] <= 0.3;
}

inline int plan_report(bool as_json) {
  nlohmann::ordered_json json;
  bool all = report_cases(json);
  all = report_caps(json) && all;
  all = report_ftp(json) && all;
  for (uint32_t nodes : {8U, 64U}) {
    const double ms = plan_milliseconds(nodes);
    std::printf("planning YOLOv2 on %2u nodes: %.0f ms\n", nodes, ms);
    json["plan_ms_" + std::to_string(nodes)] = ms;
    all = all && ms < (nodes == 8 ? 1000.0 : 5000.0);
  }
  if (as_json) std::printf("%s\n", json.dump().c_str());
  return all ? 0 : 1;
}

}  // namespace shingle::bench
