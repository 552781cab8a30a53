// Device files: the ready-made boards, what is printed, and what is refused.
#include "devices/files/device_file.hpp"

#include <doctest/doctest.h>

#include "devices/files/profile_file.hpp"

using namespace shingle;

namespace {

// A small file with one line replaced.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = R"(name = "board"
profile = "pi4"
[compute]
cores = 4
[power]
idle_watts = 2.0
busy_watts = [3.0, 4.0]
[[clock]]
ghz = 1.8
power = 1.0
[[clock]]
ghz = 1.0
power = 0.5
[[throttle]]
celsius = 80.0
ghz = 1.0
below_celsius = 77.0
[sources]
compute = "data sheet"
power = "measured"
clock = "data sheet"
throttle = "documentation"
)";
  const size_t place = text.find(from);
  REQUIRE(place != std::string::npos);
  return text.replace(place, from.size(), to);
}

std::string error_of(const std::string& from, const std::string& to) {
  const auto read = parse_device(changed(from, to), "board.toml");
  return read ? "" : read.error();
}

bool says(const std::string& sentence, const std::string& part) {
  INFO(sentence);
  return sentence.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("each ready-made board is read, names a profile that exists, and prints what it reads") {
  CHECK(device_names().size() == 8);
  for (const std::string& name : device_names()) {
    INFO(name);
    const auto board = find_device(name, "");
    REQUIRE_MESSAGE(board.ok(), board.error());
    if (!board->profile.empty()) CHECK(find_profile(board->profile, "").ok());
    const auto again = parse_device(print(*board), "printed.toml");
    REQUIRE_MESSAGE(again.ok(), again.error());
    CHECK(*again == *board);
  }
}

TEST_CASE("a file without the optional figures prints what it reads") {
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"cores = 4", "cores = 4"},
                                 {"compute = \"data", "\"compute.cores\" = \"data"}}) {
    const auto board = parse_device(changed(from, to), "board.toml");
    REQUIRE_MESSAGE(board.ok(), board.error());
    const auto again = parse_device(print(*board), "printed.toml");
    REQUIRE_MESSAGE(again.ok(), again.error());
    CHECK(*again == *board);
  }
}

TEST_CASE("a device file has the figures of its board, with their sources") {
  const DeviceSpec pi = find_device("pi3b", "").value();
  CHECK(pi.cores == 4);
  CHECK(pi.send_packet == std::chrono::microseconds(40));
  CHECK(pi.power.idle_watts == 1.4);
  CHECK(pi.power.busy_watts == std::vector<double>{1.8, 2.7, 3.2, 3.7});
  CHECK(pi.throttle.front().celsius == 80.0);
  CHECK(says(pi.sources.at("power"), "measured"));
}

TEST_CASE("what is wrong with a device file is one sentence that names its line") {
  CHECK(error_of("cores = 4", "cores = 4") == "");
  CHECK(says(error_of("cores = 4", "coers = 4"), "board.toml:4: unknown key 'coers'"));
  CHECK(says(error_of("cores = 4", "cores = 0"), "board.toml:4: 'cores' must be a whole number"));
  CHECK(says(error_of("idle_watts = 2.0", ""), "has no 'idle_watts'"));
  CHECK(says(error_of("[3.0, 4.0]", "[4.0, 3.0]"), "must ascend"));
  CHECK(says(error_of("[3.0, 4.0]", "[1.0, 3.0]"), "no less than 'idle_watts'"));
  CHECK(says(error_of("[3.0, 4.0]", "3.0"), "must be a list of 1 to 256 numbers"));
  CHECK(says(error_of("ghz = 1.0\nbelow", "ghz = 1.1\nbelow"), "board.toml:16: no [[clock]]"));
  CHECK(says(error_of("below_celsius = 77.0", "below_celsius = 80.0"), "at least 0.1 below"));
  CHECK(says(error_of("power = 1.0", "power = 0.9"), "the nominal one"));
  CHECK(says(error_of("ghz = 1.0\npower", "ghz = 2.0\npower"), "must be slower"));
  CHECK(says(error_of("power = \"measured\"\n", ""), "does not say where 'power.busy_watts' is"));
  CHECK(says(error_of("power = \"measured\"", "powr = \"measured\""), "a source of no table"));
  CHECK(says(error_of("power = \"measured\"", "power = \"measured\"\nheat = \"measured\""),
             "'heat' is a source of no table"));
  CHECK(says(error_of("power = \"measured\"", "power = \"measured\"\n\"power.x\" = \"measured\""),
             "'power.x' is a source of no table and no figure"));
  CHECK(says(error_of("clock = \"data sheet\"\n", ""), "[[clock]] are from"));
  CHECK(says(error_of("name = \"board\"", "name = \"board"), "board.toml:1:"));
  CHECK(says(parse_device(std::string(70'000, '#'), "big.toml").error(), "larger than 64 KiB"));
}

TEST_CASE("a device that does not exist is refused with what there is") {
  CHECK(says(find_device("pi33b", "").error(), "did you mean 'pi3b'?"));
  CHECK(says(find_device("lamp", "").error(), "known are access_point jetson_nano"));
  CHECK(says(find_device("absent.toml", "/nowhere").error(), "cannot be opened"));
}
