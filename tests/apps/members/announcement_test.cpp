#include "apps/members/announcement.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace shingle;

namespace {

Announcement kitchen() {
  Announcement announcement;
  announcement.node.id = NodeId{3};
  announcement.node.name = "kitchen";
  announcement.node.gflops = 12.5;
  announcement.node.cores = 4;
  announcement.node.link_mbps = 100.0;
  announcement.node.memory_bytes = int64_t{512} << 20;
  announcement.node.device = find_profile("pi4", "").value();
  announcement.node.profile = announcement.node.device->name;
  announcement.session = "00112233";
  announcement.addresses = {{"10.0.0.3", 7001}, {"fd00::3", 7001}};
  announcement.models = {"yolox_nano.onnx", "yolov3.cfg"};
  return announcement;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("an announcement reads back as it was said") {
  CHECK(parse_announcement(print(kitchen())).value() == kitchen());
  for (const bool online : {false, true}) {
    const Sign sign{.online = online, .session = "abc"};
    CHECK(parse_sign(print(sign)).value() == sign);
  }
}

TEST_CASE("what an announcement says wrongly is named") {
  const std::string good = print(kitchen());
  const auto refusal = [](const std::string& text) { return parse_announcement(text).error(); };
  CHECK(refusal("") == "it is not a JSON object");
  CHECK(refusal("[1]") == "it is not a JSON object");
  CHECK(refusal("{") == "it is not a JSON object");
  CHECK(refusal("{}") == "its 'version' is missing");
  CHECK(refusal(replaced(good, "\"version\":1", "\"version\":2")).find("has version 2") !=
        std::string::npos);
  CHECK(refusal(replaced(good, "\"node\":3", "\"node\":-3")) ==
        "its 'node' is not a number in its range");
  CHECK(refusal(replaced(good, "\"node\":3", "\"node\":2.5")) ==
        "its 'node' is not a whole number");
  CHECK(refusal(replaced(good, "7001", "0")).starts_with("its 'addresses' hold one of which"));
  CHECK(refusal(replaced(good, "12.5", "1e999")) == "it is not a JSON object");
  CHECK(refusal(replaced(good, "12.5", "\"fast\"")) == "its 'gflops' is not a number in its range");
  CHECK(refusal(replaced(good, "kitchen", "kit\\u0007chen")) ==
        "its 'name' has a control character");
  CHECK(refusal(replaced(good, "kitchen", std::string(300, 'k'))) == "its 'name' is too long");
  CHECK(refusal(replaced(good, "cores = ", "coarse = "))
            .starts_with("its 'device' is not a profile"));
  CHECK(refusal(std::string(70'000, ' ') + good) == "it is longer than 64 KiB");
  CHECK(refusal(std::string(60'000, '[')) == "it is not a JSON object");
  CHECK(refusal(replaced(good, "\"yolov3.cfg\"",
                         std::string(25'000, '[') + std::string(25'000, ']'))) ==
        "its 'models' contain one that is not a name");
  CHECK(refusal(replaced(good, "kitchen",
                         "kit\xc2\x9b"
                         "chen")) == "its 'name' has a control character");
  CHECK(parse_sign(R"({"version":1,"state":"asleep","session":"a"})").error() ==
        "its 'state' is neither online nor offline");
}

TEST_CASE("of announced addresses only numbers are believed") {
  Announcement named = kitchen();
  named.addresses.insert(named.addresses.begin(), {"blackhole.example", 7001});
  CHECK(parse_announcement(print(named)).value() == kitchen());
}

// Corrupted bytes: refused with a sentence, or something that prints and reads back the same.
TEST_CASE("no bytes break the reader of announcements") {
  const uint32_t seed = 20261122;
  INFO("seed ", seed);
  std::mt19937 dice(seed);
  const std::string good = print(kitchen());
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = good;
    for (uint32_t flips = 1 + dice() % 4; flips > 0; --flips) {
      const size_t at = dice() % text.size();
      if (dice() % 3 == 0)
        text.erase(at, 1 + dice() % 8);
      else
        text[at] = static_cast<char>(dice());
      if (text.empty()) text.assign(1, '{');
    }
    const auto read = parse_announcement(text);
    if (read)
      CHECK(parse_announcement(print(*read)).value() == *read);
    else
      CHECK_FALSE(read.error().empty());
    refused += read ? 0 : 1;
  }
  CHECK(refused > 1000);
}
