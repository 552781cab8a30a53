#include "apps/drone/verbs/count_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/drone/verbs/count_text.hpp"

namespace shingle::drone {
namespace {

using Json = nlohmann::ordered_json;

double rounded(double value) { return std::round(value * 1e6) / 1e6; }
Json number(double value) { return rounded(value); }
Json number(const std::optional<double>& value) { return value ? Json(rounded(*value)) : Json(); }
Json class_json(int class_id) { return class_id < 0 ? Json() : Json(class_id); }

Json spread_json(std::vector<double> values) {
  const Spread spread = spread_of(std::move(values));
  if (spread.count == 0) return {{"count", 0}};
  return {{"count", spread.count},
          {"min", number(spread.least)},
          {"median", number(spread.median)},
          {"mean", number(spread.mean)},
          {"max", number(spread.greatest)}};
}

Json bins_json(const Counts& counts, size_t place, std::optional<Direction> direction) {
  Json all = Json::object();
  for (const int minutes : bin_minutes) {
    Json bins = Json::array();
    for (const CountBin& bin : direction ? line_bins(counts, minutes) : zone_bins(counts, minutes))
      if (bin.place == place && (!direction || bin.direction == *direction))
        bins.push_back({{"begin_seconds", bin.number * 60 * minutes},
                        {"class", class_json(bin.class_id)},
                        {"vehicles", bin.vehicles}});
    all[std::to_string(minutes)] = std::move(bins);
  }
  return all;
}

Json lines_json(const Counts& counts) {
  Json lines = Json::array();
  for (size_t index = 0; index < counts.site.lines.size(); ++index) {
    const CountLine& line = counts.site.lines[index];
    Json directions = Json::object();
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      size_t vehicles = 0;
      for (const Crossing& each : counts.crossings)
        vehicles += each.line == index && each.direction == direction;
      directions[direction_name(line, direction)] = {
          {"vehicles", vehicles},
          {"headway_seconds",
           spread_json(times_at(counts, index, direction, &Crossing::headway_seconds))},
          {"gap_seconds", spread_json(times_at(counts, index, direction, &Crossing::gap_seconds))},
          {"minutes", bins_json(counts, index, direction)}};
    }
    lines.push_back({{"name", line.name}, {"directions", std::move(directions)}});
  }
  return lines;
}

Json zones_json(const Counts& counts) {
  Json zones = Json::array();
  for (size_t index = 0; index < counts.site.zones.size(); ++index) {
    size_t visits = 0;
    for (const Visit& each : counts.visits) visits += each.zone == index;
    zones.push_back({{"name", counts.site.zones[index].name},
                     {"visits", visits},
                     {"dwell_seconds", spread_json(dwell_times_of(counts, index))},
                     {"minutes", bins_json(counts, index, std::nullopt)}});
  }
  return zones;
}

Json crossings_json(const Counts& counts) {
  Json crossings = Json::array();
  for (const Crossing& each : counts.crossings) {
    const CountLine& line = counts.site.lines[each.line];
    crossings.push_back({{"line", line.name},
                         {"direction", direction_name(line, each.direction)},
                         {"track", each.track},
                         {"class", class_json(each.class_id)},
                         {"seconds", number(each.seconds)},
                         {"headway_seconds", number(each.headway_seconds)},
                         {"headway_is_of_centres", each.headway_is_of_centres},
                         {"gap_seconds", number(each.gap_seconds)}});
  }
  return crossings;
}

Json visits_json(const Counts& counts) {
  Json visits = Json::array();
  for (const Visit& each : counts.visits)
    visits.push_back({{"zone", counts.site.zones[each.zone].name},
                      {"track", each.track},
                      {"class", class_json(each.class_id)},
                      {"entry_seconds", number(each.entry_seconds)},
                      {"exit_seconds", number(each.exit_seconds)},
                      {"saw_entry", each.saw_entry},
                      {"saw_exit", each.saw_exit}});
  return visits;
}

Json turns_json(const Counts& counts) {
  const auto gates = gates_of(counts.site);
  Json tracks = Json::array();
  for (const Turn& each : counts.turns)
    tracks.push_back({{"track", each.track},
                      {"class", class_json(each.class_id)},
                      {"from", gates[each.from]},
                      {"to", gates[each.to]},
                      {"from_seconds", number(each.from_seconds)},
                      {"to_seconds", number(each.to_seconds)}});
  return {{"gates", gates}, {"matrix", turning_matrix(counts)}, {"tracks", std::move(tracks)}};
}

Json entries_json(const Counts& counts) {
  Json entries = Json::array();
  for (size_t index = 0; index < counts.site.entries.size(); ++index) {
    const auto [used, unused, follow_ups] = entry_times(counts, index);
    entries.push_back({{"line", counts.site.entries[index].line},
                       {"conflict", counts.site.entries[index].conflict},
                       {"used_headway_seconds", spread_json(used)},
                       {"unused_headway_seconds", spread_json(unused)},
                       {"follow_up_seconds", spread_json(follow_ups)}});
  }
  return entries;
}

Json incidents_json(const Counts& counts) {
  Json incidents = Json::array();
  for (const Incident& each : counts.incidents)
    incidents.push_back({{"kind", kind_name(each.kind)},
                         {"track", each.track},
                         {"class", class_json(each.class_id)},
                         {"place", each.place.empty() ? Json() : Json(each.place)},
                         {"begin_seconds", number(each.begin_seconds)},
                         {"end_seconds", number(each.end_seconds)},
                         {"greatest_kmh", number(each.greatest_kmh)}});
  return incidents;
}

Json conflicts_json(const Counts& counts) {
  Json courses = Json::array(), encroachments = Json::array();
  for (const CollisionCourse& each : counts.collision_courses)
    courses.push_back({{"tracks", {each.track, each.other}},
                       {"begin_seconds", number(each.begin_seconds)},
                       {"end_seconds", number(each.end_seconds)},
                       {"least_seconds", number(each.least_seconds)},
                       {"at_seconds", number(each.at_seconds)}});
  for (const Encroachment& each : counts.encroachments)
    encroachments.push_back({{"zone", counts.site.zones[each.zone].name},
                             {"first", each.first},
                             {"second", each.second},
                             {"seconds", number(each.seconds)},
                             {"encroachment_seconds", number(each.encroachment_seconds)},
                             {"angle_degrees", number(each.angle_degrees)}});
  return {{"time_to_collision", std::move(courses)},
          {"post_encroachment", std::move(encroachments)}};
}

}  // namespace

std::string counts_json(const Counts& counts) {
  const Json json{{"tracks", counts.tracks},
                  {"without_position", counts.without_place},
                  {"in_metres", counts.is_metric},
                  {"lines", lines_json(counts)},
                  {"zones", zones_json(counts)},
                  {"turns", turns_json(counts)},
                  {"entries", entries_json(counts)},
                  {"incidents", incidents_json(counts)},
                  {"conflicts", conflicts_json(counts)},
                  {"crossings", crossings_json(counts)},
                  {"visits", visits_json(counts)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace shingle::drone
