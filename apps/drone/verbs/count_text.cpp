#include "apps/drone/verbs/count_text.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

namespace shingle::drone {
namespace {

std::string padded(const std::string& text, size_t width) {
  return text + std::string(width > text.size() ? width - text.size() : 0, ' ');
}

std::string right_aligned(const std::string& text, size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

std::string decimal(double value, const char* format = "%.2f") {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string median_text(const std::vector<double>& values) {
  return values.empty() ? "-" : decimal(spread_of(values).median);
}

std::string class_name(int class_id) { return class_id < 0 ? "none" : std::to_string(class_id); }

size_t name_width(const Counts& counts) {
  size_t width = 8;
  for (const CountLine& line : counts.site.lines)
    width = std::max({width, line.name.size(), line.forward.size(), line.backward.size()});
  for (const Zone& zone : counts.site.zones) width = std::max(width, zone.name.size());
  return width + 2;
}

std::string lines_text(const Counts& counts, size_t width) {
  if (counts.site.lines.empty()) return {};
  std::set<int> classes;
  for (const Crossing& each : counts.crossings) classes.insert(each.class_id);
  std::string text = padded("line", width) + padded("direction", width) + "vehicles";
  for (const int class_id : classes) text += right_aligned("class " + class_name(class_id), 12);
  text += "   headway s     gap s  (medians)\n";
  for (size_t line = 0; line < counts.site.lines.size(); ++line) {
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      size_t vehicles = 0;
      std::map<int, size_t> by_class;
      for (const Crossing& each : counts.crossings)
        if (each.line == line && each.direction == direction) ++vehicles, ++by_class[each.class_id];
      text += padded(counts.site.lines[line].name, width) +
              padded(direction_name(counts.site.lines[line], direction), width) +
              right_aligned(std::to_string(vehicles), 8);
      for (const int class_id : classes)
        text += right_aligned(std::to_string(by_class[class_id]), 12);
      text += right_aligned(
                  median_text(times_at(counts, line, direction, &Crossing::headway_seconds)), 12) +
              right_aligned(median_text(times_at(counts, line, direction, &Crossing::gap_seconds)),
                            10) +
              "\n";
    }
  }
  return text + "\n";
}

std::string zones_text(const Counts& counts, size_t width) {
  if (counts.site.zones.empty()) return {};
  std::string text = padded("zone", width) + "  visits  dwell s: median      mean   longest\n";
  for (size_t zone = 0; zone < counts.site.zones.size(); ++zone) {
    const Spread spread = spread_of(dwell_times_of(counts, zone));
    text += padded(counts.site.zones[zone].name, width) +
            right_aligned(std::to_string(spread.count), 8);
    if (spread.count > 0)
      text += right_aligned(decimal(spread.median), 17) + right_aligned(decimal(spread.mean), 10) +
              right_aligned(decimal(spread.greatest), 10);
    text += "\n";
  }
  return text + "\n";
}

std::string turns_text(const Counts& counts, size_t width) {
  const auto gates = gates_of(counts.site);
  if (gates.size() < 2) return {};
  std::string text = padded("from \\ to", width);
  for (const std::string& gate : gates) text += right_aligned(gate, width);
  text += "\n";
  const auto matrix = turning_matrix(counts);
  for (size_t from = 0; from < gates.size(); ++from) {
    text += padded(gates[from], width);
    for (const size_t vehicles : matrix[from])
      text += right_aligned(std::to_string(vehicles), width);
    text += "\n";
  }
  return text + "\n";
}

std::string events_text(const Counts& counts) {
  std::string text;
  for (const Incident& each : counts.incidents)
    text += decimal(each.begin_seconds, "%9.2f s  ") + kind_name(each.kind) + ": track " +
            std::to_string(each.track) + (each.place.empty() ? "" : " in " + each.place) + ", " +
            decimal(each.end_seconds - each.begin_seconds) + " s" +
            (each.greatest_kmh ? ", up to " + decimal(*each.greatest_kmh, "%.1f km/h") : "") + "\n";
  for (const CollisionCourse& each : counts.collision_courses)
    text += decimal(each.at_seconds, "%9.2f s  ") + "time to collision " +
            decimal(each.least_seconds) + " s: tracks " + std::to_string(each.track) + " and " +
            std::to_string(each.other) + "\n";
  for (const Encroachment& each : counts.encroachments)
    text += decimal(each.seconds, "%9.2f s  ") + "post-encroachment time " +
            decimal(each.encroachment_seconds) + " s in " + counts.site.zones[each.zone].name +
            ": track " + std::to_string(each.second) + " after " + std::to_string(each.first) +
            "\n";
  return text;
}

std::string entries_text(const Counts& counts) {
  std::string text;
  for (size_t index = 0; index < counts.site.entries.size(); ++index) {
    const auto [used, unused, follow_ups] = entry_times(counts, index);
    text += "entry " + counts.site.entries[index].line + ": " + std::to_string(used.size()) +
            " headways of " + counts.site.entries[index].conflict + " used, the shortest " +
            (used.empty() ? std::string("-") : decimal(spread_of(used).least)) +
            " s; follow-up headway " + median_text(follow_ups) + " s (median of " +
            std::to_string(follow_ups.size()) + ")\n";
  }
  return text.empty() ? text : text + "\n";
}

}  // namespace

const char* kind_name(IncidentKind kind) {
  switch (kind) {
    case IncidentKind::wrong_way:
      return "wrong way";
    case IncidentKind::stopped:
      return "stopped";
    case IncidentKind::overspeed:
      break;
  }
  return "overspeed";
}

std::vector<double> times_at(const Counts& counts, size_t line, Direction direction,
                             std::optional<double> Crossing::*time) {
  std::vector<double> values;
  for (const Crossing& each : counts.crossings)
    if (each.line == line && each.direction == direction && each.*time)
      values.push_back(*(each.*time));
  return values;
}

EntryTimes entry_times(const Counts& counts, size_t entry) {
  EntryTimes times;
  for (const ConflictHeadway& each : counts.conflict_headways) {
    if (each.entry != entry) continue;
    (each.entered_seconds.empty() ? times.unused : times.used)
        .push_back(each.end_seconds - each.begin_seconds);
    times.follow_ups.insert(times.follow_ups.end(), each.follow_up_seconds.begin(),
                            each.follow_up_seconds.end());
  }
  return times;
}

std::vector<double> dwell_times_of(const Counts& counts, size_t zone) {
  std::vector<double> values;
  for (const Visit& each : counts.visits)
    if (each.zone == zone) values.push_back(each.dwell_seconds());
  return values;
}

std::vector<std::vector<size_t>> turning_matrix(const Counts& counts) {
  const size_t gates = gates_of(counts.site).size();
  std::vector<std::vector<size_t>> matrix(gates, std::vector<size_t>(gates, 0));
  for (const Turn& each : counts.turns) ++matrix[each.from][each.to];
  return matrix;
}

std::string counts_text(const Counts& counts) {
  const size_t width = name_width(counts);
  return lines_text(counts, width) + zones_text(counts, width) + turns_text(counts, width) +
         entries_text(counts) + events_text(counts);
}

}  // namespace shingle::drone
