// Frigate's ZMQ detector against a real server: real REQ sockets of libzmq, real local workers.
#include <sys/stat.h>

#include <csignal>
#include <filesystem>

#include "tests/networks/networks.hpp"
#include "tests/serve/detector_client.hpp"
#include "tests/serve/http_client.hpp"
#include "tests/serve/serve_fixture.hpp"

using namespace shingle;
using namespace shingle::testing;
using std::chrono::milliseconds;

namespace {

constexpr int64_t height = 384, width = 640;  // of the vehicles' detector

// A server of the vehicles' detector at a file of its own, with much time for an answer.
struct FrigateServed : TestServer {
  template <class Change>
  explicit FrigateServed(const Change& change)
      : TestServer([&](ServePlan& plan, const ScratchFolder& in) {
          plan.http.reset();
          plan.models = {{"vehicles", vehicles_model()}};
          plan.session["score"] = "0.001";
          plan.frigate = serve::FrigateServerOptions{.endpoint = serve::IpcEndpoint{in / "socket"}};
          plan.frigate->answers.answer_in = std::chrono::seconds(30);
          change(plan, in);
        }) {}
  FrigateServed() : FrigateServed([](ServePlan&, const ScratchFolder&) {}) {}
  std::string endpoint() const { return "ipc://" + folder / "socket"; }
};

// Noise with boxes: the detector finds something in it.
std::string rgb_picture(uint64_t seed) {
  networks::Random random(seed);
  std::string pixels(static_cast<size_t>(height * width * 3), '\0');
  for (char& value : pixels) value = static_cast<char>(random.between(0, 255));
  return pixels;
}

std::vector<float> shares_of(const std::string& pixels, float one) {
  std::vector<float> values;
  for (const char each : pixels)
    values.push_back(static_cast<float>(static_cast<uint8_t>(each)) / one);
  return values;
}

std::string as_bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// What the C library finds in it, as rows.
std::vector<float> expected_rows(const ServePlan& plan, const std::string& pixels) {
  auto opened =
      serve::Session::open(plan.session, {.path = vehicles_model()}, serve::Use::pictures, Log{});
  REQUIRE_MESSAGE(opened.end.ok(), opened.end.sentence);
  const serve::Session& session = *opened.session;
  std::mutex mutex;
  std::vector<serve::FrigateBox> boxes;
  std::atomic<bool> done = false;
  const serve::RgbPicture picture{width, height, {pixels.begin(), pixels.end()}};
  const auto end = session.submit(picture, {}, [&](serve::Request request, shingle_code) {
    const auto found = request.boxes();
    const std::lock_guard lock(mutex);
    for (const shingle_box& box : found.boxes)
      boxes.push_back({box.x0, box.y0, box.x1, box.y1, box.score, box.class_id});
    done = true;
  });
  REQUIRE_MESSAGE(end.ok(), end.sentence);
  REQUIRE(becomes_true([&] { return done.load(); }));
  const std::lock_guard lock(mutex);
  CHECK(boxes.size() > 0);
  const auto rows = serve::frigate_rows(boxes, width, height);
  return {rows.values.begin(), rows.values.end()};
}

ServePlan sized_plan() {
  ServePlan plan = TestServer::usual_plan();
  plan.session["score"] = "0.001";
  return plan;
}

const std::vector<int64_t> nhwc{1, height, width, 3};

}  // namespace

