#include "apps/drone/verbs/eval_report.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace shingle::drone {
namespace {

using Json = nlohmann::ordered_json;

std::string row_of(const std::string& name, size_t width, const Scores& scores) {
  const HotaFigures hota = mean_figures(scores.hota);
  const ClearFigures clear = scores.clear_figures();
  const auto count = [](uint64_t value) { return static_cast<unsigned long long>(value); };
  char text[200];
  std::snprintf(text, sizeof text,
                " %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f %7llu %7llu %5llu %5llu\n",
                100.0 * hota.hota, 100.0 * hota.detection, 100.0 * hota.association,
                100.0 * clear.mota, 100.0 * clear.motp, 100.0 * figures_of(scores.identity).f1,
                100.0 * clear.recall, 100.0 * clear.precision, count(scores.clear.false_boxes),
                count(scores.clear.misses), count(scores.clear.switches),
                count(scores.clear.fragments));
  return name + std::string(width - std::min(width, name.size()), ' ') + text;
}

void add_clear(Json& json, const Scores& scores) {
  const ClearCounts& counts = scores.clear;
  const ClearFigures figures = scores.clear_figures();
  json.update({{"MOTA", figures.mota},           {"MOTP", figures.motp},
               {"MODA", figures.moda},           {"sMOTA", figures.smota},
               {"MOTAL", figures.motal},         {"CLR_Re", figures.recall},
               {"CLR_Pr", figures.precision},    {"CLR_F1", figures.f1},
               {"MTR", figures.mostly_tracked},  {"PTR", figures.partly_tracked},
               {"MLR", figures.mostly_lost},     {"FP_per_frame", figures.false_per_frame},
               {"MOTP_sum", counts.overlap_sum}, {"CLR_TP", counts.hits},
               {"CLR_FN", counts.misses},        {"CLR_FP", counts.false_boxes},
               {"IDSW", counts.switches},        {"MT", counts.mostly_tracked},
               {"PT", counts.partly_tracked},    {"ML", counts.mostly_lost},
               {"Frag", counts.fragments},       {"CLR_Frames", counts.frames}});
}

void add_identity(Json& json, const IdentityCounts& counts) {
  const IdentityFigures figures = figures_of(counts);
  json.update({{"IDF1", figures.f1},
               {"IDR", figures.recall},
               {"IDP", figures.precision},
               {"IDTP", counts.hits},
               {"IDFN", counts.misses},
               {"IDFP", counts.false_boxes}});
}

Json hota_json(const HotaFigures& figures) {
  return {{"HOTA", figures.hota},
          {"DetA", figures.detection},
          {"AssA", figures.association},
          {"DetRe", figures.detection_recall},
          {"DetPr", figures.detection_precision},
          {"AssRe", figures.association_recall},
          {"AssPr", figures.association_precision},
          {"LocA", figures.localisation},
          {"OWTA", figures.owta}};
}

Json curves_json(const HotaCurve& curve) {
  Json curves;
  for (size_t threshold = 0; threshold < hota_thresholds; ++threshold) {
    curves["alpha"].push_back(hota_overlap(threshold));
    const Json at = hota_json(figures_of(curve[threshold]));
    for (const auto& [name, value] : at.items()) curves[name].push_back(value);
    curves["HOTA_TP"].push_back(curve[threshold].hits);
    curves["HOTA_FN"].push_back(curve[threshold].misses);
    curves["HOTA_FP"].push_back(curve[threshold].false_boxes);
  }
  return curves;
}

Json json_of(const Scores& scores) {
  Json json = hota_json(mean_figures(scores.hota));
  const HotaFigures first = figures_of(scores.hota.front());
  json["HOTA(0)"] = first.hota;
  json["LocA(0)"] = first.localisation;
  json["HOTALocA(0)"] = first.hota * first.localisation;
  add_clear(json, scores);
  add_identity(json, scores.identity);
  json["curves"] = curves_json(scores.hota);
  return json;
}

}  // namespace

std::string eval_text(const std::vector<NamedScores>& sequences, const Scores& combined) {
  size_t width = 8;
  for (const NamedScores& each : sequences) width = std::max(width, each.name.size());
  std::string text =
      std::string(width, ' ') +
      "   HOTA   DetA   AssA   MOTA   MOTP   IDF1     Re     Pr      FP      FN  IDSW"
      "  Frag\n";
  for (const NamedScores& each : sequences) text += row_of(each.name, width, each.scores);
  if (sequences.size() > 1) text += row_of("COMBINED", width, combined);
  return text;
}

std::string eval_json(const std::vector<NamedScores>& sequences, const Scores& combined) {
  Json json{{"sequences", Json::object()}};
  for (const NamedScores& each : sequences) json["sequences"][each.name] = json_of(each.scores);
  json["combined"] = json_of(combined);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace shingle::drone
