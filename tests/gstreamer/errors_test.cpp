// What is wrong is one error on the bus, with the library's sentence.
#include <signal.h>

#include <algorithm>
#include <tuple>

#include "tests/apps/program.hpp"
#include "tests/gstreamer/pipeline_fixture.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

constexpr const char* source = "videotestsrc ! video/x-raw,format=BGR,width=120,height=90 ! ";

// The only error of a pipeline that does not start.
BusWord refusal_of(const std::string& element) {
  Pipeline pipeline(source + element + "! fakesink");
  CHECK_FALSE(pipeline.starts());
  const std::vector<BusWord> errors = pipeline.errors();
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].source == "infer");
  CHECK(errors[0].text.find('\n') == std::string::npos);
  return errors[0];
}

// The library's own sentence for the same options.
std::string sentence_for(const OptionTexts& texts) {
  const TestOptions options(texts);
  shingle_session* session = nullptr;
  REQUIRE(shingle_open(options.handle, &session) != SHINGLE_OK);
  return shingle_error();
}

void check(const BusWord& word, GstResourceError code, const std::string& part) {
  CHECK(word.domain == GST_RESOURCE_ERROR);
  CHECK_MESSAGE(word.code == static_cast<int>(code), word.line());
  CHECK_MESSAGE(word.text.find(part) != std::string::npos, word.line());
}

}  // namespace

TEST_CASE("a model that is not there is one error with the library's sentence") {
  const BusWord word = refusal_of(infer("/nowhere/model.onnx"));
  check(word, GST_RESOURCE_ERROR_NOT_FOUND, "/nowhere/model.onnx");
  CHECK(word.text == sentence_for({{"model", "/nowhere/model.onnx"}, {"pictures", "yes"}}));
}

TEST_CASE("a model that is none is one error with the library's sentence") {
  const ScratchFolder folder;
  const std::string path = folder.with_text("model.onnx", "no network at all");
  const BusWord word = refusal_of(infer(path));
  check(word, GST_RESOURCE_ERROR_READ, path);
  CHECK(word.text == sentence_for({{"model", path}, {"pictures", "yes"}}));
}

TEST_CASE("wrong settings are errors that name the property or the option") {
  const ScratchFolder folder;
  const std::string model = tiny_model(folder);
  const auto settings = GST_RESOURCE_ERROR_SETTINGS;
  check(refusal_of("shingleinfer name=infer "), settings, "set the property 'model'");
  check(refusal_of(infer(model, "options=\"golf=fast\"")), settings, "did you mean 'goal'");
  check(refusal_of(infer(model, "options=\"goal=fast\"")), settings,
        "option 'goal': 'fast' is not latency");
  check(refusal_of(infer(model, "options=\"workers=2\"")), settings, "'workers'");
  check(refusal_of(infer(model, "options=nonsense")), settings, "write \"name=value");
  check(refusal_of(infer(model, "id=3")), settings, "'id'");
  check(refusal_of(infer(model, "node-program=/nowhere/node")), settings, "/nowhere/node");
  check(refusal_of(infer(model, "head=yolox")), settings, "do not fit the head 'yolox'");
}

// The test sets none of them: GLib of Debian 13 writes a critical message about a wrong value, and
// such a message ends this program.
TEST_CASE("numbers outside their range are outside of what the properties declare") {
  start_gstreamer();
  GstElement* element = gst_element_factory_make("shingleinfer", nullptr);
  REQUIRE(element != nullptr);
  for (const auto& [name, text, is_wrong] :
       std::initializer_list<std::tuple<const char*, const char*, bool>>{{"open", "0", true},
                                                                         {"open", "16", false},
                                                                         {"open", "17", true},
                                                                         {"workers", "0", true},
                                                                         {"workers", "65", true},
                                                                         {"threads", "257", true},
                                                                         {"score", "1.5", true},
                                                                         {"score", "1.0", false},
                                                                         {"nms", "-2.0", true},
                                                                         {"id", "65536", true}}) {
    GParamSpec* spec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), name);
    REQUIRE(spec != nullptr);
    GValue value = G_VALUE_INIT;
    g_value_init(&value, spec->value_type);
    REQUIRE(gst_value_deserialize(&value, text));
    CHECK_MESSAGE((g_param_value_validate(spec, &value) != 0) == is_wrong, name, "=", text);
    g_value_unset(&value);
  }
  gst_object_unref(element);
}

TEST_CASE("a lost worker ends nothing, and none left is an error") {
  const TestPicture picture = drawn("BGR", 500, 300);
  const std::vector<int> others = children();
  Pipeline pipeline(appsrc(picture) + "! " + infer(vehicles_model(), "score=0.02") +
                    "! appsink name=out sync=false");
  pipeline.play();
  std::vector<int> workers = children();
  std::erase_if(workers, [&](int each) {
    return std::find(others.begin(), others.end(), each) != others.end();
  });
  REQUIRE(workers.size() == 2);
  pipeline.give(picture, 0);
  const Sample first = pipeline.pulled();
  REQUIRE(first != nullptr);
  ::kill(workers[0], SIGKILL);
  for (GstClockTime i = 1; i < 6; ++i) pipeline.give(picture, i * GST_SECOND);
  for (GstClockTime i = 1; i < 6; ++i) {
    const Sample sample = pipeline.pulled();
    REQUIRE(sample != nullptr);
    GstBuffer* buffer = gst_sample_get_buffer(sample.get());
    CHECK(GST_BUFFER_PTS(buffer) == i * GST_SECOND);
    CHECK(boxes_of(buffer).size() == boxes_of(gst_sample_get_buffer(first.get())).size());
  }
  CHECK(pipeline.errors().empty());
  ::kill(workers[1], SIGKILL);
  pipeline.give(picture, 7 * GST_SECOND);
  const std::string how = pipeline.end();
  CHECK_MESSAGE(how.starts_with("error: infer: "), how);
  CHECK_MESSAGE(how.find("SHINGLE_RUNTIME") != std::string::npos, how);
  CHECK(pipeline.figure("errors") == 1);
  CHECK(pipeline.pulled() == nullptr);  // downstream was told that the stream ends
}

TEST_CASE("a buffer that is smaller than its caps say is an error of the stream") {
  const ScratchFolder folder;
  const TestPicture picture = drawn("BGR", 120, 90);
  Pipeline pipeline(appsrc(picture) + "! " + infer(tiny_model(folder), "head=raw") + "! fakesink");
  pipeline.play();
  GstBuffer* small = gst_buffer_new_allocate(nullptr, 100, nullptr);
  GST_BUFFER_PTS(small) = 0;
  CHECK(gst_app_src_push_buffer(GST_APP_SRC(pipeline.element("in")), small) == GST_FLOW_OK);
  const std::string how = pipeline.end();
  CHECK_MESSAGE(how.find("smaller than its caps say") != std::string::npos, how);
  CHECK(pipeline.figure("errors") == 1);
}