TEST_CASE("a detector asks for its model, sends pictures, and gets the library's boxes") {
  const FrigateServed with;
  Detector detector(with.endpoint());
  const DetectorReply model = detector.ask_for_model("vehicles.onnx");
  CHECK(model.frames == 1);
  CHECK(model.header == nlohmann::json{{"model_available", true}, {"model_loaded", true}});
  const std::string pixels = rgb_picture(3);
  const std::vector<float> expected = expected_rows(sized_plan(), pixels);
  const DetectorReply reply = detector.detect(nhwc, "uint8", pixels);
  CHECK(reply.frames == 2);
  CHECK(reply.error().empty());
  CHECK(reply.rows() == expected);
  CHECK(expected[1] > 0.0F);
  const DetectorReply floats =
      detector.detect(nhwc, "float32", as_bytes_of(shares_of(pixels, 255.0F)));
  CHECK_MESSAGE(floats.error().empty(), floats.error());
  CHECK(floats.rows() == expected);
  std::string planes;
  for (size_t c = 0; c < 3; ++c)
    for (size_t i = c; i < pixels.size(); i += 3) planes += pixels[i];
  CHECK(detector.detect({1, 3, height, width}, "uint8", planes).rows() == expected);
}

TEST_CASE("a model whose worker was killed is opened again for its detector") {
  const FrigateServed with([](ServePlan& plan, const ScratchFolder&) {
    plan.frigate->answers.answer_in = std::chrono::seconds(5);
  });
  Detector detector(with.endpoint());
  const std::string pixels = rgb_picture(3);
  const auto loaded = [&] {
    return detector.ask_for_model("vehicles").header.value("model_loaded", false);
  };
  const auto detects = [&] { return detector.detect(nhwc, "uint8", pixels).error().empty(); };
  REQUIRE(becomes_true(loaded));
  REQUIRE(detects());
  for (const pid_t worker : worker_processes()) ::kill(worker, SIGKILL);
  CHECK(becomes_true([&] {
    return !detects() && with.notes.contain("the model 'vehicles' is opened again soon");
  }));
  CHECK(loaded());  // the answer waits until it is tried again
  CHECK(detects());
}

TEST_CASE("float32 from 0 to 255 and BGR are read where the settings say so") {
  const FrigateServed with([](ServePlan& plan, const ScratchFolder&) {
    plan.frigate->answers.pixels = {.floats_are_pixels = true, .is_bgr = true};
  });
  Detector detector(with.endpoint());
  REQUIRE(detector.ask_for_model("vehicles").header["model_loaded"] == true);
  const std::string pixels = rgb_picture(4);
  std::string bgr = pixels;
  for (size_t i = 0; i < bgr.size(); i += 3) std::swap(bgr[i], bgr[i + 2]);
  const auto reply = detector.detect(nhwc, "float32", as_bytes_of(shares_of(bgr, 1.0F)));
  CHECK_MESSAGE(reply.error().empty(), reply.error());
  CHECK(reply.rows() == expected_rows(sized_plan(), pixels));
  const auto wrong = detector.detect(nhwc, "float32", as_bytes_of(shares_of(bgr, 255.0F)));
  CHECK(wrong.error().find("--frigate-floats unit") != std::string::npos);
}

TEST_CASE("several detectors ask at once while the model is loaded: once, for all of them") {
  const FrigateServed with;
  std::vector<std::unique_ptr<Detector>> detectors;
  for (int i = 0; i < 5; ++i) detectors.push_back(std::make_unique<Detector>(with.endpoint()));
  for (auto& each : detectors) each->send({R"({"model_request":true,"model_name":"vehicles"})"});
  for (auto& each : detectors) CHECK(each->receive().header["model_loaded"] == true);
  CHECK(workers_running() == 1);
  for (auto& each : detectors)
    each->send({nlohmann::json{{"shape", nhwc}, {"dtype", "uint8"}}.dump(), rgb_picture(5)});
  const std::vector<float> first = detectors[0]->receive().rows();
  for (size_t i = 1; i < detectors.size(); ++i) CHECK(detectors[i]->receive().rows() == first);
}

TEST_CASE("a model that takes too long to load is told in time, and is there later") {
  const FrigateServed with([](ServePlan& plan, const ScratchFolder&) {
    plan.frigate->answers.load_wait = milliseconds(1);
  });
  Detector detector(with.endpoint());
  const DetectorReply early = detector.ask_for_model("vehicles");
  CHECK(early.header["model_available"] == true);
  CHECK(early.header["model_loaded"] == false);
  CHECK(early.error() == "the model 'vehicles' is still being loaded");
  CHECK(becomes_true(
      [&] { return detector.ask_for_model("vehicles").header["model_loaded"] == true; }));
}

