// What buffers carry is what the library gives for the same pictures.
#include <cstring>

#include "tests/apps/scratch_folder.hpp"
#include "tests/gstreamer/pipeline_fixture.hpp"
#include "tests/networks/onnx_graph.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

// The library's request for a picture, which has ended well.
struct Asked {
  Asked(OptionTexts texts, const TestPicture& picture) : session(with_pictures(std::move(texts))) {
    const shingle_picture view = picture.view();
    REQUIRE_MESSAGE(shingle_submit_picture(session.handle, &view, nullptr, &request) == SHINGLE_OK,
                    shingle_error());
    REQUIRE_MESSAGE(shingle_wait(request, -1) == SHINGLE_OK, shingle_error());
  }
  ~Asked() { shingle_request_free(request); }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

  static OptionTexts with_pictures(OptionTexts texts) {
    texts.try_emplace("workers", "2");
    texts.emplace("pictures", "yes");
    return texts;
  }
  TestSession session;
  shingle_request* request = nullptr;
};

// Of findings: without number and time.
std::string boxes_in(const std::string& text) { return text.substr(text.find("\"boxes\"")); }

void check_boxes(const std::vector<CarriedBox>& carried, shingle_request* request,
                 const TestPicture& picture) {
  const shingle_box* boxes = nullptr;
  size_t count = 0;
  REQUIRE_MESSAGE(shingle_boxes(request, &boxes, &count) == SHINGLE_OK, shingle_error());
  REQUIRE(carried.size() == count);
  for (size_t i = 0; i < count; ++i) {
    const CarriedBox& one = carried[i];
    CHECK(one.id == static_cast<int32_t>(i));
    CHECK(one.label == boxes[i].class_name);
    CHECK(one.label_id == boxes[i].class_id);
    CHECK(one.confidence == double{boxes[i].score});
    CHECK(one.x_min * picture.width == doctest::Approx(std::max(boxes[i].x0, 0.0F)));
    CHECK(one.y_min * picture.height == doctest::Approx(std::max(boxes[i].y0, 0.0F)));
    CHECK(one.x_max * picture.width <= one.x + one.width + 1e-6);
    CHECK(one.x_max * picture.width > one.x + one.width - 1 - 1e-6);
    CHECK(one.y_max * picture.height <= one.y + one.height + 1e-6);
    CHECK(one.x == static_cast<uint32_t>(std::max(boxes[i].x0, 0.0F)));
  }
}

// A file of a detector that finds the same two objects in every picture of 96 x 64, with masks: a
// row for each, and one prototype that is above 0 in the left half.
std::string masks_model(const ScratchFolder& folder) {
  networks::OnnxGraph graph;
  graph.input("image", {1, 3, 64, 96}, ElementType::f32);
  const std::string mean = graph.node("GlobalAveragePool", {"image"});
  const auto constant = [&](const std::vector<float>& values, const std::vector<int64_t>& dims,
                            const std::string& name) {
    const auto count = static_cast<int64_t>(values.size());
    const std::string zeros =
        graph.floats({count, 3, 1, 1}, std::vector<float>(values.size() * 3, 0.0F));
    const std::string wide = graph.node("Conv", {mean, zeros, graph.floats({count}, values)});
    graph.node("Reshape", {wide, graph.integers(dims)}, {}, name);
    graph.output(name, dims);
  };
  constant({8, 8, 80, 56, 0.9F, 0, 5, 16, 16, 40, 40, 0.6F, 1, -5}, {1, 2, 7}, "rows");
  std::vector<float> prototype;
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 24; ++x) prototype.push_back(x < 12 ? 1.0F : -1.0F);
  constant(prototype, {1, 1, 16, 24}, "prototypes");
  return folder.with_text("masks.onnx", graph.file());
}

}  // namespace

