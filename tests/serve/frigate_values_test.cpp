// What Frigate sends and gets, as values: headers, pictures, rows; and ZMTP.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "apps/serve/frigate/picture.hpp"
#include "apps/serve/frigate/rows.hpp"
#include "apps/serve/frigate/zmtp.hpp"

using namespace shingle;
using namespace shingle::serve;

namespace {

std::span<const std::byte> bytes_of_floats(const std::vector<float>& values) {
  return std::as_bytes(std::span(values));
}

std::string greeting(const std::string& mechanism = "NULL", uint8_t version = 3) {
  std::string text(64, '\0');
  text[0] = static_cast<char>(0xFF);
  text[9] = 0x7F;
  text[10] = static_cast<char>(version);
  text.replace(12, mechanism.size(), mechanism);
  return text;
}
const std::string ready_as_req("\4\31\5READY\13Socket-Type\0\0\0\3REQ", 27);

Status take(ZmtpReader& reader, const std::string& wire) {
  return reader.take(std::as_bytes(std::span(wire)));
}

std::string error_of(const std::string& wire) {
  Budget budget(1 << 20);
  ZmtpReader reader(budget);
  const Status taken = take(reader, wire);
  return taken ? "" : taken.error();
}

}  // namespace

TEST_CASE("headers are of models or of tensors") {
  const auto asked = read_frigate_header(R"({"model_request": true, "model_name": "yolo.onnx"})");
  REQUIRE(asked.ok());
  CHECK(std::get<ModelAsked>(*asked).name == "yolo.onnx");
  const auto sent = read_frigate_header(R"({"model_data": true, "model_name": "../../etc/x"})");
  REQUIRE(sent.ok());
  CHECK(std::get<ModelSent>(*sent).name == "../../etc/x");
  const auto tensor =
      read_frigate_header(R"({"shape": [1, 320, 320, 3], "dtype": "uint8", "model_type": "ssd"})");
  REQUIRE(tensor.ok());
  CHECK(std::get<TensorSent>(*tensor).shape == std::vector<int64_t>{1, 320, 320, 3});
  for (const std::string text :
       {"", "{", "[]", "7", "{}", R"({"model_request":true})",
        R"({"model_request":true,"model_name":7})", R"({"model_request":true,"model_name":""})",
        R"({"shape":[1]})", R"({"shape":[-1],"dtype":"uint8"})",
        R"({"shape":[1.5],"dtype":"uint8"})", R"({"shape":[4294967296],"dtype":"uint8"})",
        R"({"shape":[1,1,1,1,1,1,1,1,1],"dtype":"uint8"})",
        R"({"model_request":1,"model_name":"x"})"}) {
    const auto read = read_frigate_header(text);
    CHECK_MESSAGE(!read.ok(), text);
    if (!read) CHECK(!read.error().empty());
  }
  CHECK(!read_frigate_header(std::string(60'000, '[')).ok());
}

TEST_CASE("answers about models say what Frigate looks for") {
  CHECK(answer_to_request({.is_available = true, .is_loaded = true}) ==
        R"({"model_available":true,"model_loaded":true})");
  CHECK(answer_to_data({.is_available = true, .is_loaded = false, .error = "a \"b\""}) ==
        R"({"model_saved":true,"model_loaded":false,"error":"a \"b\""})");
  CHECK(header_of_rows("") == R"({"shape":[20,6],"dtype":"float32"})");
}

TEST_CASE("rows are the best twenty, by falling score, in shares of the sides") {
  std::vector<FrigateBox> boxes;
  for (int i = 0; i < 30; ++i)
    boxes.push_back({10.0F, 20.0F, 50.0F, 60.0F, static_cast<float>((i * 7) % 30) / 30.0F, i});
  boxes.push_back({-5.0F, 0.0F, 300.0F, 100.0F, 0.99F, 77});
  boxes.push_back({std::nanf(""), 0.0F, 1.0F, 1.0F, 1.0F, 78});
  const FrigateRows rows = frigate_rows(boxes, 200, 100);
  CHECK(rows.values[0] == 77.0F);
  CHECK(rows.values[1] == 0.99F);
  CHECK(rows.values[2] == 0.0F);  // y1, x1, y2, x2
  CHECK(rows.values[3] == 0.0F);
  CHECK(rows.values[4] == 1.0F);
  CHECK(rows.values[5] == 1.0F);
  CHECK(rows.values[8] == doctest::Approx(0.2));
  CHECK(rows.values[9] == doctest::Approx(0.05));
  CHECK(rows.values[10] == doctest::Approx(0.6));
  CHECK(rows.values[11] == doctest::Approx(0.25));
  for (size_t row = 1; row < 20; ++row)
    CHECK(rows.values[row * 6 + 1] <= rows.values[(row - 1) * 6 + 1]);
  const FrigateRows one = frigate_rows({boxes[3]}, 200, 100);
  for (size_t i = 6; i < 120; ++i) CHECK(one.values[i] == 0.0F);
}

TEST_CASE("a tensor is the picture that it was made of, in every layout and type") {
  constexpr PictureSize size{3, 2};
  std::vector<uint8_t> rgb(18);
  for (size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<uint8_t>(i * 14);
  std::vector<uint8_t> planes(18), bgr(18);
  std::vector<float> unit(18), pixels(18);
  for (size_t i = 0; i < 6; ++i)
    for (size_t c = 0; c < 3; ++c) {
      planes[c * 6 + i] = rgb[i * 3 + c];
      bgr[i * 3 + 2 - c] = rgb[i * 3 + c];
      unit[i * 3 + c] = static_cast<float>(rgb[i * 3 + c]) / 255.0F;
      pixels[c * 6 + i] = rgb[i * 3 + c];
    }
  const auto check = [&](const std::vector<int64_t>& shape, const std::string& dtype,
                         std::span<const std::byte> bytes, const FrigatePixels& how) {
    const auto picture = read_frigate_picture({shape, dtype}, bytes, size, how);
    REQUIRE_MESSAGE(picture.ok(), (picture ? "" : picture.error()));
    CHECK(picture->pixels == rgb);
    CHECK(picture->width == 3);
    CHECK(picture->height == 2);
  };
  check({1, 2, 3, 3}, "uint8", std::as_bytes(std::span(rgb)), {});
  check({1, 3, 2, 3}, "uint8", std::as_bytes(std::span(planes)), {});
  check({1, 2, 3, 3}, "uint8", std::as_bytes(std::span(bgr)), {.is_bgr = true});
  check({1, 2, 3, 3}, "float32", bytes_of_floats(unit), {});
  check({1, 3, 2, 3}, "float32", bytes_of_floats(pixels), {.floats_are_pixels = true});
}

TEST_CASE("a tensor that is no such picture is refused in one sentence") {
  const std::vector<float> values(12, 0.5F);
  const auto check = [&](const TensorSent& tensor, std::span<const std::byte> bytes,
                         const FrigatePixels& how, const std::string& part) {
    const auto picture = read_frigate_picture(tensor, bytes, {2, 2}, how);
    REQUIRE(!picture.ok());
    CHECK_MESSAGE(picture.error().find(part) != std::string::npos, picture.error());
  };
  const auto bytes = bytes_of_floats(values);
  check({{1, 2, 2, 3}, "float32"}, bytes.first(47), {}, "has 48 bytes, and 47 came");
  check({{1, 2, 2, 3}, "uint8"}, bytes, {}, "has 12 bytes, and 48 came");
  check({{1, 4, 4, 3}, "float32"}, bytes, {}, "a picture of 4 x 4, and the model takes 2 x 2");
  check({{2, 2, 2, 3}, "float32"}, bytes, {}, "2 x 2 x 2 x 3 is no picture");
  check({{12}, "float32"}, bytes, {}, "12 is no picture");
  check({{}, "float32"}, bytes, {}, "is no picture");
  check({{1, 2, 2, 3}, "float16"}, bytes, {}, "tensors of 'float16' are not read");
  check({{1, 2, 2, 3}, "float32"}, bytes, {}, "in steps of 1/255 (--frigate-floats pixels");
  check({{1, 2, 2, 3}, "float32"}, bytes, {.floats_are_pixels = true},
        "whole numbers from 0 to 255 (--frigate-floats unit");
  for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), -1.0F, 256.0F, 2.0F,
                            std::numeric_limits<float>::infinity()}) {
    std::vector<float> changed(12, 0.0F);
    changed[7] = wrong;
    check({{1, 2, 2, 3}, "float32"}, bytes_of_floats(changed), {}, "a value of the tensor is");
  }
}

TEST_CASE("ZMTP: a peer greets, is ready, and its messages come whole, byte by byte too") {
  Budget budget(1 << 20);
  const std::string payload(1000, 'p');
  const std::vector<std::string_view> frames{"", "header", payload};
  const std::string wire = greeting() + ready_as_req + zmtp_message(frames) + zmtp_message(frames);
  for (const size_t piece : {wire.size(), size_t{1}, size_t{7}}) {
    ZmtpReader reader(budget);
    std::string answers;
    for (size_t at = 0; at < wire.size(); at += piece) {
      REQUIRE(take(reader, wire.substr(at, piece)).ok());
      answers += reader.answers();
    }
    CHECK(reader.is_ready());
    CHECK(!reader.is_in_message());
    CHECK(answers.size() == 64 + 30);
    CHECK(answers.substr(0, 12) == greeting().substr(0, 12));
    for (int i = 0; i < 2; ++i) {
      const auto message = reader.next();
      REQUIRE(message.has_value());
      CHECK(message->delimited);
      CHECK(message->frames == 2);
      CHECK(message->header == "header");
      CHECK(message->payload.size() == 1000);
      CHECK(message->unfit.empty());
      CHECK(budget.held() > 0);
    }
    CHECK(!reader.next().has_value());
  }
  CHECK(budget.held() == 0);
}

TEST_CASE("ZMTP: pings are answered, and unknown commands are passed over") {
  Budget budget(1 << 20);
  ZmtpReader reader(budget);
  REQUIRE(take(reader, greeting() + ready_as_req).ok());
  reader.answers();
  REQUIRE(take(reader, std::string("\4\12\4PING\0\12abc", 12)).ok());
  CHECK(reader.answers() == std::string("\4\10\4PONGabc", 10));
  REQUIRE(take(reader, std::string("\4\5\4LATE", 7)).ok());
  CHECK(reader.answers().empty());
}

TEST_CASE("ZMTP: unfit messages are read to their end, endless ones end the connection") {
  Budget budget(ZmtpLimits::payload_bytes);
  ZmtpReader reader(budget);
  REQUIRE(take(reader, greeting() + ready_as_req).ok());
  const std::string large(ZmtpLimits::header_bytes + 1, 'x');
  const std::vector<std::string_view> large_header{"", large, "tensor"};
  REQUIRE(take(reader, zmtp_message(large_header)).ok());
  auto message = reader.next();
  REQUIRE(message.has_value());
  CHECK(message->unfit.find("the header has 65537 bytes") == 0);
  CHECK(message->header.empty());
  CHECK(message->payload.empty());
  const std::vector<std::string_view> three{"", "a", "b", "c"};
  REQUIRE(take(reader, zmtp_message(three)).ok());
  CHECK(reader.next()->frames == 3);

  const std::string begin = greeting() + ready_as_req;
  std::string many;
  for (int i = 0; i < 100; ++i) many += std::string("\1\1x", 3);
  CHECK(error_of(begin + many) == "it sent a message of more than 64 frames");
  CHECK(error_of(begin + std::string("\2\0\0\1\0\0\0\0\0", 9)) ==
        "it sent a message of more than 192 MiB");
  CHECK(error_of(begin + std::string("\6\0\0\0\0\0\1\0\0", 9)) ==
        "it sent a command that is too long");
  CHECK(error_of(begin + std::string("\x80\1x", 3)) == "it sent a frame whose flags mean nothing");
  CHECK(error_of(greeting() + std::string("\0\1x", 3)) == "it sent a message before it was ready");
  CHECK(error_of("GET / HTTP/1.1\r\n\r\n") == "it does not speak ZMTP");
  CHECK(error_of(greeting("NULL", 1)).find("older version") != std::string::npos);
  CHECK(error_of(greeting("CURVE")) == "it wants another security mechanism than NULL");
  CHECK(error_of(greeting() + std::string("\4\31\5READY\13Socket-Type\0\0\0\3SUB", 27)) ==
        "its socket is neither a REQ nor a DEALER");
}
