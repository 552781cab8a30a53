// Pictures: what the library finds is what `shingle run` prints.
#include <nlohmann/json.hpp>

#include "tests/apps/program.hpp"
#include "tests/library/session_fixture.hpp"
#include "tests/networks/networks.hpp"
#include "tests/places.hpp"

using namespace shingle;
using namespace shingle::testing;
using Json = nlohmann::ordered_json;

namespace {

constexpr int32_t width = 500, height = 300;

std::string vehicles() { return source_folder() + "/models/vehicles.onnx"; }

// Boxes of many colours on noise, in RGB.
std::vector<uint8_t> drawn_picture() {
  networks::Random random(7);
  std::vector<uint8_t> pixels(size_t{width} * height * 3);
  for (uint8_t& value : pixels) value = static_cast<uint8_t>(random.between(90, 120));
  for (int box = 0; box < 40; ++box) {
    const int32_t left = random.between(0, width - 60), top = random.between(0, height - 40);
    const int32_t w = random.between(8, 60), h = random.between(8, 40);
    const uint8_t colour[] = {static_cast<uint8_t>(random.between(0, 255)),
                              static_cast<uint8_t>(random.between(0, 255)),
                              static_cast<uint8_t>(random.between(0, 255))};
    for (int32_t y = top; y < top + h; ++y)
      for (int32_t x = left; x < left + w; ++x)
        for (size_t c = 0; c < 3; ++c)
          pixels[(static_cast<size_t>(y) * width + static_cast<size_t>(x)) * 3 + c] = colour[c];
  }
  return pixels;
}

shingle_picture picture_of(const std::vector<uint8_t>& pixels) {
  shingle_picture picture{};
  picture.struct_size = sizeof picture;
  picture.format = SHINGLE_RGB;
  picture.width = width;
  picture.height = height;
  picture.data = pixels.data();
  picture.size = pixels.size();
  return picture;
}

Json findings_of(shingle_session* session, const shingle_picture& picture) {
  shingle_request* request = nullptr;
  REQUIRE_MESSAGE(shingle_submit_picture(session, &picture, nullptr, &request) == SHINGLE_OK,
                  shingle_error());
  REQUIRE_MESSAGE(shingle_wait(request, -1) == SHINGLE_OK, shingle_error());
  const char* json = nullptr;
  REQUIRE_MESSAGE(shingle_findings(request, &json) == SHINGLE_OK, shingle_error());
  Json found = Json::parse(json);
  const shingle_box* boxes = nullptr;
  size_t count = 0;
  REQUIRE_MESSAGE(shingle_boxes(request, &boxes, &count) == SHINGLE_OK, shingle_error());
  CHECK(count == found["boxes"].size());
  for (size_t i = 0; i < count; ++i) {
    const Json& box = found["boxes"][i];
    CHECK(boxes[i].class_id == box["class"].get<int>());
    CHECK(boxes[i].class_name == box["name"].get<std::string>());
    CHECK(boxes[i].score == doctest::Approx(box["score"].get<double>()).epsilon(1e-3));
    CHECK(boxes[i].x0 == doctest::Approx(box["x"].get<double>()).epsilon(1e-3));
    CHECK(boxes[i].y1 - boxes[i].y0 == doctest::Approx(box["h"].get<double>()).epsilon(1e-2));
  }
  shingle_request_free(request);
  return found;
}

// Without what differs from run to run.
Json bare(Json line) {
  CHECK(line["ms"].get<double>() > 0.0);
  line.erase("ms");
  line.erase("name");
  line.erase("frame");
  return line;
}

}  // namespace

TEST_CASE(
    "the boxes of a picture are those that `shingle run --json` prints, from RGB and from BGR") {
  const ScratchFolder folder;
  std::vector<uint8_t> pixels = drawn_picture();
  std::string file = "P6\n500 300\n255\n";
  file.append(reinterpret_cast<const char*>(pixels.data()), pixels.size());
  Program run({"run", vehicles(), folder.with_text("picture.ppm", file), "--workers", "2",
               "--score", "0.02", "--json"});
  REQUIRE_MESSAGE(run.end() == "exit code 0", run.err());
  const Json expected = bare(Json::parse(run.out_lines().front()));
  CHECK(expected["boxes"].size() > 0);
  const TestSession session(
      OptionTexts{{"model", vehicles()}, {"workers", "2"}, {"pictures", "yes"}, {"score", "0.02"}});
  shingle_picture picture = picture_of(pixels);
  const Json first = findings_of(session.handle, picture);
  CHECK(first["frame"] == 0);
  CHECK(bare(first) == expected);
  std::vector<uint8_t> padded;  // BGR, rows of 1501 bytes
  for (size_t y = 0; y < height; ++y) {
    for (size_t x = 0; x < width; ++x)
      for (size_t c = 0; c < 3; ++c) padded.push_back(pixels[(y * width + x) * 3 + 2 - c]);
    padded.push_back(0);
  }
  picture.format = SHINGLE_BGR;
  picture.row_bytes = width * 3 + 1;
  picture.data = padded.data();
  picture.size = padded.size();
  const Json second = findings_of(session.handle, picture);
  CHECK(second["frame"] == 1);
  CHECK(bare(second) == expected);
}