TEST_CASE(
    "the boxes of a buffer are those of the library, from BGR and from RGB, whatever the rows") {
  for (const char* format : {"BGR", "RGB"})
    for (const int32_t width : {500, 501}) {
      CAPTURE(format);
      CAPTURE(width);
      const TestPicture picture = drawn(format, width, 300);
      const Asked asked({{"model", vehicles_model()}, {"score", "0.02"}}, picture);
      const Sample sample = sample_of(picture, infer(vehicles_model(), "score=0.02"));
      const auto carried = boxes_of(gst_sample_get_buffer(sample.get()));
      CHECK(carried.size() > 0);
      check_boxes(carried, asked.request, picture);
    }
}

TEST_CASE("a buffer's findings, without number and time, are the JSON of the library") {
  const TestPicture picture = drawn("BGR", 500, 300);
  const Asked asked({{"model", vehicles_model()}, {"score", "0.02"}}, picture);
  const Sample sample = sample_of(picture, infer(vehicles_model(), "score=0.02"));
  const GstStructure* meta = frame_meta_of(gst_sample_get_buffer(sample.get()));
  REQUIRE(meta != nullptr);
  const char* json = nullptr;
  REQUIRE(shingle_findings(asked.request, &json) == SHINGLE_OK);
  CHECK(boxes_in(gst_structure_get_string(meta, "findings")) == boxes_in(json));
  int width = 0, height = 0, masks = -1, tensors = -1;
  CHECK(gst_structure_get_int(meta, "width", &width));
  CHECK(gst_structure_get_int(meta, "height", &height));
  CHECK(width == 500);
  CHECK(height == 300);
  CHECK(gst_structure_get_int(meta, "masks", &masks));
  CHECK(masks == 0);
  CHECK_FALSE(gst_structure_get_int(meta, "tensors", &tensors));  // only where they are asked for
}

TEST_CASE(
    "with attach=tensors a buffer has the outputs of the model, bit for bit, and nothing else") {
  const TestPicture picture = drawn("RGB", 500, 300);
  const Asked asked({{"model", vehicles_model()}}, picture);
  const Sample sample = sample_of(picture, infer(vehicles_model(), "attach=tensors"));
  GstBuffer* buffer = gst_sample_get_buffer(sample.get());
  CHECK(boxes_of(buffer).empty());
  const GstStructure* meta = frame_meta_of(buffer);
  REQUIRE(meta != nullptr);
  CHECK(gst_structure_get_string(meta, "findings") == nullptr);
  int count = 0;
  REQUIRE(gst_structure_get_int(meta, "tensors", &count));
  REQUIRE(count == 1);
  const GstStructure* tensor = gst_value_get_structure(gst_structure_get_value(meta, "tensor-0"));
  shingle_tensor output{};
  output.struct_size = sizeof output;
  REQUIRE(shingle_output(asked.request, 0, &output) == SHINGLE_OK);
  CHECK(std::string(gst_structure_get_string(tensor, "name")) == output.name);
  int rank = 0;
  CHECK(gst_structure_get_int(tensor, "rank", &rank));
  REQUIRE(rank == output.rank);
  for (int i = 0; i < rank; ++i) {
    gint64 dim = 0;
    CHECK(gst_structure_get_int64(tensor, ("dim-" + std::to_string(i)).c_str(), &dim));
    CHECK(dim == output.dims[i]);
  }
  const std::vector<uint8_t> bytes = bytes_of(tensor);
  REQUIRE(bytes.size() == output.size);
  CHECK(std::memcmp(bytes.data(), output.data, output.size) == 0);
}

