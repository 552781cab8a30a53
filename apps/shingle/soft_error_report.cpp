#include "apps/shingle/soft_error_report.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace shingle {
namespace {

using Json = nlohmann::ordered_json;
using Place = Flip::Place;

constexpr std::array places{Place::weight, Place::map};
constexpr std::array kinds{BitKind::sign, BitKind::exponent, BitKind::mantissa};
constexpr size_t named_layers = 5;  // of the most vulnerable

const char* name_of(Place place) { return place == Place::weight ? "weights" : "maps"; }

template <class... Parts>
std::string printed(const char* format, Parts... parts) {
  std::array<char, 320> line{};
  std::snprintf(line.data(), line.size(), format, parts...);
  return line.data();
}

const FlipSite* site_of(const SoftErrorReport& report, uint32_t layer, Place place) {
  const auto found = std::ranges::find_if(report.sites, [&](const FlipSite& site) {
    return site.layer == LayerId{layer} && site.place == place;
  });
  return found == report.sites.end() ? nullptr : &*found;
}

std::string bar(double share) {
  constexpr double width = 20.0;
  const auto filled = static_cast<size_t>(share * width + 0.999);  // the least is seen
  return std::string(filled, '#') + std::string(static_cast<size_t>(width) - filled, '.');
}

std::string cell(const FlipSite* site) {
  if (site == nullptr) return "         -      -                     ";
  return printed("%10.1f %5.1f%% %s", static_cast<double>(site->words) / 256.0,
                 100.0 * site->vulnerability(), bar(site->vulnerability()).c_str());
}

std::string table_of(const SoftErrorReport& report) {
  std::string text =
      "a flipped bit changes the answer:        weights                                map\n"
      "layer                    operator             KiB                                    KiB\n";
  for (uint32_t layer = 0; layer < report.model.layers.size(); ++layer) {
    const Layer& shown = report.model.layers[layer];
    const std::string row =
        printed("%-24.24s %-13.13s", shown.name.c_str(), shingle::name_of(shown.op)) +
        cell(site_of(report, layer, Place::weight)) + "  " +
        cell(site_of(report, layer, Place::map));
    text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string counts_of(const SoftErrorReport& report) {
  std::string text =
      "\n                     flips   masked  other bits  other answer (no number)   found by "
      "checksum"
      "  audit\n";
  for (const Place place : places)
    for (const BitKind kind : kinds) {
      const FlipCounts sum = total(report.sites, place, kind);
      const auto number = [](uint64_t count) { return static_cast<unsigned long long>(count); };
      text += printed("%-8s %-10s %7llu %8llu %11llu %13llu %11llu %19s %6llu\n", name_of(place),
                      shingle::name_of(kind), number(sum.flips), number(sum.masked),
                      number(sum.other_bits), number(sum.other_answer), number(sum.not_finite),
                      place == Place::weight ? std::to_string(sum.by_checksum).c_str() : "-",
                      number(sum.by_audit()));
    }
  return text;
}

FlipCounts all_of(const SoftErrorReport& report, Place place) {
  FlipCounts sum;
  for (const BitKind kind : kinds) sum.add(total(report.sites, place, kind));
  return sum;
}

std::vector<const FlipSite*> worst(const SoftErrorReport& report) {
  std::vector<const FlipSite*> all;
  for (const FlipSite& site : report.sites)
    if (site.vulnerability() > 0.0) all.push_back(&site);
  std::ranges::stable_sort(all, [](const FlipSite* a, const FlipSite* b) {
    return a->vulnerability() > b->vulnerability();
  });
  all.resize(std::min(all.size(), named_layers));
  return all;
}

std::string conclusion_of(const SoftErrorReport& report) {
  const FlipCounts weights = all_of(report, Place::weight), maps = all_of(report, Place::map);
  const auto number = [](uint64_t count) { return static_cast<unsigned long long>(count); };
  std::string text = printed(
      "\na bit that flips anywhere changes the answer in %.2f %% of cases in the weights, %.2f %% "
      "in "
      "a map\n",
      100.0 * vulnerability(report.sites, Place::weight),
      100.0 * vulnerability(report.sites, Place::map));
  std::string names;
  for (const FlipSite* site : worst(report))
    names += (names.empty() ? "" : ", ") + report.model.at(site->layer).name +
             (site->place == Place::weight ? " (weights " : " (map ") +
             printed("%.1f %%)", 100.0 * site->vulnerability());
  text += "most vulnerable: " + (names.empty() ? "none" : names) + "\n";
  text += printed(
      "weights: a look at the checksums finds %llu of %llu; audits see the %llu that change bits, "
      "of "
      "tiles that are audited\n"
      "maps:    audits see %llu of %llu inside a tile that is audited; in the window of a tile, "
      "between two tiles, nothing does\n",
      number(weights.by_checksum), number(weights.flips), number(weights.by_audit()),
      number(maps.by_audit()), number(maps.flips));
  return text;
}

Json json_of(const FlipCounts& counts) {
  return {{"flips", counts.flips},
          {"masked", counts.masked},
          {"other_bits", counts.other_bits},
          {"other_answer", counts.other_answer},
          {"not_finite", counts.not_finite},
          {"found_by_checksum", counts.by_checksum},
          {"found_by_audit", counts.by_audit()}};
}

Json json_of(const FlipSite* site) {
  if (site == nullptr) return nullptr;
  Json json{{"words", site->words}, {"vulnerability", site->vulnerability()}};
  for (const BitKind kind : kinds)
    json[shingle::name_of(kind)] = json_of(site->kinds[static_cast<size_t>(kind)]);
  return json;
}

}  // namespace

std::string text_of(const SoftErrorReport& report) {
  std::string text = printed(
      "%llu flipped bits of %llu planned, %llu inputs, head %s, seed %llu\n\n",
      static_cast<unsigned long long>(report.done), static_cast<unsigned long long>(report.planned),
      static_cast<unsigned long long>(report.pictures), report.head.c_str(),
      static_cast<unsigned long long>(report.seed));
  return text + table_of(report) + counts_of(report) + conclusion_of(report);
}

std::string json_of(const SoftErrorReport& report) {
  Json json{{"flips", report.done},
            {"planned", report.planned},
            {"inputs", report.pictures},
            {"head", report.head},
            {"seed", report.seed}};
  for (const Place place : places) {
    json[name_of(place)] = json_of(all_of(report, place));
    json[name_of(place)]["vulnerability"] = vulnerability(report.sites, place);
  }
  json["layers"] = Json::array();
  for (uint32_t layer = 0; layer < report.model.layers.size(); ++layer)
    json["layers"].push_back({{"name", report.model.layers[layer].name},
                              {"operator", shingle::name_of(report.model.layers[layer].op)},
                              {"weights", json_of(site_of(report, layer, Place::weight))},
                              {"map", json_of(site_of(report, layer, Place::map))}});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace shingle
