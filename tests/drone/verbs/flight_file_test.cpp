// Flight logs within videos and photographs.
#include "apps/drone/verbs/flight_file.hpp"

#include <doctest/doctest.h>

#include <exiv2/exiv2.hpp>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>

#include "tests/apps/program.hpp"
#include "tests/clips/coded_video.hpp"
#include "tests/drone/shared_data.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

Flight flight_of_file(const std::string& path, const FlightFileOptions& options = {}) {
  auto flight = read_flight_file(path, options);
  REQUIRE_MESSAGE(flight.ok(), flight.error());
  return *flight;
}

std::string error_of(const std::string& path, const FlightFileOptions& options = {}) {
  const auto flight = read_flight_file(path, options);
  if (flight) return "no error";
  CHECK(flight.failure().kind == ErrorKind::bad_input);
  return flight.error();
}

std::string big_endian(uint64_t value, size_t bytes) {
  std::string text;
  for (size_t at = bytes; at-- > 0;) text += static_cast<char>(value >> (8 * at));
  return text;
}

// A cue of later models each fifth of a second, and the same as a file of subtitles.
std::string cue(int number) {
  return "<font size=\"28\">SrtCnt : " + std::to_string(number + 1) + "\n2024-01-18 10:23:2" +
         std::to_string(number) +
         ".000\n[focal_len: 24.00] [latitude: 41.5] [longitude: 2.25] [rel_alt: " +
         std::to_string(60 + number) + ".0 abs_alt: 150.0] </font>";
}

std::vector<clips::SidePacket> subtitles_of(size_t count, bool has_length) {
  std::vector<clips::SidePacket> packets;
  for (size_t i = 0; i < count; ++i) {
    const std::string text = cue(static_cast<int>(i));
    packets.push_back({.seconds = 0.2 * static_cast<double>(i),
                       .duration = 0.2,
                       .bytes = (has_length ? big_endian(text.size(), 2) : "") + text});
  }
  return packets;
}

const std::string subtitle_file = "1\n00:00:00,000 --> 00:00:00,200\n" + cue(0) +
                                  "\n\n2\n00:00:00,200 --> 00:00:00,400\n" + cue(1) +
                                  "\n\n3\n00:00:00,400 --> 00:00:00,600\n" + cue(2) + "\n";

std::string klv_packet(uint64_t microseconds, unsigned heading) {
  const std::string key("\x06\x0E\x2B\x34\x02\x0B\x01\x01\x0E\x01\x03\x01\x01\x00\x00\x00", 16);
  const std::string items =
      "\x02\x08" + big_endian(microseconds, 8) + "\x05\x02" + big_endian(heading, 2) + "\x01\x02";
  std::string text = key + big_endian(items.size() + 2, 1) + items;
  uint32_t sum = 0;
  for (size_t at = 0; at < text.size(); ++at)
    sum += static_cast<uint32_t>(static_cast<unsigned char>(text[at])) << (at % 2 == 0 ? 8 : 0);
  return text + big_endian(sum & 0xFFFF, 2);
}

std::string photograph(const ScratchFolder& folder, const std::string& name,
                       const Exiv2::ExifData& exif, const std::string& xmp = {}) {
  const std::string path = folder / name;
  REQUIRE(cv::imwrite(path, cv::Mat(48, 64, CV_8UC3, cv::Scalar::all(90))));
  const auto image = Exiv2::ImageFactory::open(path);
  image->setExifData(exif);
  image->setXmpPacket(xmp);
  image->writeXmpFromPacket(true);
  image->writeMetadata();
  return path;
}

Exiv2::ExifData exif_at(int second) {
  Exiv2::ExifData exif;
  exif["Exif.GPSInfo.GPSLatitude"] = "34/1 30/1 1800/100";
  exif["Exif.GPSInfo.GPSLatitudeRef"] = "S";
  exif["Exif.GPSInfo.GPSLongitude"] = "58/1 51/1 0/1";
  exif["Exif.GPSInfo.GPSLongitudeRef"] = "W";
  exif["Exif.GPSInfo.GPSAltitude"] = "1205/10";
  exif["Exif.Photo.FocalLength"] = "45/10";
  exif["Exif.Photo.FocalLengthIn35mmFilm"] = uint16_t{24};
  exif["Exif.Photo.DateTimeOriginal"] = "2023:05:02 19:40:5" + std::to_string(second);
  return exif;
}