TEST_CASE("masks are bytes of pixels, named by their box") {
  const ScratchFolder folder;
  const TestPicture picture = drawn("BGR", 96, 64);
  const Sample sample =
      sample_of(picture, infer(masks_model(folder), "head=end-to-end-seg attach=boxes+masks"));
  GstBuffer* buffer = gst_sample_get_buffer(sample.get());
  const auto boxes = boxes_of(buffer);
  REQUIRE(boxes.size() == 2);
  const GstStructure* meta = frame_meta_of(buffer);
  REQUIRE(meta != nullptr);
  CHECK(gst_structure_get_string(meta, "findings") == nullptr);
  int count = 0;
  REQUIRE(gst_structure_get_int(meta, "masks", &count));
  REQUIRE(count == 2);
  for (int i = 0; i < count; ++i) {
    const GstStructure* mask = gst_value_get_structure(
        gst_structure_get_value(meta, ("mask-" + std::to_string(i)).c_str()));
    int box = -1, x = 0, y = 0, width = 0, height = 0;
    CHECK(gst_structure_get(mask, "box", G_TYPE_INT, &box, "x", G_TYPE_INT, &x, "y", G_TYPE_INT, &y,
                            "width", G_TYPE_INT, &width, "height", G_TYPE_INT, &height, nullptr));
    CHECK(box == i);
    const std::vector<uint8_t> pixels = bytes_of(mask);
    REQUIRE(pixels.size() == static_cast<size_t>(width) * static_cast<size_t>(height));
    for (int row = 0; row < height; ++row)
      for (int column = 0; column < width; ++column) {
        const int across = x + column;  // the prototype changes its sign at 48
        if (std::abs(across - 48) < 4) continue;
        const bool left = across < 48, wanted = i == 0 ? left : !left;
        CHECK(pixels[static_cast<size_t>(row * width + column)] == (wanted ? 1 : 0));
      }
  }
}

TEST_CASE("a model that finds no boxes gives findings without regions") {
  const ScratchFolder folder;
  const TestPicture picture = drawn("BGR", 120, 90);
  const Sample sample = sample_of(picture, infer(tiny_model(folder), "head=raw"));
  GstBuffer* buffer = gst_sample_get_buffer(sample.get());
  CHECK(boxes_of(buffer).empty());
  REQUIRE(frame_meta_of(buffer) != nullptr);
  CHECK(gst_structure_get_string(frame_meta_of(buffer), "findings") != nullptr);
}

TEST_CASE("metas survive queues and tees, and conversions keep regions and findings") {
  const TestPicture picture = drawn("BGR", 500, 300);
  const Asked asked({{"model", vehicles_model()}, {"score", "0.02"}}, picture);
  const std::string element = infer(vehicles_model(), "score=0.02") + "! tee ! queue ";
  const Sample sample = sample_of(picture, element);
  check_boxes(boxes_of(gst_sample_get_buffer(sample.get())), asked.request, picture);
  const Sample converted =
      sample_of(picture, element + "! videoconvert ! video/x-raw,format=I420 ");
  GstBuffer* buffer = gst_sample_get_buffer(converted.get());
  gpointer state = nullptr;
  size_t regions = 0;  // GStreamer 1.22 loses their parameters here
  while (
      gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))
    ++regions;
  CHECK(regions == boxes_of(gst_sample_get_buffer(sample.get())).size());
  REQUIRE(frame_meta_of(buffer) != nullptr);
  const char* json = nullptr;
  REQUIRE(shingle_findings(asked.request, &json) == SHINGLE_OK);
  CHECK(boxes_in(gst_structure_get_string(frame_meta_of(buffer), "findings")) == boxes_in(json));
}

TEST_CASE("each of two elements gives a meta of its own, which names its model") {
  const ScratchFolder folder;
  const std::string second = tiny_model(folder);
  const TestPicture picture = drawn("BGR", 120, 90);
  const Sample sample =
      sample_of(picture, infer(vehicles_model()) + "! shingleinfer workers=1 head=raw model=\"" +
                             second + "\" node-program=\"" + node_program() + "\" ");
  std::vector<std::string> models;
  gpointer state = nullptr;
  while (GstMeta* meta = gst_buffer_iterate_meta(gst_sample_get_buffer(sample.get()), &state))
    if (gst_meta_info_is_custom(meta->info) != 0) {
      auto* custom = reinterpret_cast<GstCustomMeta*>(meta);
      models.emplace_back(gst_structure_get_string(gst_custom_meta_get_structure(custom), "model"));
    }
  CHECK(models == std::vector{vehicles_model(), second});
}
