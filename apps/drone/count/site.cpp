#include "apps/drone/count/site.hpp"

#include <algorithm>
#include <map>

#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

struct Named {
  std::string kind{}, name{};
  size_t file_line = 0;
};

std::vector<Named> all_names(const Site& site) {
  std::vector<Named> names;
  for (const CountLine& line : site.lines) names.push_back({"line", line.name, line.file_line});
  for (const Zone& zone : site.zones) names.push_back({"zone", zone.name, zone.file_line});
  for (const Lane& lane : site.lanes) names.push_back({"lane", lane.name, lane.file_line});
  return names;
}

Status check_names(const Site& site) {
  std::map<std::string, Named> seen;
  for (const Named& named : all_names(site)) {
    const auto [before, is_new] = seen.emplace(named.name, named);
    if (!is_new)
      return bad_site(site, named.file_line,
                      "the " + named.kind + " " + in_quotes(named.name) + " has the name of a " +
                          before->second.kind + "; give each its own name");
  }
  return success();
}

bool has_length(const PlaneSegment& segment) { return !(segment.begin == segment.end); }

Status check_polygon(const Site& site, const Named& named, const std::vector<PlanePoint>& corners) {
  const std::string who = "the " + named.kind + " " + in_quotes(named.name);
  if (corners.size() < 3)
    return bad_site(site, named.file_line, who + " has fewer than three corners; give more");
  if (const auto pair = self_crossing(corners))
    return bad_site(site, named.file_line,
                    who + " crosses itself: the side after corner " +
                        std::to_string(pair->first + 1) + " meets the one after corner " +
                        std::to_string(pair->second + 1) +
                        "; list the corners in order along its border");
  if (area_of(corners) == 0.0)
    return bad_site(site, named.file_line, who + " has no area; spread its corners");
  return success();
}

bool is_line(const Site& site, const std::string& name) {
  return std::any_of(site.lines.begin(), site.lines.end(),
                     [&](const CountLine& line) { return line.name == name; });
}

Status check_references(const Site& site) {
  for (const Entry& entry : site.entries)
    for (const std::string& name : {entry.line, entry.conflict})
      if (!is_line(site, name))
        return bad_site(site, entry.file_line,
                        "an entry names the line " + in_quotes(name) +
                            ", which the site does not have; add it or correct the name");
  for (const std::string& gate : site.gates) {
    const bool is_zone = std::any_of(site.zones.begin(), site.zones.end(),
                                     [&](const Zone& zone) { return zone.name == gate; });
    if (!is_zone && !is_line(site, gate))
      return bad_site(site, 0,
                      "the gate " + in_quotes(gate) +
                          " is neither a line nor a zone of the site; correct the name");
    if (std::count(site.gates.begin(), site.gates.end(), gate) > 1)
      return bad_site(site, 0, "the gate " + in_quotes(gate) + " is listed twice; list it once");
  }
  return success();
}

}  // namespace

Error bad_site(const Site& site, size_t file_line, const std::string& what) {
  std::string where = readable(site.file);
  if (file_line != 0) where.append(":").append(std::to_string(file_line));
  return bad_input(where + ": " + what);
}

Status check(const Site& site) {
  if (const Status names = check_names(site); !names) return names;
  for (const CountLine& line : site.lines)
    if (!has_length(line.segment))
      return bad_site(site, line.file_line,
                      "the line " + in_quotes(line.name) +
                          " has no length: its two points are equal; move one of them");
  for (const Zone& zone : site.zones)
    if (const Status good = check_polygon(site, {"zone", zone.name, zone.file_line}, zone.corners);
        !good)
      return good;
  for (const Lane& lane : site.lanes) {
    if (const Status good = check_polygon(site, {"lane", lane.name, lane.file_line}, lane.corners);
        !good)
      return good;
    if (!has_length(lane.direction))
      return bad_site(site, lane.file_line,
                      "the direction of the lane " + in_quotes(lane.name) +
                          " has no length; give two different points");
  }
  return check_references(site);
}

const std::string& direction_name(const CountLine& line, Direction direction) {
  return direction == Direction::forward ? line.forward : line.backward;
}

std::vector<std::string> gates_of(const Site& site) {
  if (!site.gates.empty()) return site.gates;
  std::vector<std::string> gates;
  if (site.zones.size() >= 2)
    for (const Zone& zone : site.zones) gates.push_back(zone.name);
  else
    for (const CountLine& line : site.lines) gates.push_back(line.name);
  return gates;
}

}  // namespace shingle::drone
