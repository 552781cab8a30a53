// Which of the newer heads a model gets by itself, and which only by name.
#include "apps/heads/clues.hpp"
#include "tests/apps/heads/stub_model.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

OnnxMetadata ultralytics(const std::string& task, int classes) {
  std::string names;
  for (int i = 0; i < classes; ++i)
    names.append(i == 0 ? "'a" : ", 'a").append(std::to_string(i)).append("'");
  return {{"task", task}, {"names", "[" + names + "]"}};
}
OnnxMetadata with(OnnxMetadata metadata, const MetadataEntry& entry) {
  metadata.push_back(entry);
  return metadata;
}

std::vector<std::string> possible(const StubModel& given) {
  std::vector<std::string> names;
  for (const Head* head : possible_heads(reading_of(given)->clues)) names.push_back(head->name);
  return names;
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

TEST_CASE("Ultralytics' metadata tell lists of objects apart") {
  CHECK(head_of({small, {{1, 300, 6}}, ultralytics("detect", 80)}) == "end-to-end");
  CHECK(head_of({small, {{1, 300, 6}}, ultralytics("detect", 3)}) == "end-to-end");
  CHECK(head_of({small, {{1, 300, 38}, {1, 32, 24, 24}}, ultralytics("segment", 80)}) ==
        "end-to-end-seg");
  CHECK(head_of({small, {{1, 300, 57}}, ultralytics("pose", 1)}) == "end-to-end-pose");
  CHECK(head_of({small, {{1, 300, 7}}, ultralytics("obb", 15)}) == "end-to-end-obb");
  CHECK(head_of({small, {{1, 300, 84}}, ultralytics("detect", 80)}) == "rtdetr-rows");
  CHECK(reading_of({small, {{1, 300, 6}}, ultralytics("detect", 3)})->names.size() == 3);
}

TEST_CASE("six columns of two classes are RT-DETR's or a list's, as the metadata say") {
  const OnnxMetadata two = ultralytics("detect", 2);
  CHECK(head_of({small, {{1, 300, 6}}, two}) == "raw");
  CHECK(head_of({small, {{1, 300, 6}}, with(two, {"end2end", "True"})}) == "end-to-end");
  CHECK(head_of({small, {{1, 300, 6}}, with(two, {"args", "{'batch': 1, 'nms': True}"})}) ==
        "end-to-end");
  CHECK(head_of({small,
                 {{1, 300, 6}},
                 with(two, {"description", "Ultralytics RTDETR-l model trained on x"})}) ==
        "rtdetr-rows");
  const auto heads = possible({small, {{1, 300, 6}}, two});
  CHECK(holds(heads, "end-to-end"));
  CHECK(holds(heads, "rtdetr-rows"));
}

TEST_CASE("without metadata lists of objects are raw until a head is named") {
  for (const StubModel& unsure : {StubModel{small, {{1, 300, 6}}}, StubModel{small, {{1, 300, 7}}},
                                  StubModel{small, {{1, 300, 57}}}}) {
    CHECK(head_of(unsure) == "raw");
    CHECK(possible(unsure).size() >= 2);
  }
  CHECK(head_of({small, {{1, 300, 6}}}, {.head = "end-to-end"}) == "end-to-end");
  CHECK(head_of({small, {{1, 300, 7}}}, {.head = "end-to-end-obb"}) == "end-to-end-obb");
  // What no other network has needs none.
  CHECK(head_of({small, {{1, 300, 38}, {1, 32, 24, 24}}}) == "end-to-end-seg");
  CHECK(head_of({small, {{1, 116, 189}, {1, 32, 24, 24}}}) == "yolov8-seg");
  CHECK(head_of({small, {{1, 300, 84}}}) == "rtdetr-rows");
}

TEST_CASE("turned boxes and poses for every cell are known by their task") {
  CHECK(head_of({small, {{1, 8, 189}}, ultralytics("obb", 3)}) == "yolov8-obb");
  CHECK(reading_of({small, {{1, 8, 189}}, ultralytics("obb", 3)})->names.size() == 3);
  CHECK(head_of({small, {{1, 56, 189}}, ultralytics("pose", 1)}) == "yolov8-pose");
  CHECK(head_of({small, {{1, 20, 189}}}) == "raw");
  CHECK(head_of({small, {{1, 20, 189}}}, {.head = "yolov8-obb"}) == "yolov8-obb");
  CHECK(reading_of({small, {{1, 56, 189}}}, {.head = "yolov8-pose"})->names ==
        ClassNames{"person"});
}

TEST_CASE("outputs' names make RT-DETR, SSD, depths and features known") {
  StubModel rtdetr{small, {{1, 300}, {1, 300, 4}, {1, 300}}, {}, {"labels", "boxes", "scores"}};
  CHECK(head_of(rtdetr) == "ssd");
  rtdetr.takes_sizes = true;
  CHECK(head_of(rtdetr) == "rtdetr");
  CHECK(head_of({small, {{1, 300, 80}, {1, 300, 4}}, {}, {"logits", "pred_boxes"}}) ==
        "rtdetr-logits");
  // DETR's have a class more, which means nothing.
  CHECK(head_of({small, {{1, 100, 92}, {1, 100, 4}}, {}, {"logits", "pred_boxes"}}) == "raw");
  CHECK(head_of({small, {{9, 4}, {9}, {9}}, {}, {"boxes", "labels", "scores"}}) == "ssd");
  CHECK(head_of({small, {{1, 9, 4}, {1, 9}, {1, 9}}}) == "raw");
  CHECK(head_of({small, {{1, 96, 96}}, {}, {"predicted_depth"}}) == "depth");
  CHECK(head_of({small, {{1, 512}}, {}, {"embeddings"}}) == "features");
  CHECK(head_of({small, {{1, 512}}}) == "raw");
}

TEST_CASE("a map of one channel is listed with all that it may be") {
  const auto heads = possible({small, {{1, 1, 96, 96}}});
  for (const char* name : {"segmentation", "depth", "dbnet"}) CHECK(holds(heads, name));
  CHECK(head_of({small, {{1, 1, 96, 96}}}) == "raw");
  CHECK(reading_of({small, {{1, 1, 96, 96}}}, {.head = "dbnet"})->names == ClassNames{"text"});
}

TEST_CASE("a larger map of the input's channels is a picture") {
  CHECK(head_of({small, {{1, 3, 192, 192}}}) == "picture");
  CHECK(head_of({small, {{1, 3, 96, 96}}}) == "raw");
  CHECK(holds(possible({small, {{1, 3, 96, 96}}}), "picture"));
  CHECK(head_of({{96, 96, 1}, {{1, 1, 288, 288}}}) == "picture");
}

TEST_CASE("a model may take the picture's size beside it, and nothing else") {
  StubModel given{small, {{1, 300}, {1, 300, 4}, {1, 300}}, {}, {"labels", "boxes", "scores"}};
  given.takes_sizes = true;
  const ScratchFolder folder;
  auto file = open_model(folder.with_text("model.onnx", file_with(given)));
  REQUIRE_MESSAGE(file.ok(), file.error());
  CHECK(picture_size_input(file->model) == 1);
  CHECK(picture_shape(file->model).value() == small);
  REQUIRE(take_picture(file->model, Preparation{}));
  CHECK(file->model.at(file->model.inputs[0]).type == ElementType::u8);
  CHECK(file->model.at(file->model.inputs[1]).type == ElementType::f32);
  const auto size = size_bytes(place(Fit::stretch, {640, 480}, {320, 320, 3}), {320, 320, 3});
  REQUIRE(size.size() == 8);
  CHECK(reinterpret_cast<const float*>(size.data())[0] == 640.0F);
  CHECK(reinterpret_cast<const float*>(size.data())[1] == 480.0F);
}

TEST_CASE("anchors make three maps YOLOv5's, with the anchors that are given") {
  const StubModel maps{small, {{1, 3, 12, 12, 85}, {1, 3, 6, 6, 85}, {1, 3, 3, 3, 85}}};
  CHECK(head_of(maps) == "raw");
  CHECK(head_of(maps, {.anchors = "yolov7"}) == "yolov5");
  const auto reading =
      reading_of(maps, {.anchors = "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17.5,18"});
  REQUIRE_MESSAGE(reading.ok(), reading.error());
  CHECK(reading->clues.anchors[8] == Anchor{17.5F, 18});
  // The anchor's size is that of a box whose logits are 0: (2 * 0.5)^2 times it.
  std::vector<std::vector<float>> values;
  for (const int cells : {12, 6, 3})
    values.emplace_back(static_cast<size_t>(3 * cells * cells * 85), 0.0F);
  const auto found = std::get<DecodeBoxes>(yolov5_head.decode)(reading->clues, values, 0.2F);
  REQUIRE(found.size() == 567);
  CHECK(found.front().box.w == 1.0F);
  CHECK(found[144].box.h == 4.0F);
  CHECK(found.back().box.w == 17.5F);
}

TEST_CASE("YOLOv7's anchors are those of its cfg, and YOLOv5's those of its own") {
  const auto seven = read_anchors("yolov7");
  REQUIRE(seven);
  CHECK((*seven)[0] == Anchor{12, 16});
  CHECK((*seven)[4] == Anchor{76, 55});
  CHECK((*seven)[8] == Anchor{459, 401});
  const StubModel maps{small, {{1, 3, 12, 12, 85}, {1, 3, 6, 6, 85}, {1, 3, 3, 3, 85}}};
  const auto own = reading_of(maps, {.head = "yolov5"}),
             said = reading_of(maps, {.anchors = "yolov5"});
  std::vector<std::vector<float>> values;
  for (const int cells : {12, 6, 3}) values.push_back(uniform(3 * cells * cells * 85, -2, 2, 4));
  const auto decode = std::get<DecodeBoxes>(yolov5_head.decode);
  CHECK(decode(own->clues, values, 0.5F) == decode(said->clues, values, 0.5F));
}

TEST_CASE("anchors and dictionaries that are none, or of no use, are refused") {
  const StubModel maps{small, {{1, 3, 12, 12, 85}, {1, 3, 6, 6, 85}, {1, 3, 3, 3, 85}}};
  for (const char* bad : {"yolov9", "1,2,3", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,-18",
                          "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,nan", ",", "1,,2",
                          "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,1e9"})
    CHECK(has(reading_of(maps, {.anchors = bad}).error(), "--anchors takes"));
  CHECK(has(reading_of({small, {{1, 189, 85}}}, {.anchors = "yolov7"}).error(),
            "this model is read by 'yolox'"));
  const ScratchFolder folder;
  const std::string letters = folder.with_text("letters.txt", "a\nb\n");
  CHECK(
      has(reading_of({small, {{1, 189, 85}}}, {.dictionary = letters}).error(), "--dictionary is"));
  CHECK_FALSE(reading_of(maps, {.dictionary = folder / "none"}));
  const StubModel text{{32, 96, 1}, {{1, 24, 3}}};
  CHECK(reading_of(text, {.head = "ctc", .dictionary = letters})->clues.alphabet.size() == 2);
}

TEST_CASE("decoded YOLOX is taken by name alone, and its boxes are not decoded again") {
  CHECK(head_of({small, {{1, 189, 85}}}) == "yolox");
  const StubModel given{small, {{1, 189, 6}}};
  const auto reading = reading_of(given, {.head = "yolox-decoded"});
  REQUIRE(reading.ok());
  CHECK(reading->preparation == reading_of({small, {{1, 189, 85}}})->preparation);
  std::vector<std::vector<float>> values{std::vector<float>(189 * 6, 0.0F)};
  const std::array<float, 6> row{48, 40, 20, 10, 0.9F, 0.8F};
  std::ranges::copy(row, values[0].begin() + 6 * 100);
  const auto found = std::get<Detections>(read(*reading, {}, values, {96, 96}));
  REQUIRE(found.size() == 1);
  CHECK(found[0] == Detection{0, 0.9F * 0.8F, {38, 35, 20, 10}});
}
