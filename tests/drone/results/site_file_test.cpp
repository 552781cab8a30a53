// site.toml: what is read, and what is refused with which sentence.
#include "apps/drone/results/site_file.hpp"

#include <doctest/doctest.h>

using namespace shingle;
using namespace shingle::drone;

namespace {

std::string refusal_of(const std::string& text) {
  const auto read = parse_site(text, "site.toml");
  return read ? "was read" : read.error();
}

const std::string line = "[[line]]\nname = \"a\"\npoints = [[0, 0], [10, 0]]\n";
const std::string zone = "[[zone]]\nname = \"z\"\npoints = [[0, 0], [9, 0], [9, 9], [0, 9]]\n";

}  // namespace

TEST_CASE("a whole site is read") {
  const auto site =
      parse_site("coordinates = \"pixels\"\ngates = [\"a\", \"z\"]\n" + line +
                     "forward = \"to town\"\nbackward = \"out\"\n" + zone +
                     "conflict = true\nlimit_kmh = 50\n"
                     "[[lane]]\nname = \"l\"\npoints = [[0, 0], [9, 0], [9, 9]]\n"
                     "direction = [[0, 0], [1, 0]]\n"
                     "[[entry]]\nline = \"a\"\nconflict = \"a\"\ndirection = \"backward\"\n"
                     "[[ground_point]]\npixel = [1, 2]\nwgs84 = [50.5, 14.25]\n"
                     "[limits]\nhold_frames = 5\nstopped_seconds = 2.5\n",
                 "site.toml");
  REQUIRE_MESSAGE(site.ok(), (site ? std::string() : site.error()));
  CHECK(site->gates == std::vector<std::string>{"a", "z"});
  CHECK(site->lines.at(0).segment.end == PlanePoint{10, 0});
  CHECK(site->lines[0].forward == "to town");
  CHECK(site->lines[0].file_line == 3);
  CHECK(site->zones.at(0).is_conflict_area);
  CHECK(site->zones[0].limit_kmh == 50.0);
  CHECK(site->lanes.at(0).corners.size() == 3);
  CHECK(site->entries.at(0).direction == Direction::backward);
  CHECK(site->ground_points.at(0).ground == PlanePoint{14.25, 50.5});
  CHECK(site->limits.hold_frames == 5);
  CHECK(site->limits.stopped_seconds == 2.5);
}

TEST_CASE("places in WGS84 are latitude, longitude") {
  const auto site =
      parse_site("coordinates = \"wgs84\"\n[[line]]\nname = \"a\"\npoints = [[50, 14], [51, 15]]\n",
                 "site.toml");
  REQUIRE(site);
  CHECK(site->lines.at(0).segment.begin == PlanePoint{14, 50});
}

TEST_CASE("bad sites are refused with file, line, name and what to do") {
  CHECK(refusal_of("[[zone]]\nname = \"z\"\npoints = [[0, 0], [9, 9], [9, 0], [0, 9]]\n") ==
        "site.toml:1: the zone 'z' crosses itself: the side after corner 1 meets the one after "
        "corner 3; list the corners in order along its border");
  CHECK(refusal_of("\n[[line]]\nname = \"a\"\npoints = [[5, 5], [5, 5]]\n") ==
        "site.toml:2: the line 'a' has no length: its two points are equal; move one of them");
  CHECK(refusal_of(line + line) ==
        "site.toml:4: the line 'a' has the name of a line; give each its own name");
  CHECK(refusal_of(line + "[[zone]]\nname = \"a\"\npoints = [[0, 0], [9, 0], [9, 9]]\n") ==
        "site.toml:4: the zone 'a' has the name of a line; give each its own name");
  CHECK(refusal_of("[[zone]]\nname = \"z\"\npoints = [[0, 0], [9, 0]]\n") ==
        "site.toml:3: 'points' must be a list of at least 3 points, such as [[100, 200], ...]");
  CHECK(refusal_of("[[zone]]\nname = \"z\"\npoints = [[0, 0], [5, 5], [9, 9]]\n")
            .find("the zone 'z' crosses itself") != std::string::npos);
  CHECK(refusal_of("[[line]]\nname = \"a\"\npoints = [[0, 0], [1, \"x\"]]\n") ==
        "site.toml:3: 'points' must be a list of 2 points, such as [[100, 200], ...]");
  CHECK(refusal_of("[[line]]\nnam = \"a\"\n") ==
        "site.toml:2: unknown key 'nam' in [[line]]; did you mean 'name'?");
  CHECK(refusal_of("line = 3\n") ==
        "site.toml:1: write 'line' as tables, each with [[line]] above it");
  CHECK(refusal_of("limits = 3\n") ==
        "site.toml:1: write 'limits' as a table, with [limits] above it");
  CHECK(refusal_of("gates = [\"b\"]\n" + line) ==
        "site.toml: the gate 'b' is neither a line nor a zone of the site; correct the name");
  CHECK(refusal_of(line + "[[entry]]\nline = \"a\"\nconflict = \"c\"\n") ==
        "site.toml:4: an entry names the line 'c', which the site does not have; add it or "
        "correct the name");
  CHECK(refusal_of("[[ground_point]]\npixel = [1, 2]\n") ==
        "site.toml:2: a [[ground_point]] needs either 'wgs84' or 'metres'");
  CHECK(refusal_of("[[line]\n").starts_with("site.toml:1: "));
  CHECK(refusal_of("coordinates = \"feet\"\n") ==
        "site.toml:1: 'coordinates' must be one of pixels metres wgs84");
}
