#include "tests/gstreamer/pipeline_fixture.hpp"

#include <cstdlib>
#include <filesystem>

#include "tests/apps/program.hpp"
#include "tests/networks/networks.hpp"
#include "tests/places.hpp"

namespace shingle::testing {
namespace {

constexpr GstClockTime longest_wait = 60 * GST_SECOND;

std::string plugin_folder() {
  const auto apps = std::filesystem::path(shingle_program()).parent_path();
  return (apps / "gstreamer/gstreamer-1.0").string();
}

double number_in(const GstStructure* structure, const char* field) {
  double value = -1.0;
  CHECK_MESSAGE(gst_structure_get_double(structure, field, &value), field);
  return value;
}

}  // namespace

void start_gstreamer() {
  static const auto folder = [] {
    auto made = std::make_unique<ScratchFolder>();
    ::setenv("GST_PLUGIN_PATH", plugin_folder().c_str(), 1);
    ::setenv("GST_REGISTRY", (*made / "registry").c_str(), 1);
    ::setenv("G_DEBUG", "fatal-criticals", 1);  // of programs, and here:
    g_log_set_always_fatal(static_cast<GLogLevelFlags>(G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL));
    gst_init(nullptr, nullptr);
    return made;
  }();
}

std::string vehicles_model() { return source_folder() + "/models/vehicles.onnx"; }

std::string infer(const std::string& model, const std::string& further) {
  return "shingleinfer name=infer model=\"" + model + "\" node-program=\"" + node_program() +
         "\" workers=2 " + further + " ";
}

std::string TestPicture::caps() const {
  return "video/x-raw,format=" + format + ",width=" + std::to_string(width) +
         ",height=" + std::to_string(height) + ",framerate=10/1";
}

shingle_picture TestPicture::view() const {
  shingle_picture picture{};
  picture.struct_size = sizeof picture;
  picture.format = format == "RGB" ? SHINGLE_RGB : SHINGLE_BGR;
  picture.width = width;
  picture.height = height;
  picture.row_bytes = static_cast<int64_t>(row_bytes());
  picture.data = pixels.data();
  picture.size = pixels.size();
  return picture;
}

TestPicture drawn(const std::string& format, int32_t width, int32_t height, uint64_t seed) {
  networks::Random random(seed);
  TestPicture picture{.format = format, .width = width, .height = height};
  picture.pixels.resize(picture.row_bytes() * static_cast<size_t>(height));
  const auto at = [&](int32_t x, int32_t y, size_t channel) -> uint8_t& {
    const size_t place = format == "RGB" ? channel : 2 - channel;
    return picture
        .pixels[static_cast<size_t>(y) * picture.row_bytes() + static_cast<size_t>(x) * 3 + place];
  };
  for (int32_t y = 0; y < height; ++y)
    for (int32_t x = 0; x < width; ++x)
      for (size_t c = 0; c < 3; ++c) at(x, y, c) = static_cast<uint8_t>(random.between(90, 120));
  for (int box = 0; box < 40; ++box) {
    const int32_t left = random.between(0, width - 60), top = random.between(0, height - 40);
    const int32_t w = random.between(8, 60), h = random.between(8, 40);
    for (size_t c = 0; c < 3; ++c) {
      const auto colour = static_cast<uint8_t>(random.between(0, 255));
      for (int32_t y = top; y < top + h; ++y)
        for (int32_t x = left; x < left + w; ++x) at(x, y, c) = colour;
    }
  }
  return picture;
}

GstBuffer* buffer_of(const TestPicture& picture, GstClockTime pts) {
  GstBuffer* buffer = gst_buffer_new_memdup(picture.pixels.data(), picture.pixels.size());
  GST_BUFFER_PTS(buffer) = pts;
  GST_BUFFER_DURATION(buffer) = GST_SECOND / 10;
  return buffer;
}

std::string appsrc(const TestPicture& picture) {
  return "appsrc name=in format=time caps=\"" + picture.caps() + "\" ";
}

std::vector<CarriedBox> boxes_of(GstBuffer* buffer) {
  std::vector<CarriedBox> boxes;
  gpointer state = nullptr;
  while (GstMeta* each = gst_buffer_iterate_meta_filtered(
             buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    auto* meta = reinterpret_cast<GstVideoRegionOfInterestMeta*>(each);
    const GstStructure* found = gst_video_region_of_interest_meta_get_param(meta, "detection");
    REQUIRE(found != nullptr);
    CarriedBox box{.label = g_quark_to_string(meta->roi_type),
                   .id = meta->id,
                   .x = meta->x,
                   .y = meta->y,
                   .width = meta->w,
                   .height = meta->h,
                   .x_min = number_in(found, "x_min"),
                   .x_max = number_in(found, "x_max"),
                   .y_min = number_in(found, "y_min"),
                   .y_max = number_in(found, "y_max"),
                   .confidence = number_in(found, "confidence")};
    CHECK(gst_structure_get_int(found, "label_id", &box.label_id));
    CHECK(meta->parent_id == -1);
    boxes.push_back(box);
  }
  return boxes;
}

const GstStructure* frame_meta_of(GstBuffer* buffer) {
  GstCustomMeta* meta = gst_buffer_get_custom_meta(buffer, "GstShingleMeta");
  return meta == nullptr ? nullptr : gst_custom_meta_get_structure(meta);
}

std::vector<uint8_t> bytes_of(const GstStructure* structure) {
  const GValue* value = gst_structure_get_value(structure, "data");
  REQUIRE(value != nullptr);
  gsize size = 0;
  const auto* data = static_cast<const uint8_t*>(
      g_bytes_get_data(static_cast<GBytes*>(g_value_get_boxed(value)), &size));
  return {data, data + size};
}

BusWord word_of(GstMessage* message) {
  GError* error = nullptr;
  gchar* debug = nullptr;
  gst_message_parse_error(message, &error, &debug);
  BusWord word{.source = GST_OBJECT_NAME(GST_MESSAGE_SRC(message)),
               .text = error->message,
               .debug = debug == nullptr ? "" : debug,
               .domain = error->domain,
               .code = error->code};
  g_error_free(error);
  g_free(debug);
  return word;
}

Pipeline::Pipeline(const std::string& description) {
  start_gstreamer();
  GError* error = nullptr;
  pipeline_ =
      gst_parse_launch_full(description.c_str(), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  REQUIRE_MESSAGE(error == nullptr, description, ": ", error->message);
  bus_ = gst_element_get_bus(pipeline_);
}

Pipeline::~Pipeline() {
  gst_element_set_state(pipeline_, GST_STATE_NULL);
  gst_object_unref(bus_);
  gst_object_unref(pipeline_);
}

GstElement* Pipeline::element(const std::string& name) const {
  GstElement* found = gst_bin_get_by_name(GST_BIN(pipeline_), name.c_str());
  REQUIRE_MESSAGE(found != nullptr, "no element ", name);
  gst_object_unref(found);  // the pipeline keeps it
  return found;
}

std::string Pipeline::what_the_bus_says() const {
  std::string lines;
  for (const BusWord& word : errors()) lines.append("\n  ").append(word.line());
  return lines.empty() ? "\n  (no error is on the bus)" : lines;
}

bool Pipeline::starts() const {
  return gst_element_set_state(pipeline_, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE;
}

void Pipeline::play() const {
  REQUIRE_MESSAGE(starts(), "the pipeline does not start:", what_the_bus_says());
}

void Pipeline::set(GstState state) const {
  gst_element_set_state(pipeline_, state);
  const GstStateChangeReturn changed =
      gst_element_get_state(pipeline_, nullptr, nullptr, longest_wait);
  REQUIRE_MESSAGE((changed == GST_STATE_CHANGE_SUCCESS || changed == GST_STATE_CHANGE_NO_PREROLL),
                  "the pipeline does not change its state:", what_the_bus_says());
}

std::string Pipeline::end() {
  GstMessage* message = gst_bus_timed_pop_filtered(
      bus_, longest_wait, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  REQUIRE_MESSAGE(message != nullptr, "the pipeline did not end within a minute");
  std::string how = "end of stream";
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) how = "error: " + word_of(message).line();
  gst_message_unref(message);
  return how;
}

std::vector<BusWord> Pipeline::errors() const {
  std::vector<BusWord> words;
  while (GstMessage* message = gst_bus_pop_filtered(bus_, GST_MESSAGE_ERROR)) {
    words.push_back(word_of(message));
    gst_message_unref(message);
  }
  return words;
}

size_t Pipeline::messages(GstMessageType type) const {
  size_t count = 0;
  for (; GstMessage* message = gst_bus_pop_filtered(bus_, type); ++count)
    gst_message_unref(message);
  return count;
}

void Pipeline::give(const TestPicture& picture, GstClockTime pts) const {
  GstBuffer* buffer = buffer_of(picture, pts);
  CHECK(gst_app_src_push_buffer(GST_APP_SRC(element("in")), buffer) == GST_FLOW_OK);
}

void Pipeline::give_end() const {
  CHECK(gst_app_src_end_of_stream(GST_APP_SRC(element("in"))) == GST_FLOW_OK);
}

Sample Pipeline::pulled() const {
  auto* sink = GST_APP_SINK(element("out"));
  Sample sample(gst_app_sink_try_pull_sample(sink, longest_wait));
  if (sample == nullptr)
    REQUIRE_MESSAGE(gst_app_sink_is_eos(sink), "no buffer within a minute:", what_the_bus_says());
  return sample;
}

guint64 Pipeline::figure(const std::string& property) const {
  guint64 value = 0;
  g_object_get(element("infer"), property.c_str(), &value, nullptr);
  return value;
}

guint64 Pipeline::stat(const std::string& field) const {
  GstStructure* stats = nullptr;
  g_object_get(element("infer"), "stats", &stats, nullptr);
  guint64 value = 0;
  CHECK_MESSAGE(gst_structure_get_uint64(stats, field.c_str(), &value), field);
  gst_structure_free(stats);
  return value;
}

Sample sample_of(const TestPicture& picture, const std::string& element) {
  Pipeline pipeline(appsrc(picture) + "! " + element + "! appsink name=out sync=false");
  pipeline.play();
  pipeline.give(picture, 0);
  pipeline.give_end();
  Sample sample = pipeline.pulled();
  REQUIRE(sample != nullptr);
  CHECK(pipeline.end() == "end of stream");
  return sample;
}

}  // namespace shingle::testing
