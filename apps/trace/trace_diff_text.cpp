// How a difference between two traces reads.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "apps/trace/trace_diff.hpp"

namespace shingle {

namespace {

using Json = nlohmann::ordered_json;

template <class... Values>
std::string formatted(const char* format, Values... values) {
  char text[240];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string sentence_of(const Cause& cause) {
  const std::string place = place_of(cause);
  const char* at = place.c_str();
  switch (cause.kind) {
    case Cause::Kind::node_speed:
      return formatted("node %s computes %.2f times as long", at, cause.size);
    case Cause::Kind::link_rate:
      return formatted("bytes from %s take %.2f times as long", at, cause.size);
    case Cause::Kind::link_delay:
      return formatted("messages from %s take %.2f ms more", at, cause.size);
    case Cause::Kind::loss:
      return formatted("packets from %s are lost: %.2f %% of them", at, cause.size * 100.0);
    case Cause::Kind::credit:
      return formatted("node %s lets only %.1f KiB be under way", at, cause.size / 1024.0);
  }
  return {};
}

Json figures_json(const TraceMeasures& measures) {
  return {{"frames", measures.frames},
          {"latency_p50_ms", measures.latency_p50_ms},
          {"period_ms", measures.period_ms}};
}

}  // namespace

std::string diff_text(const TraceMeasures& real, const TraceMeasures& simulated,
                      const std::vector<Cause>& causes) {
  std::string text = formatted(
      "             real       simulated\n"
      "frames     %6zu      %10zu\n"
      "p50      %8.2f ms  %8.2f ms\n"
      "period   %8.2f ms  %8.2f ms\n\n",
      real.frames, simulated.frames, real.latency_p50_ms, simulated.latency_p50_ms, real.period_ms,
      simulated.period_ms);
  if (causes.empty()) return text + "no difference beyond noise\n";
  text += "cause                                                    ms a frame  confidence\n";
  for (const Cause& cause : causes) {
    const bool known = cause.kind != Cause::Kind::credit;
    text += formatted("%-55s  %10s  %9.0f %%\n", sentence_of(cause).c_str(),
                      known ? formatted("%.2f", cause.per_frame_ms).c_str() : "-",
                      cause.confidence() * 100.0);
  }
  return text;
}

std::string diff_json(const TraceMeasures& real, const TraceMeasures& simulated,
                      const std::vector<Cause>& causes) {
  Json json{{"real", figures_json(real)}, {"simulated", figures_json(simulated)}};
  json["causes"] = Json::array();
  for (const Cause& cause : causes)
    json["causes"].push_back({{"kind", name_of(cause.kind)},
                              {"place", place_of(cause)},
                              {"size", cause.size},
                              {"per_frame_ms", cause.per_frame_ms},
                              {"confidence", cause.confidence()}});
  json["ways"] = Json::array();
  for (const auto& [way, measured] : real.ways) {
    const auto expected = simulated.ways.find(way);
    if (expected == simulated.ways.end()) continue;
    const auto both = [&](const char* key, double of_real, double of_simulated) {
      json["ways"].back()[key] = {of_real, of_simulated};
    };
    json["ways"].push_back({{"way", formatted("%u:%u", way.first.value, way.second.value)},
                            {"bytes", measured.bytes}});
    both("delay_ms", measured.delay_ms, expected->second.delay_ms);
    both("ns_per_byte", measured.ns_per_way_byte, expected->second.ns_per_way_byte);
    both("fast_ns_per_byte", measured.fast_ns_per_way_byte, expected->second.fast_ns_per_way_byte);
    both("slow_ns_per_byte", measured.slow_ns_per_way_byte, expected->second.slow_ns_per_way_byte);
    json["ways"].back()["sent_again"] = measured.resent;
    const auto latest = [](const WayMeasures& each) {
      return each.excess_ms.empty() ? 0.0 : each.excess_ms.front();
    };
    both("latest_ms", latest(measured), latest(expected->second));
  }
  return json.dump() + "\n";
}

}  // namespace shingle
