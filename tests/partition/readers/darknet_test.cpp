// What the Darknet reader makes of its two files: shapes, operators, constants, and the order of
// elements after reorg and route.
#include "partition/readers/darknet.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "tests/networks/darknet.hpp"
#include "tests/partition/search/moves.hpp"

using namespace shingle;
using networks::DarknetFiles;
using networks::DarknetWriter;

namespace {

// Version 0.2.5, no images seen, then the values.
std::string weights_of(const std::vector<float>& values, int32_t minor = 2) {
  std::string bytes;
  const auto append = [&](const void* data, size_t size) {
    bytes.append(static_cast<const char*>(data), size);
  };
  const std::array<int32_t, 3> version{0, minor, 5};
  const uint64_t seen = 7;
  append(version.data(), sizeof version);
  append(&seen, minor >= 2 ? 8 : 4);
  append(values.data(), values.size() * 4);
  return bytes;
}

Result<DarknetModel> read(std::string_view cfg, std::string_view weights) {
  return read_darknet(cfg, std::as_bytes(std::span(weights)));
}

// A network on an input of h x w x c whose layers have no weights.
Model bare(Shape shape, const std::string& sections) {
  const std::string cfg = "[net]\nheight=" + std::to_string(shape.h) +
                          "\nwidth=" + std::to_string(shape.w) +
                          "\nchannels=" + std::to_string(shape.c) + "\n" + sections;
  const std::string none = weights_of({});
  auto read_model = read(cfg, none);
  REQUIRE_MESSAGE(read_model.ok(), (read_model.ok() ? "" : read_model.error()));
  return std::move(read_model->model);
}

Shape output_of(const Model& model) { return model.at(model.outputs[0].tensor).shape; }

// 0, 1, 2, ... by planes, given as (y, x, c).
std::vector<float> counting_by_planes(Shape shape) {
  std::vector<float> box(static_cast<size_t>(shape.elements()));
  for (int32_t y = 0; y < shape.h; ++y) {
    for (int32_t x = 0; x < shape.w; ++x) {
      for (int32_t c = 0; c < shape.c; ++c) {
        box[static_cast<size_t>((y * shape.w + x) * shape.c + c)] =
            static_cast<float>((c * shape.h + y) * shape.w + x);
      }
    }
  }
  return box;
}

// Darknet's reorg by its definition: it iterates over the input's own sizes.
std::vector<float> reorganised(Shape shape, int32_t stride) {
  std::vector<float> out(static_cast<size_t>(shape.elements()));
  const int32_t planes = shape.c / (stride * stride);
  for (int32_t k = 0; k < shape.c; ++k) {
    for (int32_t j = 0; j < shape.h; ++j) {
      for (int32_t i = 0; i < shape.w; ++i) {
        const int32_t offset = k / planes;
        const int32_t x = i * stride + offset % stride, y = j * stride + offset / stride;
        const int32_t from = x + shape.w * stride * (y + shape.h * stride * (k % planes));
        out[static_cast<size_t>(i + shape.w * (j + shape.h * k))] = static_cast<float>(from);
      }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("The named networks have the layers, outputs and weights that they are known for") {
  struct Known {
    const char* name;
    int64_t values;  // of the published .weights
    std::vector<std::vector<int64_t>> outputs;
  };
  const std::vector<Known> all{
      {"yolov2", 50'983'561, {{1, 425, 13, 13}}},
      {"yolov2_tiny", 11'237'145, {{1, 425, 13, 13}}},
      {"yolov3", 62'001'757, {{1, 255, 13, 13}, {1, 255, 26, 26}, {1, 255, 52, 52}}},
      {"yolov3_tiny", 8'858'734, {{1, 255, 13, 13}, {1, 255, 26, 26}}},
      {"yolov4_tiny", 6'062'814, {{1, 255, 13, 13}, {1, 255, 26, 26}}}};
  for (const Known& known : all) {
    CAPTURE(known.name);
    const DarknetFiles files = networks::make_darknet(known.name).value();
    CHECK(files.weights.size() == 20 + 4 * static_cast<size_t>(known.values));
    const auto darknet = read(files.cfg, files.weights);
    REQUIRE_MESSAGE(darknet.ok(), (darknet.ok() ? "" : darknet.error()));
    CHECK(defects(darknet->model).empty());
    REQUIRE(darknet->model.outputs.size() == known.outputs.size());
    for (size_t i = 0; i < known.outputs.size(); ++i) {
      CHECK(darknet->model.outputs[i].dims == known.outputs[i]);
      CHECK(darknet->detections[i].output == i);
      CHECK(darknet->detections[i].classes == 80);
    }
  }
}

TEST_CASE("A yolo section's anchors are those of its mask, in pixels") {
  const DarknetFiles files = networks::make_darknet("yolov3_tiny").value();
  const auto darknet = read(files.cfg, files.weights);
  REQUIRE(darknet.ok());
  const DetectionLayer& coarse = darknet->detections[0];
  CHECK(coarse.kind == DetectionLayer::Kind::yolo);
  CHECK(coarse.mask == std::vector<int32_t>{3, 4, 5});
  CHECK(coarse.anchors == std::vector<Anchor>{{81, 82}, {135, 169}, {344, 319}});
  CHECK(darknet->model.outputs[0].name == "yolo_16");
  CHECK(darknet->detections[1].anchors == std::vector<Anchor>{{10, 14}, {23, 27}, {37, 58}});
}

TEST_CASE("A region section's anchors are cells in the file and pixels in the model") {
  const DarknetFiles files = networks::make_darknet("yolov2_tiny", 416).value();
  const auto darknet = read(files.cfg, files.weights);
  REQUIRE(darknet.ok());
  const DetectionLayer& layer = darknet->detections.at(0);
  CHECK(layer.kind == DetectionLayer::Kind::region);
  CHECK(layer.softmax);
  CHECK(layer.coords == 4);
  REQUIRE(layer.anchors.size() == 5);
  CHECK(layer.anchors[4].width == doctest::Approx(9.77052 * 32));
  CHECK(layer.anchors[4].height == doctest::Approx(9.16828 * 32));
}

TEST_CASE("Batch normalisation is folded into weights and biases, others are views of the file") {
  // One filter of 1x1 on two channels: bias 0.5, scale 3, mean 2, variance 4; then a plain one.
  const std::string weights = weights_of({0.5F, 3, 2, 4, 10, 20, 7, 8});
  const auto darknet = read(
      "[net]\nwidth=4\nheight=4\nchannels=2\n[convolutional]\nbatch_normalize=1\nactivation=leaky\n"
      "[convolutional]\nactivation=linear\n",
      weights);
  REQUIRE_MESSAGE(darknet.ok(), (darknet.ok() ? "" : darknet.error()));
  const Model& model = darknet->model;
  REQUIRE(model.layers.size() == 2);
  const auto& folded = std::get<Convolution>(model.layers[0].op);
  const double factor = 3 / (std::sqrt(4.0) + 1e-6);
  CHECK(model.at(folded.weights)[0] == doctest::Approx(10 * factor));
  CHECK(model.at(folded.weights)[1] == doctest::Approx(20 * factor));
  CHECK(model.at(*folded.bias)[0] == doctest::Approx(0.5 - 2 * factor));
  CHECK(model.layers[0].activation ==
        Activation{.kind = Activation::Kind::leaky_relu, .alpha = 0.1F});
  const auto& plain = std::get<Convolution>(model.layers[1].op);
  CHECK(model.at(plain.weights)[0] == 8);
  const auto* begin = reinterpret_cast<const std::byte*>(weights.data());
  CHECK(model.at(plain.weights).data == begin + weights.size() - 4);
  CHECK(model.at(*plain.bias).data == begin + weights.size() - 8);
}

TEST_CASE("Images seen are counted in 32 bits before version 0.2 and in 64 from then on") {
  for (const int32_t minor : {1, 2}) {
    CAPTURE(minor);
    const std::string weights = weights_of({7, 8}, minor);
    const auto darknet =
        read("[net]\nwidth=4\nheight=4\nchannels=1\n[convolutional]\nactivation=relu\n", weights);
    REQUIRE_MESSAGE(darknet.ok(), (darknet.ok() ? "" : darknet.error()));
    CHECK(darknet->model.constants[0].count == 1);
    CHECK(darknet->model.at(std::get<Convolution>(darknet->model.layers[0].op).weights)[0] == 8);
  }
}

TEST_CASE("reorg puts every element where Darknet's loop does, on odd halves too") {
  struct Case {
    Shape shape;
    int32_t stride;
  };
  for (const auto& [shape, stride] :
       {Case{{26, 26, 64}, 2}, Case{{6, 10, 4}, 2}, Case{{8, 4, 12}, 2}, Case{{9, 6, 18}, 3}}) {
    CAPTURE(to_string(shape));
    const Model model = bare(shape, "[reorg]\nstride=" + std::to_string(stride) + "\n");
    CHECK(output_of(model) == Shape{shape.h / stride, shape.w / stride, shape.c * stride * stride});
    CHECK(run_moves(model, counting_by_planes(shape)) == reorganised(shape, stride));
  }
}

TEST_CASE("reorg3d makes each square of pixels one pixel") {
  const Shape shape{4, 6, 2};
  const Model model = bare(shape, "[reorg3d]\nstride=2\n");
  const std::vector<float> out = run_moves(model, counting_by_planes(shape));
  REQUIRE(output_of(model) == Shape{2, 3, 8});
  for (int32_t k = 0; k < 8; ++k) {
    for (int32_t j = 0; j < 2; ++j) {
      for (int32_t i = 0; i < 3; ++i) {
        const int32_t c = k % 2, x = 2 * i + k / 2 % 2, y = 2 * j + k / 4;
        REQUIRE(out[static_cast<size_t>((k * 2 + j) * 3 + i)] ==
                static_cast<float>((c * 4 + y) * 6 + x));
      }
    }
  }
}

TEST_CASE("route joins whole maps or one group of each, counted from the front or back") {
  const Shape shape{2, 2, 4};
  const std::vector<float> input = counting_by_planes(shape);
  const std::string two_slices =
      "[route]\nlayers=-1\ngroups=4\ngroup_id=3\n[route]\nlayers=0\ngroups=4\ngroup_id=1\n";
  const std::string pool = "[maxpool]\nsize=1\nstride=1\n";
  // Layer 0 is a pool that changes nothing, layer 1 is its channel 3, layer 2 its channel 1.
  const Model model = bare(shape, pool + two_slices + "[route]\nlayers = 2, -2\n");
  CHECK(output_of(model) == Shape{2, 2, 2});
  CHECK(model.layers.back().inputs ==
        std::vector<TensorId>{model.layers[2].output, model.layers[1].output});
  CHECK(std::get<StridedSlice>(model.layers[1].op).begin == std::array<int32_t, 3>{0, 0, 3});
  CHECK(std::get<StridedSlice>(model.layers[2].op).begin == std::array<int32_t, 3>{0, 0, 1});
}

TEST_CASE("maxpool pads by size - 1 in all and rounds down, as Darknet does") {
  struct Case {
    int32_t size, stride, map, expected, before, after;
  };
  for (const Case& of : {Case{2, 2, 13, 7, 0, 1}, Case{2, 2, 12, 6, 0, 1}, Case{2, 1, 13, 13, 0, 1},
                         Case{3, 2, 13, 7, 1, 1}, Case{5, 1, 13, 13, 2, 2},
                         Case{4, 1, 10, 10, 1, 2}, Case{1, 1, 5, 5, 0, 0}}) {
    CAPTURE(of.size);
    CAPTURE(of.stride);
    const Model model = bare({of.map, of.map, 3}, "[maxpool]\nsize=" + std::to_string(of.size) +
                                                      "\nstride=" + std::to_string(of.stride));
    CHECK(output_of(model) == Shape{of.expected, of.expected, 3});
    const auto& pooling = std::get<Pooling>(model.layers[0].op);
    CHECK(pooling.y == Window{of.size, of.stride, 1, of.before, of.after});
    CHECK(pooling.x == pooling.y);
  }
  const Model given = bare({8, 8, 1}, "[maxpool]\nsize=2\nstride=2\npadding=0\n");
  CHECK(std::get<Pooling>(given.layers[0].op).y == Window{2, 2, 1, 0, 0});
}

TEST_CASE("A classifier ends in its softmax; what only training knows is passed through") {
  DarknetWriter writer({16, 16, 3}, 4);
  writer.convolutional({.filters = 8, .stride = 2});
  writer.section("dropout", "probability=.5");
  writer.connected(12, "leaky", true);
  writer.connected(10, "linear");
  writer.section("softmax", "groups=1");
  writer.section("cost", "type=sse");
  const DarknetFiles files = std::move(writer).finish();
  const auto darknet = read(files.cfg, files.weights);
  REQUIRE_MESSAGE(darknet.ok(), (darknet.ok() ? "" : darknet.error()));
  CHECK(darknet->detections.empty());
  REQUIRE(darknet->model.outputs.size() == 1);
  CHECK(darknet->model.outputs[0].dims == std::vector<int64_t>{1, 10, 1, 1});
  CHECK(darknet->model.layers.size() == 4);
  CHECK(std::get<Convolution>(darknet->model.layers[1].op).y.kernel == 8);
}

TEST_CASE("The hash changes with either file") {
  const DarknetFiles files = networks::make_darknet("yolov3_tiny", 32).value();
  const auto hash_of = [](const DarknetFiles& both) {
    return darknet_hash(both.cfg, std::as_bytes(std::span(both.weights)));
  };
  const auto model = read(files.cfg, files.weights);
  REQUIRE(model.ok());
  CHECK(model->model.hash == hash_of(files));
  DarknetFiles other = files;
  other.cfg += "\n";
  CHECK(hash_of(other) != hash_of(files));
  other = files;
  other.weights.back() = static_cast<char>(other.weights.back() ^ 1);
  CHECK(hash_of(other) != hash_of(files));
}

TEST_CASE("Spaces, comments, Windows line ends and a byte order mark count for nothing") {
  const std::string none = weights_of({});
  const auto darknet = read(
      "\xef\xbb\xbf# a comment\r\n[ net ]\r\n; another\r\n width = 8 \r\nheight=8\t# both\r\n"
      "width=99\r\nchannels = +3\r\n\r\n[maxpool]\r\nstride = 2",
      none);
  REQUIRE_MESSAGE(darknet.ok(), (darknet.ok() ? "" : darknet.error()));
  CHECK(darknet->model.at(darknet->model.inputs[0]).shape == Shape{8, 8, 3});
  CHECK(output_of(darknet->model) == Shape{4, 4, 3});
}