TEST_CASE("pictures of no size, no format or too few bytes are refused") {
  const TestSession session(
      OptionTexts{{"model", vehicles()}, {"workers", "1"}, {"pictures", "yes"}});
  const std::vector<uint8_t> pixels = drawn_picture();
  const auto check = [&](const std::string& part, auto change) {
    shingle_picture picture = picture_of(pixels);
    change(picture);
    shingle_request* request = nullptr;
    check_refused(shingle_submit_picture(session.handle, &picture, nullptr, &request),
                  SHINGLE_USAGE, part);
    CHECK(request == nullptr);
  };
  check("format is 9", [](shingle_picture& picture) { picture.format = 9; });
  check("it is 0 x 300 pixels", [](shingle_picture& picture) { picture.width = 0; });
  check("it is 500 x -1 pixels", [](shingle_picture& picture) { picture.height = -1; });
  check("pixels; sides may be 1 to 65536",
        [](shingle_picture& picture) { picture.width = 2'000'000'000; });
  check("its data are null", [](shingle_picture& picture) { picture.data = nullptr; });
  check("row_bytes is 7, and a row has 1500 bytes",
        [](shingle_picture& picture) { picture.row_bytes = 7; });
  check("row_bytes is -1500", [](shingle_picture& picture) { picture.row_bytes = -1500; });
  check("row_bytes is 9223372036854775807",
        [](shingle_picture& picture) { picture.row_bytes = INT64_MAX; });
  check("its rows need 450000 bytes, and size says 449999",
        [](shingle_picture& picture) { picture.size -= 1; });
  check("struct_size of the shingle_picture is 3",
        [](shingle_picture& picture) { picture.struct_size = 3; });
  shingle_request* request = nullptr;
  check_refused(shingle_submit_picture(session.handle, nullptr, nullptr, &request), SHINGLE_USAGE,
                "the shingle_picture is null");
}

TEST_CASE("a model that is no detector has findings, but no boxes, and tensors have neither") {
  const ScratchFolder folder;
  const TestSession session(OptionTexts{
      {"model", tiny_model(folder)}, {"workers", "1"}, {"pictures", "yes"}, {"head", "raw"}});
  const std::vector<uint8_t> pixels = drawn_picture();
  shingle_picture picture = picture_of(pixels);
  shingle_request* request = nullptr;
  REQUIRE_MESSAGE(shingle_submit_picture(session.handle, &picture, nullptr, &request) == SHINGLE_OK,
                  shingle_error());
  REQUIRE(shingle_wait(request, -1) == SHINGLE_OK);
  const char* json = nullptr;
  REQUIRE(shingle_findings(request, &json) == SHINGLE_OK);
  CHECK(Json::parse(json)["frame"] == 0);
  const shingle_box* boxes = nullptr;
  size_t count = 0;
  check_refused(shingle_boxes(request, &boxes, &count), SHINGLE_USAGE,
                "the model's head, 'raw', finds no boxes");
  shingle_request_free(request);
  shingle_tensor input{};
  input.struct_size = sizeof input;
  REQUIRE(shingle_input(session.handle, 0, &input) == SHINGLE_OK);
  CHECK(input.type == SHINGLE_U8);
  const std::vector<uint8_t> bytes(input.size, 128);
  input.data = bytes.data();
  REQUIRE_MESSAGE(shingle_submit(session.handle, &input, 1, nullptr, &request) == SHINGLE_OK,
                  shingle_error());
  REQUIRE(shingle_wait(request, -1) == SHINGLE_OK);
  check_refused(shingle_findings(request, &json), SHINGLE_USAGE, "tensors were submitted");
  shingle_request_free(request);
}
