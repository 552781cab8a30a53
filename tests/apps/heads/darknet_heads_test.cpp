// Darknet's heads against slow decodes written from the formulas alone, and against what OpenCV's
// own region layers make of the same maps.
#include <doctest/doctest.h>

#include "apps/heads/reading.hpp"
#include "tests/apps/heads/darknet_oracle.hpp"
#include "tests/apps/heads/head_clues.hpp"
#include "tests/apps/scratch_folder.hpp"
#include "tests/apps/slow_boxes.hpp"

using namespace shingle;
using namespace shingle::testing;
using networks::DarknetFiles;
using networks::DarknetWriter;
using Kind = DetectionLayer::Kind;

namespace {

constexpr Shape input{96, 160, 3};

struct Grid {
  int h = 0, w = 0;
};

Clues clues_of(const std::vector<Grid>& grids, std::vector<DetectionLayer> layers) {
  std::vector<Dims> dims;
  for (size_t i = 0; i < layers.size(); ++i) {
    layers[i].output = i;
    const int64_t record = layers[i].coords + 1 + layers[i].classes;
    dims.push_back({1, std::ssize(layers[i].anchors) * record, grids[i].h, grids[i].w});
  }
  Clues clues = clues_with(input, dims);
  clues.detections = std::move(layers);
  return clues;
}

std::vector<std::vector<float>> values_for(const Clues& clues, float low, float high,
                                           uint64_t seed) {
  std::vector<std::vector<float>> values;
  for (const ModelOutput& output : clues.outputs)
    values.push_back(uniform(output.dims[1] * output.dims[2] * output.dims[3], low, high,
                             seed * 10 + values.size()));
  return values;
}

// By index into the file's planes, a plane for each number of each anchor.
double value_at(const std::vector<float>& planes, Grid grid, int plane, int cell) {
  return double{planes[static_cast<size_t>(plane * grid.h * grid.w + cell)]};
}

std::vector<Slow> slow_regions(const std::vector<float>& planes, Grid grid,
                               const DetectionLayer& layer, double min_score) {
  std::vector<Slow> slow;
  const int record = layer.coords + 1 + layer.classes;
  for (int a = 0; a < std::ssize(layer.anchors); ++a)
    for (int cell = 0; cell < grid.h * grid.w; ++cell) {
      const auto t = [&](int i) { return value_at(planes, grid, a * record + i, cell); };
      const Anchor& anchor = layer.anchors[static_cast<size_t>(a)];
      Slow box = centred((cell % grid.w + logistic(t(0))) / grid.w * input.w,
                         (cell / grid.w + logistic(t(1))) / grid.h * input.h,
                         anchor.width * std::exp(t(2)), anchor.height * std::exp(t(3)));
      double all = 0;
      for (int c = 0; c < layer.classes; ++c) all += std::exp(t(layer.coords + 1 + c));
      choose(box, layer.classes, [&](int c) {
        const double score = t(layer.coords + 1 + c);
        return logistic(t(layer.coords)) *
               (layer.softmax ? std::exp(score) / all : logistic(score));
      });
      if (box.score >= min_score) slow.push_back(box);
    }
  return slow;
}

std::vector<Slow> slow_yolos(const std::vector<float>& planes, Grid grid,
                             const DetectionLayer& layer, double min_score) {
  std::vector<Slow> slow;
  const int record = 5 + layer.classes;
  const double s = double{layer.scale_x_y};
  for (int a = 0; a < std::ssize(layer.anchors); ++a)
    for (int cell = 0; cell < grid.h * grid.w; ++cell) {
      const auto t = [&](int i) { return value_at(planes, grid, a * record + i, cell); };
      const auto p = [&](int i) { return layer.new_coords ? t(i) : logistic(t(i)); };
      const auto grown = [&](int i) {
        return layer.new_coords ? std::pow(2 * t(i), 2) : std::exp(t(i));
      };
      const Anchor& anchor = layer.anchors[static_cast<size_t>(a)];
      Slow box = centred((cell % grid.w + 0.5 + s * (p(0) - 0.5)) * input.w / grid.w,
                         (cell / grid.w + 0.5 + s * (p(1) - 0.5)) * input.h / grid.h,
                         anchor.width * grown(2), anchor.height * grown(3));
      choose(box, layer.classes, [&](int c) { return p(4) * p(5 + c); });
      if (box.score >= min_score) slow.push_back(box);
    }
  return slow;
}

// What a model made of these files says by itself of an input: the maps as OpenCV computes them,
// one for each detection, and what OpenCV's own layers make of those: rows by cell, then anchor, of
// x, y, w, h as parts of the input, objectness, scores.
struct OpencvRows {
  DarknetModel darknet;
  std::vector<ChannelPlanes> maps;
  std::vector<cv::Mat> rows;
};

OpencvRows opencv_rows(const DarknetFiles& files, uint64_t seed) {
  OpencvRows found{must_read(files), {}, {}};
  const Model& model = found.darknet.model;
  const std::vector<float> picture = networks::random_input(model.at(model.inputs[0]).shape, seed);
  found.maps = opencv_maps(files, model, picture);
  cv::dnn::Net net = opencv_net(files, model, picture);
  net.forward(found.rows, net.getUnconnectedOutLayersNames());
  return found;
}

Clues clues_of(const DarknetModel& darknet, size_t output) {
  Clues clues{.input = darknet.model.at(darknet.model.inputs[0]).shape,
              .outputs = {darknet.model.outputs[output]},
              .detections = {darknet.detections[output]}};
  clues.detections[0].output = 0;
  return clues;
}

Box box_in(const cv::Mat& rows, int row, Shape size) {
  const float* at = rows.ptr<float>(row);
  return {(at[0] - at[2] / 2) * static_cast<float>(size.w),
          (at[1] - at[3] / 2) * static_cast<float>(size.h), at[2] * static_cast<float>(size.w),
          at[3] * static_cast<float>(size.h)};
}

// OpenCV's region layer suppresses, whatever the cfg says: a score is 0 where a better box of the
// class overlaps by more than 0.4.
bool is_suppressed(const cv::Mat& rows, int row, const Detection& ours, Shape size) {
  for (int other = 0; other < rows.rows; ++other)
    if (other != row && rows.at<float>(other, 5 + ours.class_id) >= ours.score &&
        intersection_over_union(box_in(rows, other, size), ours.box) > 0.399F)
      return true;
  return false;
}

// Every place of one map, the unlikely ones too. Returns how many scores were compared.
int compare_with_opencv(const Clues& clues, const ChannelPlanes& map, const cv::Mat& rows,
                        const Head& head) {
  const std::vector<std::vector<float>> values{map};
  const Detections ours = boxes(head, clues, values, 0.0F);
  REQUIRE(std::ssize(ours) == rows.rows);
  const int anchors = static_cast<int>(clues.detections[0].anchors.size());
  const int cells = rows.rows / anchors;
  int scores = 0;
  for (int i = 0; i < rows.rows; ++i) {
    const Detection& here = ours[static_cast<size_t>(i)];
    const int row = i % cells * anchors + i / cells;
    const Box theirs = box_in(rows, row, clues.input);
    CHECK(here.box.x == doctest::Approx(theirs.x).epsilon(1e-3));
    CHECK(here.box.y == doctest::Approx(theirs.y).epsilon(1e-3));
    CHECK(here.box.w == doctest::Approx(theirs.w).epsilon(1e-4));
    CHECK(here.box.h == doctest::Approx(theirs.h).epsilon(1e-4));
    const float score = rows.at<float>(row, 5 + here.class_id);
    if (score == 0.0F) {
      CHECK(is_suppressed(rows, row, here, clues.input));
      continue;
    }
    ++scores;
    CHECK(here.score == doctest::Approx(score).epsilon(1e-4));
    for (int c = 5; c < rows.cols; ++c) CHECK(rows.at<float>(row, c) <= score * 1.0001F);
  }
  return scores;
}

DarknetFiles with_every_score(DarknetFiles files) {
  const std::string classes = "classes=80\n";
  for (size_t at = 0; (at = files.cfg.find(classes, at)) != std::string::npos; at += 1)
    files.cfg.insert(at, "thresh=0\nnms_threshold=0\n"), at += 24 + classes.size();
  return files;
}

ModelFile file_of(const ScratchFolder& folder, const DarknetFiles& files) {
  folder.with_text("net.weights", files.weights);
  return open_model(folder.with_text("net.cfg", files.cfg)).value();
}

DarknetFiles network(int32_t channels, std::string_view kind, std::string_view options) {
  DarknetWriter writer({32, 32, 3}, 3);
  writer.convolutional(
      {.filters = channels, .size = 1, .normalise = false, .activation = "linear"});
  writer.section(kind, options);
  return std::move(writer).finish();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr uint64_t rounds = 15;

}  // namespace

TEST_CASE("regions decode as their formulas say, classes by softmax or each by itself") {
  const Grid grid{3, 5};
  for (const bool softmax : {true, false})
    for (const int coords : {4, 6}) {
      const Clues clues = clues_of({grid}, {{.kind = Kind::region,
                                             .anchors = {{20, 30}, {7.5F, 9}, {40, 11}},
                                             .mask = {0, 1, 2},
                                             .classes = 6,
                                             .coords = coords,
                                             .softmax = softmax}});
      for (uint64_t seed = 1; seed <= rounds; ++seed) {
        CAPTURE(seed);
        const auto values = values_for(clues, -3, 3, seed);
        const auto expected = slow_regions(values[0], grid, clues.detections[0], 0.2);
        REQUIRE(!expected.empty());
        compare(boxes(yolov2_head, clues, values, 0.2F), expected);
      }
    }
}

TEST_CASE("yolo maps of several scales decode as their formulas say, each with its own anchors") {
  const std::vector<Grid> grids{{3, 5}, {6, 10}, {12, 20}};
  for (const bool new_coords : {false, true})
    for (const float scale : {1.0F, 1.2F}) {
      const DetectionLayer common{.classes = 4, .new_coords = new_coords, .scale_x_y = scale};
      std::vector<DetectionLayer> layers(3, common);
      layers[0].anchors = {{116, 90}, {156, 198}, {373, 326}};
      layers[1].anchors = {{30, 61}};
      layers[2].anchors = {{10, 13}, {16, 30}};
      const Clues clues = clues_of(grids, layers);
      for (uint64_t seed = 1; seed <= rounds; ++seed) {
        CAPTURE(seed);
        const auto values =
            values_for(clues, new_coords ? 0.0F : -3.0F, new_coords ? 1.0F : 3.0F, seed);
        std::vector<Slow> expected;
        for (size_t i = 0; i < grids.size(); ++i)
          for (const Slow& slow : slow_yolos(values[i], grids[i], clues.detections[i], 0.6))
            expected.push_back(slow);
        REQUIRE(!expected.empty());
        compare(boxes(yolov3_head, clues, values, 0.6F), expected);
      }
    }
}

TEST_CASE("what the heads decode is what OpenCV's region layers make of the same maps") {
  struct Known {
    const char* name;
    const Head* head;
  };
  for (const Known& known : {Known{"yolov2_tiny", &yolov2_head}, Known{"yolov3_tiny", &yolov3_head},
                             Known{"yolov4_tiny", &yolov3_head}}) {
    CAPTURE(known.name);
    const DarknetFiles files = with_every_score(networks::make_darknet(known.name, 160).value());
    const OpencvRows theirs = opencv_rows(files, 11);
    REQUIRE(theirs.rows.size() == theirs.maps.size());
    for (size_t i = 0; i < theirs.maps.size(); ++i) {
      const Clues clues = clues_of(theirs.darknet, i);
      const int scores = compare_with_opencv(clues, theirs.maps[i], theirs.rows[i], *known.head);
      CHECK(scores > theirs.rows[i].rows / 2);
    }
  }
}

TEST_CASE("numbers that are none are no detections") {
  const Clues clues = clues_of({{2, 2}}, {{.anchors = {{8, 8}}, .classes = 1}});
  const std::vector<std::vector<float>> values{std::vector<float>(6 * 4, NAN)};
  CHECK(boxes(yolov3_head, clues, values, 0.0F).empty());
}

TEST_CASE("a cfg's sections choose the head whatever the number of classes") {
  const ScratchFolder folder;
  const auto chosen = [&](const DarknetFiles& files, const ReadingOptions& options = {}) {
    const ModelFile file = file_of(folder, files);
    const auto reading = choose_reading(file, options);
    return reading ? std::string(reading->head->name) : reading.error();
  };
  const DarknetFiles region = network(14, "region", "num=2\nclasses=2\nanchors=1,2,3,4\nsoftmax=1");
  const DarknetFiles yolo = network(16, "yolo", "num=2\nclasses=3\nanchors=1,2,3,4");
  CHECK(chosen(region) == "yolov2");
  CHECK(chosen(yolo) == "yolov3");
  CHECK(chosen(networks::make_darknet("yolov2_tiny", 64).value()) == "yolov2");
  CHECK(chosen(networks::make_darknet("yolov3_tiny", 64).value()) == "yolov3");
  CHECK(chosen(yolo, {.head = "yolov3"}) == "yolov3");
  CHECK(chosen(yolo, {.head = "raw"}) == "raw");
  CHECK(has(chosen(yolo, {.head = "yolov2"}), "do not fit the head 'yolov2'"));
  const std::string two = folder.with_text("two.names", "cat\ndog\n");
  CHECK(chosen(region, {.names = two}) == "yolov2");
  CHECK(has(chosen(yolo, {.names = two}), "two.names' has 2 names, and the model has 3 classes"));
}

TEST_CASE("Darknet models take red, green, blue in the middle of grey, and COCO's names for 80") {
  const ScratchFolder folder;
  const auto reading =
      choose_reading(file_of(folder, networks::make_darknet("yolov3_tiny", 64).value()), {});
  CHECK(reading->preparation == Preparation{.fit = Fit::centred,
                                            .colour = ColourOrder::rgb,
                                            .mean = {0, 0, 0},
                                            .deviation = {255, 255, 255},
                                            .fill = 128});
  CHECK(reading->names == coco_names());
}

TEST_CASE("sections of both kinds, or of different classes, are nobody's") {
  const DetectionLayer three{.anchors = {{8, 8}}, .classes = 3};
  DetectionLayer region = three, four = three;
  region.kind = Kind::region;
  four.classes = 4;
  const std::vector<Grid> grids{{2, 2}, {4, 4}};
  CHECK(yolov3_head.claim(clues_of(grids, {three, three})));
  for (const Head* head : {&yolov2_head, &yolov3_head}) {
    CHECK_FALSE(head->claim(clues_of(grids, {three, region})));
    CHECK_FALSE(head->claim(clues_of(grids, {three, four})));
    CHECK_FALSE(head->claim(clues_with(input, {{1, 24, 3, 5}})));
  }
}

TEST_CASE(
    "a map of other channels than its section needs is refused with the layer and both sums") {
  const ScratchFolder folder;
  const DarknetFiles files = network(15, "yolo", "num=2\nclasses=3\nanchors=1,2,3,4");
  folder.with_text("net.weights", files.weights);
  const auto opened = open_model(folder.with_text("net.cfg", files.cfg));
  REQUIRE_FALSE(opened.ok());
  CHECK(has(opened.error(), "[yolo] (layer 1): it reads 15 channels"));
  CHECK(has(opened.error(), "1 objectness and 3 classes are 16; "));
  CHECK(has(opened.error(), "filters=16"));
}