const std::string dji_xmp =
    "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF "
    "xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"><rdf:Description rdf:about=\"\" "
    "xmlns:drone-dji=\"http://www.dji.com/drone-dji/1.0/\" drone-dji:RelativeAltitude=\"+99.00\" "
    "drone-dji:GimbalPitchDegree=\"-45.00\"/></rdf:RDF></x:xmpmeta>";

}  // namespace

TEST_CASE("a track of DJI's subtitles in a video is read as the file beside it") {
  const ScratchFolder folder;
  const Flight beside = flight_of_file(folder.with_text("a.SRT", subtitle_file));
  for (const char* name : {"a.mp4", "a.mov", "a.mkv"}) {
    const bool is_matroska = std::string(name) == "a.mkv";
    REQUIRE(clips::write_coded(
                folder / name,
                {.frames = 20, .reorders = true, .subtitles = subtitles_of(3, !is_matroska)})
                .ok());
    const Flight within = flight_of_file(folder / name);
    CHECK(within.format == LogFormat::dji_srt);
    CHECK(within.time == LogTime::video);
    REQUIRE(within.samples.size() == beside.samples.size());
    for (size_t i = 0; i < within.samples.size(); ++i) {
      const Telemetry &a = within.samples[i], &b = beside.samples[i];
      CHECK(std::abs(a.seconds - b.seconds) < 0.0011);  // Matroska's are of milliseconds
      CHECK(a.height == b.height);
      CHECK(a.latitude == b.latitude);
      CHECK(a.focal_35mm == b.focal_35mm);
      CHECK(a.clock == b.clock);
    }
    CHECK(std::abs(within.end_seconds - 0.6) < 0.0011);
  }
}

TEST_CASE("KLV in a transport stream counts from the first picture shown, also where times turn") {
  const ScratchFolder folder;
  constexpr double turn = 8589934592.0 / 90000.0;  // 33 bits of a 90 kHz clock
  for (const double begin : {10.0, turn - 1.0}) {
    const std::string path = folder / "a.ts";
    std::vector<clips::SidePacket> packets;
    for (unsigned i = 0; i < 4; ++i)
      packets.push_back({.seconds = begin + 0.5 * i,
                         .duration = 0.5,
                         .bytes = klv_packet(1000000 + 500000 * i, 1000 * i)});
    REQUIRE(
        clips::write_coded(
            path, {.frames = 60, .begin_seconds = begin, .reorders = true, .klv_packets = packets})
            .ok());
    const Flight flight = flight_of_file(path);
    CHECK(flight.format == LogFormat::misb_klv);
    CHECK(flight.time == LogTime::video);
    REQUIRE(flight.samples.size() == 4);
    for (size_t i = 0; i < 4; ++i)
      CHECK(std::abs(flight.samples[i].seconds - 0.5 * static_cast<double>(i)) < 1e-4);
    CHECK(flight.samples[3].body_yaw.has_value());
  }
}

TEST_CASE("a transport stream that lost or gained bytes gives the packets that are whole") {
  const ScratchFolder folder;
  std::vector<clips::SidePacket> packets;
  for (unsigned i = 0; i < 20; ++i)
    packets.push_back({0.1 * i, 0.1, klv_packet(1000000 + 100000 * i, i)});
  REQUIRE(clips::write_coded(folder / "a.ts", {.frames = 50, .klv_packets = packets}).ok());
  std::string bytes = contents(folder / "a.ts");
  REQUIRE(flight_of_file(folder / "a.ts").samples.size() == 20);
  bytes.insert(bytes.size() / 3 / 188 * 188, "abG");
  const Flight gained = flight_of_file(folder.with_text("b.ts", bytes));
  CHECK(gained.samples.size() >= 17);
  bytes.resize(bytes.size() / 2);
  const Flight cut = flight_of_file(folder.with_text("c.ts", bytes));
  CHECK(cut.samples.size() >= 6);
  CHECK(cut.samples.size() < 15);
}

