#include "apps/run/results.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "apps/run/model_facts.hpp"

namespace shingle {
namespace {

using Json = nlohmann::ordered_json;

double rounded(double value, double places) { return std::round(value * places) / places; }

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json json_of(const FurtherSummary& further, bool has_deadline) {
  Json json{{"every", further.every}, {"frames", further.frames}};
  json["identical"] =
      further.compared > 0 ? Json(further.identical == further.compared) : Json(nullptr);
  json["tiles_per_node"] = further.tiles_per_node;
  json["new_plans"] = further.switches;
  if (has_deadline) json["late"] = further.late;
  if (further.not_compared() > 0) json["not_compared"] = further.not_compared();
  return json;
}

std::string text_of(const FurtherSummary& further) {
  std::string text = further.name + ": " + std::to_string(further.frames) +
                     (further.frames == 1 ? " frame" : " frames") + ", one in " +
                     std::to_string(further.every);
  if (further.late > 0) text += ", " + std::to_string(further.late) + " late";
  if (further.compared > 0)
    text += ", identical to one machine: " + std::to_string(further.identical) + " of " +
            std::to_string(further.compared);
  if (further.not_compared() > 0)
    text += ", not compared: " + std::to_string(further.not_compared());
  return text + "\n";
}

std::string text_of(const std::optional<Latency>& latency,
                    const std::optional<SliceSummary>& slices,
                    const std::optional<ShedSummary>& shed) {
  std::string text;
  char line[200];
  if (latency) {
    std::snprintf(line, sizeof line, "latency: median %.0f ms, p95 %.0f ms\n", latency->median_ms,
                  latency->p95_ms);
    text += line;
  }
  if (slices) {
    std::snprintf(line, sizeof line, "slices: %llu of %llu of a full cover (%.1f %%)\n",
                  static_cast<unsigned long long>(slices->computed),
                  static_cast<unsigned long long>(slices->of_full_cover), 100.0 * slices->share());
    text += line;
  }
  if (shed) {
    std::snprintf(
        line, sizeof line, "left out to keep up: %llu slices, %llu road masks, %llu pictures\n",
        static_cast<unsigned long long>(shed->slices), static_cast<unsigned long long>(shed->masks),
        static_cast<unsigned long long>(shed->pictures));
    text += line;
  }
  return text;
}

std::string node_row(const Tally& tally, size_t member) {
  int64_t all = 0;
  for (const int64_t macs : tally.macs()) all += macs;
  char row[160];
  std::snprintf(
      row, sizeof row, "  node %-4u %7llu tiles  %5.1f %% of the MACs  %6llu thefts\n",
      tally.members()[member].value, static_cast<unsigned long long>(tally.tiles()[member]),
      all == 0 ? 0.0 : 100.0 * static_cast<double>(tally.macs()[member]) / static_cast<double>(all),
      static_cast<unsigned long long>(tally.thefts()[member]));
  return row;
}

}  // namespace

std::optional<std::string> Summary::always_late() const {
  if (late > 0 && in_time() == 0) return "";
  for (const FurtherSummary& each : further)
    if (each.late > 0 && each.late == each.frames) return each.name;
  return std::nullopt;
}

std::optional<Latency> latency_of(std::vector<double> milliseconds) {
  if (milliseconds.empty()) return std::nullopt;
  std::ranges::sort(milliseconds);
  const auto at = [&](double share) {
    const double last = static_cast<double>(milliseconds.size() - 1);
    return milliseconds[static_cast<size_t>(std::lround(share * last))];
  };
  return Latency{.median_ms = at(0.5), .p95_ms = at(0.95)};
}

std::string summary_json(const Summary& summary, const Tally& tally) {
  std::string lines;
  for (size_t i = 0; i < tally.members().size(); ++i)
    lines += line_of({{"node", tally.members()[i].value},
                      {"tiles", tally.tiles()[i]},
                      {"thefts", tally.thefts()[i]},
                      {"macs", tally.macs()[i]}});
  if (summary.dropped > 0) lines += line_of({{"dropped", summary.dropped}});
  Json json{{"nodes", tally.members().size()}, {"frames", summary.frames}};
  json["identical"] = summary.compared > 0 ? Json(summary.all_identical()) : Json(nullptr);
  json["fps"] = rounded(summary.frames_per_second(), 1000.0);
  json["tiles_per_node"] = tally.tiles();
  json["thefts"] = tally.all_thefts();
  json["wire_bytes_per_frame"] = summary.wire_bytes_per_frame;
  json["new_plans"] = summary.switches;
  if (summary.deadline_seconds) json["late"] = summary.late;
  if (summary.audits) {
    json["audited"] = summary.audits->tiles;
    json["different"] = summary.audits->different;
    json["distrusted"] = Json::array();
    for (const NodeId node : summary.audits->distrusted) json["distrusted"].push_back(node.value);
  }
  if (!summary.left_out.empty()) json["left_out"] = summary.left_out;
  if (summary.not_compared() > 0) json["not_compared"] = summary.not_compared();
  if (summary.latency)
    json["latency_ms"] = {{"median", rounded(summary.latency->median_ms, 100.0)},
                          {"p95", rounded(summary.latency->p95_ms, 100.0)}};
  if (summary.slices)
    json["slices"] = {{"computed", summary.slices->computed},
                      {"full_cover", summary.slices->of_full_cover},
                      {"share", rounded(summary.slices->share(), 1e4)}};
  if (summary.shed)
    json["shed"] = {{"slices", summary.shed->slices},
                    {"masks", summary.shed->masks},
                    {"pictures", summary.shed->pictures},
                    {"level", summary.shed->highest_level}};
  for (const SummaryFigure& each : summary.figures) json[each.key] = each.value;
  for (const FurtherSummary& each : summary.further)
    json["models"][each.name] = json_of(each, summary.deadline_seconds.has_value());
  return lines + line_of(json);
}

std::string summary_text(const Summary& summary, const Tally& tally) {
  char head[160];
  std::snprintf(head, sizeof head,
                "%llu frame%s in %.1f s: %.2f frames/s, %s per frame on the wire\n",
                static_cast<unsigned long long>(summary.frames), summary.frames == 1 ? "" : "s",
                summary.seconds, summary.frames_per_second(),
                (with_unit(static_cast<double>(summary.wire_bytes_per_frame)) + "B").c_str());
  std::string text = head;
  for (size_t i = 0; i < tally.members().size(); ++i) text += node_row(tally, i);
  if (summary.dropped > 0)
    text += "dropped: " + std::to_string(summary.dropped) + " frames of the live source\n";
  if (summary.deadline_seconds)
    text += "late: " + std::to_string(summary.late) + " of " + std::to_string(summary.frames) +
            " frames missed their deadline\n";
  if (summary.switches > 0)
    text += "planned anew as nodes' speeds changed: " + std::to_string(summary.switches) + "x\n";
  if (summary.audits)
    text += "audited: " + std::to_string(summary.audits->tiles) + " tiles, " +
            std::to_string(summary.audits->different) + " computed differently, " +
            std::to_string(summary.audits->distrusted.size()) + " nodes excluded\n";
  for (const FurtherSummary& each : summary.further) text += text_of(each);
  text += text_of(summary.latency, summary.slices, summary.shed);
  for (const SummaryFigure& each : summary.figures) text += each.line;
  if (!summary.out.empty()) text += "written: " + summary.out + "\n";
  if (summary.compared > 0)
    text += std::string("identical to one machine: ") + (summary.all_identical() ? "yes" : "no") +
            " (" + std::to_string(summary.identical) + " of " + std::to_string(summary.compared) +
            " frames)\n";
  if (summary.not_compared() > 0)
    text += "not compared with one machine: " + std::to_string(summary.not_compared()) +
            " frames, because the run ended before\n";
  return text;
}

}  // namespace shingle