TEST_CASE("a network that finds no boxes, and a file that is no model, are told to Frigate") {
  const FrigateServed with([](ServePlan& plan, const ScratchFolder& in) {
    plan.models = {{"tiny", tiny_network(in)}, {"broken", in.with_text("broken.onnx", "no model")}};
  });
  Detector detector(with.endpoint());
  const DetectorReply broken = detector.ask_for_model("broken.onnx");
  CHECK(broken.header["model_available"] == true);
  CHECK(broken.header["model_loaded"] == false);
  CHECK_MESSAGE(broken.error().find("the model 'broken.onnx' was not loaded: ") == 0,
                broken.error());
  CHECK(detector.detect(nhwc, "uint8", rgb_picture(1)).error() == broken.error());
  REQUIRE(detector.ask_for_model("tiny").header["model_loaded"] == true);
  const DetectorReply tiny =
      detector.detect({1, 32, 32, 3}, "uint8", std::string(32 * 32 * 3, 'x'));
  CHECK_MESSAGE(tiny.error().find("boxes") != std::string::npos, tiny.error());
}

TEST_CASE("a detector that names no model gets the only one") {
  const FrigateServed with;
  Detector detector(with.endpoint());
  CHECK(
      becomes_true([&] { return detector.detect(nhwc, "uint8", rgb_picture(6)).error().empty(); }));
}

TEST_CASE(
    "a detector that has named none of several models is disconnected, so that it asks again") {
  ServePlan kept;
  FrigateServed with([&](ServePlan& plan, const ScratchFolder& in) {
    plan.models.push_back({"tiny", tiny_network(in)});
    kept = plan;
  });
  const std::string header = nlohmann::json{{"shape", nhwc}, {"dtype", "uint8"}}.dump();
  RawPeer silent(with.folder / "socket");
  REQUIRE(silent.greet());
  silent.send(RawPeer::frame("", true) + RawPeer::frame(header, true) + RawPeer::frame("x", false));
  CHECK(silent.is_ended_by_server());
  CHECK(with.notes.contain("it sent a tensor before it asked for a model"));
  // libzmq connects a detector again behind its back when the server was started again.
  Detector detector(with.endpoint());
  REQUIRE(detector.ask_for_model("vehicles").header["model_loaded"] == true);
  with.server.reset();
  with.start(kept);
  detector.send({header, rgb_picture(8)});
  CHECK(detector.receive(milliseconds(1000)).header.is_null());
  Detector afresh(with.endpoint());
  REQUIRE(afresh.ask_for_model("vehicles").header["model_loaded"] == true);
  CHECK(afresh.detect(nhwc, "uint8", rgb_picture(8)).error().empty());
}

TEST_CASE("a picture that takes too long is answered in time, without detections and with why") {
  const FrigateServed with([](ServePlan& plan, const ScratchFolder&) {
    plan.frigate->answers.answer_in = milliseconds(2);
  });
  Detector detector(with.endpoint());
  REQUIRE(detector.ask_for_model("vehicles").header["model_loaded"] == true);
  const DetectorReply reply = detector.detect(nhwc, "uint8", rgb_picture(1));
  CHECK(reply.error() == "the picture was not computed within 2 ms (--answer-in)");
  for (const float value : reply.rows()) CHECK(value == 0.0F);
  // And the next one as well, whatever the first has become.
  CHECK(!detector.detect(nhwc, "uint8", rgb_picture(2)).header.is_null());
}

