// Damaged logs: a reader takes any bytes. It gives a log whose times rise, or one sentence.
#include <doctest/doctest.h>

#include "apps/drone/logs/flight_summary.hpp"
#include "apps/drone/logs/interpolation.hpp"
#include "partition/base/dice.hpp"
#include "partition/base/text.hpp"
#include "tests/drone/logs/log_files.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

const std::string whole_logs[] = {
    "1\n00:00:00,000 --> 00:00:00,033\n<font size=\"36\">SrtCnt : 1\n2022-08-07 13:40:40,774,808\n"
    "[fnum : 280] [focal_len : 240] [latitude: 41.4] [longitude: 2.2] [rel_alt: 1.3 abs_alt: 9.0] "
    "</font>\n\n2\n00:00:00,033 --> 00:00:00,066\n2022-08-07 13:40:40,808,164\n[latitude: 41.4] "
    "[longitude: 2.2] [rel_alt: 1.3 abs_alt: 9.0]\n",
    "1\n00:00:00,000 --> 00:00:01,000\nF/5.6, SS 400, GPS (-58.85, -34.23, 15), HOME (-58.84, "
    "-34.23, -57.98m), H 85.80m, F.PRY (2.7, -7.0, 110.1), G.PRY (-24.4, 0.0, 110.4)\n",
    "sep=,\nutc,latitude,longitude,height\n2024-01-01 10:00:00,41,2,50\n2024-01-01 "
    "10:00:01,41,2,51\n"
    "2024-01-01 10:00:01,41,2,51\n2024-01-01 10:00:03Z,41,2,\n",
    "<x:xmpmeta xmlns:drone-dji=\"http://www.dji.com/drone-dji/1.0/\" xmp:CreateDate=\"2023-05-02"
    "T19:40:59+02:00\" drone-dji:GimbalPitchDegree=\"-90\"><drone-dji:RelativeAltitude>+35.20"
    "</drone-dji:RelativeAltitude></x:xmpmeta>",
    std::string("\x06\x0E\x2B\x34\x02\x0B\x01\x01\x0E\x01\x03\x01\x01\x00\x00\x00\x12\x02\x08\x00"
                "\x04\xC3\x9D\x51\xA8\x2B\x20\x05\x02\x71\xC2\x01\x02\x91\x08",
                35),
};

std::string damaged(std::string text, Dice& dice) {
  const auto place = [&] {
    return static_cast<size_t>(dice.unit() * static_cast<double>(text.size()));
  };
  const std::string_view letters = "0123456789()<>[],:-.\n\"= ";
  for (int change = 0; change < 4 && !text.empty(); ++change) {
    const size_t at = place();
    const double kind = dice.unit();
    if (kind < 0.3)
      text[at] = static_cast<char>(static_cast<int>(dice.unit() * 256.0));
    else if (kind < 0.6)
      text[at] = letters[static_cast<size_t>(dice.unit() * static_cast<double>(letters.size()))];
    else if (kind < 0.75)
      text.erase(at, 1 + place() % 20);
    else if (kind < 0.95)
      text.insert(at, text.substr(place(), 20));
    else
      text.resize(at);
  }
  return text;
}

void check(const std::string& text) {
  const auto flight = read_flight(text, "log");
  if (!flight) {
    CHECK(flight.failure().kind == ErrorKind::bad_input);
    CHECK(!flight.error().empty());
    CHECK(readable(flight.error(), 2000) == flight.error());
    return;
  }
  REQUIRE(!flight->samples.empty());
  for (size_t at = 1; at < flight->samples.size(); ++at)
    REQUIRE(flight->samples[at].seconds > flight->samples[at - 1].seconds);
  const double begin = flight->samples.front().seconds;
  CHECK(telemetry_at(*flight, begin).ok());
  CHECK(telemetry_at(*flight, 0.5 * (begin + flight->end_seconds)).ok());
  if (!summary_of(*flight).known.empty()) CHECK(read_flight(csv_of(*flight), "csv").ok());
}

}  // namespace

TEST_CASE("damaged logs give rising times or one sentence, whatever is damaged") {
  for (size_t log = 0; log < std::size(whole_logs); ++log) {
    INFO("log ", log);
    REQUIRE_MESSAGE(read_flight(whole_logs[log], "log").ok(),
                    read_flight(whole_logs[log], "log").error());
    for (uint64_t seed = 1; seed <= 2000; ++seed) {
      INFO("seed ", seed);
      Dice dice(seed);
      check(damaged(whole_logs[log], dice));
    }
  }
}
