#include <map>
#include <tuple>

#include "apps/drone/results/csv_line.hpp"
#include "apps/drone/verbs/count_text.hpp"

namespace shingle::drone {
namespace {

std::string class_field(int class_id) { return class_id < 0 ? "" : std::to_string(class_id); }

std::string bin_line(const char* kind, const std::string& place, const std::string& direction,
                     const CountBin& bin, int minutes) {
  return csv_line({kind, csv_name(place), csv_name(direction), class_field(bin.class_id),
                   std::to_string(minutes), std::to_string(bin.number * 60 * minutes),
                   std::to_string(bin.vehicles)});
}

}  // namespace

std::string counts_csv(const Counts& counts) {
  std::string text = "kind,place,direction,class,minutes,begin_seconds,vehicles\n";
  for (const int minutes : bin_minutes) {
    for (const CountBin& bin : line_bins(counts, minutes)) {
      const CountLine& line = counts.site.lines[bin.place];
      text += bin_line("line", line.name, direction_name(line, bin.direction), bin, minutes);
    }
    for (const CountBin& bin : zone_bins(counts, minutes))
      text += bin_line("zone", counts.site.zones[bin.place].name, "", bin, minutes);
  }
  std::map<std::tuple<size_t, size_t, int>, size_t> turns;
  for (const Turn& each : counts.turns) ++turns[{each.from, each.to, each.class_id}];
  const auto gates = gates_of(counts.site);
  for (const auto& [key, vehicles] : turns) {
    const auto& [from, to, class_id] = key;
    text += csv_line({"turn", csv_name(gates[from]), csv_name(gates[to]), class_field(class_id), "",
                      "", std::to_string(vehicles)});
  }
  return text;
}

}  // namespace shingle::drone