TEST_CASE("a video without telemetry is refused, and so is one that is none") {
  const ScratchFolder folder;
  for (const char* name : {"a.mp4", "a.ts"}) {
    REQUIRE(clips::write_coded(folder / name, {}).ok());
    CHECK(error_of(folder / name)
              .starts_with("'" + (folder / name) + "' is a video without telemetry"));
  }
  const std::string broken = folder.with_text("b.mp4", std::string("\0\0\0\x20"
                                                                   "ftypisom",
                                                                   12) +
                                                           std::string(500, 'x'));
  CHECK(error_of(broken).starts_with("cannot read '" + broken + "' as a video: "));
  std::vector<clips::SidePacket> plain{{0.0, 1.0, big_endian(5, 2) + "Hello"}};
  REQUIRE(clips::write_coded(folder / "c.mp4", {.subtitles = plain}).ok());
  CHECK(error_of(folder / "c.mp4").find("has subtitles without telemetry") != std::string::npos);
}

TEST_CASE("photographs give position and lens by EXIF, height and angles by XMP") {
  const ScratchFolder folder;
  const std::string first = photograph(folder, "a.jpg", exif_at(0), dji_xmp);
  photograph(folder, "b.jpg", exif_at(4));
  photograph(folder, "c.jpg", {});
  folder.with_text("d.jpg", "no picture");
  const Flight one = flight_of_file(first);
  REQUIRE(one.samples.size() == 1);
  const Telemetry& sample = one.samples[0];
  CHECK(*sample.latitude == doctest::Approx(-34.505));
  CHECK(*sample.longitude == doctest::Approx(-58.85));
  CHECK(sample.altitude == 120.5);
  CHECK(sample.focal_length == 4.5);
  CHECK(sample.focal_35mm == 24.0);
  CHECK(sample.height == 99.0);
  CHECK(sample.gimbal_pitch == -45.0);
  CHECK(sample.clock == 1683056450.0);
  CHECK(one.clock == LogClock::local);

  const Flight all = flight_of_file(folder.path(), {.photos_per_second = 2.0});
  CHECK(all.format == LogFormat::photographs);
  CHECK(all.time == LogTime::video);
  REQUIRE(all.samples.size() == 2);
  CHECK(all.samples[1].seconds == 0.5);
  CHECK(!all.samples[1].height.has_value());
  CHECK(all.end_seconds == 1.5);
  REQUIRE(all.notes.size() == 1);
  CHECK(all.notes[0] == "photographs without a pose, left out: 1");
  const Flight by_clock = flight_of_file(folder.path());
  CHECK(by_clock.time == LogTime::clock);
  CHECK(by_clock.samples[1].seconds == 4.0);
}

TEST_CASE("photographs that say too little are refused in one sentence") {
  const ScratchFolder folder, undated;
  const std::string bare = photograph(folder, "a.jpg", {});
  CHECK(error_of(folder.path()) ==
        "'" + folder.path() +
            "' has no photograph with a pose (of 1); use pictures as the drone wrote them");
  Exiv2::ExifData exif = exif_at(0);
  exif.erase(exif.findKey(Exiv2::ExifKey("Exif.Photo.DateTimeOriginal")));
  const std::string path = photograph(undated, "a.jpg", exif);
  CHECK(error_of(undated.path()) == "'" + path + "' does not say when it was taken; give --fps");
  const std::string text = folder.with_text("none.jpg", "no picture");
  CHECK(error_of(text).starts_with("cannot read '" + text + "' as a photograph: "));
}

TEST_CASE("real stills of a DJI drone have their position and lens by EXIF") {
  const auto data = shared_data("aerial-cars");
  if (!data) return;
  const Flight flight = flight_of_file(*data + "/DJI_0012.JPG");
  const Telemetry& sample = flight.samples.at(0);
  CHECK(sample.height == 99.0);
  CHECK(sample.gimbal_pitch == -90.0);
  CHECK(sample.focal_35mm == 26.0);
  REQUIRE(sample.latitude.has_value());
  CHECK(std::abs(*sample.latitude) > 1.0);
}
