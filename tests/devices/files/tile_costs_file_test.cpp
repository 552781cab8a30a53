// Files of costs that were fitted to measured tiles.
#include "devices/files/tile_costs_file.hpp"

#include <doctest/doctest.h>

using namespace shingle;

namespace {

TileCosts two() {
  return {.name = "fitted to 3x3",
          .costs = {{.cores = 1,
                     .tiles = 52,
                     .mean_error = 0.0025,
                     .worst_error = 0.01,
                     .cost = {.ns_per_mac = 0.6, .ns_per_gathered = 43.5, .ns_per_stitched = 6.5}},
                    {.cores = 2, .tiles = 52, .cost = {.ns_per_mac = 0.3}}}};
}

std::string error_of(const std::string& from, const std::string& to) {
  std::string text = print(two());
  const size_t place = text.find(from);
  REQUIRE(place != std::string::npos);
  const auto read = parse_tile_costs(text.replace(place, from.size(), to), "costs.toml");
  return read ? "" : read.error();
}

bool says(const std::string& sentence, const std::string& part) {
  INFO(sentence);
  return sentence.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("printed costs are read as the same costs") {
  const auto read = parse_tile_costs(print(two()), "costs.toml");
  REQUIRE_MESSAGE(read.ok(), read.error());
  CHECK(*read == two());
}

TEST_CASE("what is wrong with a file of costs is one sentence that names its line") {
  CHECK(says(error_of("cores = 1", "cores = 2"), "more cores than the one before"));
  CHECK(says(error_of("ns_per_mac = 0.6", "ns_per_mac = 0.0"), "costs.toml:8: 'ns_per_mac'"));
  CHECK(says(error_of("ns_per_mac = 0.6", "ns_per_mac = -1.0"), "costs.toml:8: 'ns_per_mac'"));
  CHECK(says(error_of("ns_per_mac = 0.6\n", ""), "has no 'ns_per_mac'"));
  CHECK(says(error_of("ns_per_mac", "ns_per_mca"), "unknown key 'ns_per_mca'"));
  CHECK(says(parse_tile_costs("name = \"x\"", "costs.toml").error(), "at least one [[costs]]"));
  CHECK(says(parse_tile_costs(std::string(70'000, '#'), "big.toml").error(), "larger than 64 KiB"));
}