TEST_CASE("what is wrong with a message is answered with zeros and one sentence") {
  const FrigateServed with;
  Detector detector(with.endpoint());
  REQUIRE(detector.ask_for_model("vehicles").header["model_loaded"] == true);
  const std::string pixels = rgb_picture(7);
  const std::string header = nlohmann::json{{"shape", nhwc}, {"dtype", "uint8"}}.dump();
  const auto check = [&](const DetectorReply& reply, const std::string& part) {
    CHECK_MESSAGE(reply.error().find(part) != std::string::npos, reply.error());
    for (const float value : reply.rows()) CHECK(value == 0.0F);
  };
  check(detector.ask({header, pixels, "third"}), "a message has 3 frames");
  check(detector.ask({header}), "the tensor came without bytes");
  check(detector.ask({header, pixels.substr(1)}), "has 737280 bytes, and 737279 came");
  check(detector.ask({"no header", pixels}), "the header is no JSON object");
  check(detector.ask({std::string(64 << 20, 'x'), pixels}), "the header has 67108864 bytes");
  check(detector.detect({1, 64, 64, 3}, "uint8", std::string(64 * 64 * 3, 'x')),
        "a picture of 64 x 64, and the model takes 640 x 384");
  check(detector.detect(nhwc, "float32", as_bytes_of(std::vector<float>(pixels.size(), 0.5F))),
        "a value of the tensor is 0.5");
  CHECK(detector.ask_for_model("none").header ==
        nlohmann::json{{"model_available", false},
                       {"model_loaded", false},
                       {"error", "there is no model 'none'"}});
  check(detector.detect(nhwc, "uint8", pixels), "there is no model 'none'");
  const DetectorReply refused = detector.send_model("new.onnx", "bytes");
  CHECK(refused.header["model_saved"] == false);
  CHECK(refused.error().find("--accept-models") != std::string::npos);
  REQUIRE(detector.ask_for_model("vehicles").header["model_loaded"] == true);
  CHECK(detector.detect(nhwc, "uint8", pixels).error().empty());
}

TEST_CASE("models that are sent are kept by their hash, loaded, and there after a restart") {
  const ScratchFolder store;
  const auto accepting = [&](ServePlan& plan, const ScratchFolder&) {
    plan.models.clear();
    plan.accept_models = store.path();
  };
  const std::string bytes = contents(vehicles_model());
  const std::string name = "../../tmp/vehicles.onnx";
  std::vector<float> rows;
  const std::string pixels = rgb_picture(8);
  {
    const FrigateServed with(accepting);
    Detector detector(with.endpoint());
    CHECK(detector.ask_for_model(name).header["model_available"] == false);
    const DetectorReply broken = detector.send_model("broken", "no model at all");
    CHECK(broken.header["model_saved"] == true);
    CHECK(broken.header["model_loaded"] == false);
    CHECK(!broken.error().empty());
    const DetectorReply sent = detector.send_model(name, bytes);
    CHECK_MESSAGE(sent.header["model_saved"] == true, sent.error());
    CHECK_MESSAGE(sent.header["model_loaded"] == true, sent.error());
    rows = detector.detect(nhwc, "uint8", pixels).rows();
    CHECK(rows[1] > 0.0F);
    CHECK(std::filesystem::exists(store / (to_string(sha256(bytes)) + ".model")));
  }
  const FrigateServed with(accepting);
  Detector detector(with.endpoint());
  CHECK(detector.ask_for_model(name).header["model_loaded"] == true);
  CHECK(detector.detect(nhwc, "uint8", pixels).rows() == rows);
  const DetectorReply empty = detector.send_model("empty", "");
  CHECK(empty.header["model_saved"] == false);
}

TEST_CASE("the socket's file is for its owner and group, and goes with the server") {
  std::string path;
  {
    const FrigateServed with;
    path = with.folder / "socket";
    struct stat found {};
    REQUIRE(::stat(path.c_str(), &found) == 0);
    CHECK(S_ISSOCK(found.st_mode));
    CHECK((found.st_mode & 0777) == 0660);
    const auto second = serve::Listener::open(serve::IpcEndpoint{path});
    REQUIRE(!second.ok());
    CHECK(second.error().find("another program listens") == 0);
    CHECK(std::filesystem::exists(path));
  }
  CHECK(!std::filesystem::exists(path));
}
