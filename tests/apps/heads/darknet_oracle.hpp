// OpenCV's Darknet importer as the judge: the same two files, the same input, and the raw map
// before each [region] and [yolo] section, taken from inside its network.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "apps/client/bare_machine.hpp"
#include "apps/client/session.hpp"
#include "partition/readers/darknet.hpp"
#include "tests/networks/darknet.hpp"

namespace shingle {

// A map in the order of planes: [channel][y][x].
using ChannelPlanes = std::vector<float>;

inline DarknetModel must_read(const networks::DarknetFiles& files) {
  return read_darknet(files.cfg, std::as_bytes(std::span(files.weights))).value();
}

// Our outputs on one XNNPACK executor, whole.
inline std::vector<ChannelPlanes> our_maps(const Model& model, const std::vector<float>& input) {
  auto machine =
      BareMachine::make(model, make_executor({.name = "xnnpack", .threads = 2}).value()).value();
  const auto outputs = machine.compute(std::as_bytes(std::span(input))).value();
  std::vector<ChannelPlanes> maps;
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::vector<float> box(outputs[i].size() / sizeof(float));
    std::memcpy(box.data(), outputs[i].data(), outputs[i].size());
    maps.push_back(in_file_order(model.outputs[i], model.at(model.outputs[i].tensor).shape, box));
  }
  return maps;
}

// What OpenCV calls the layer that a model output's map comes from: "yolo_82" reads layer 81.
inline std::string opencv_name(const ModelOutput& output, const std::string& kind) {
  return kind + "_" + std::to_string(std::stoi(output.name.substr(output.name.rfind('_') + 1)) - 1);
}

// OpenCV's network with its input set.
inline cv::dnn::Net opencv_net(const networks::DarknetFiles& files, const Model& model,
                               const std::vector<float>& input) {
  const Shape shape = model.at(model.inputs[0]).shape;
  const std::array<int, 4> sizes{1, shape.c, shape.h, shape.w};
  cv::Mat blob(4, sizes.data(), CV_32F);
  float* out = blob.ptr<float>();
  for (int32_t c = 0; c < shape.c; ++c) {
    for (int64_t i = 0; i < int64_t{shape.h} * shape.w; ++i) {
      *out++ = input[static_cast<size_t>(i * shape.c + c)];
    }
  }
  cv::dnn::Net net = cv::dnn::readNetFromDarknet(files.cfg.data(), files.cfg.size(),
                                                 files.weights.data(), files.weights.size());
  net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
  net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
  net.setInput(blob);
  return net;
}

inline std::vector<ChannelPlanes> opencv_maps(const networks::DarknetFiles& files,
                                              const Model& model, const std::vector<float>& input) {
  cv::dnn::Net net = opencv_net(files, model, input);
  std::vector<std::string> names;
  for (const ModelOutput& output : model.outputs) names.push_back(opencv_name(output, "conv"));
  std::vector<cv::Mat> mats;
  net.forward(mats, names);
  std::vector<ChannelPlanes> maps;
  for (const cv::Mat& mat : mats) {
    maps.emplace_back(mat.ptr<float>(), mat.ptr<float>() + mat.total());
  }
  return maps;
}

// The largest difference of two maps, as a part of the largest magnitude in `theirs`; infinite
// where their sizes differ or a value is not a number.
inline double relative_error(const ChannelPlanes& ours, const ChannelPlanes& theirs) {
  if (ours.size() != theirs.size()) return INFINITY;
  double largest = 0.0, difference = 0.0;
  for (size_t i = 0; i < ours.size(); ++i) {
    if (!std::isfinite(ours[i]) || !std::isfinite(theirs[i])) return INFINITY;
    largest = std::max(largest, std::abs(double{theirs[i]}));
    difference = std::max(difference, std::abs(double{ours[i]} - theirs[i]));
  }
  return difference / largest;
}

// The worst of a network's maps on one seeded input of [0, 1).
inline double darknet_error(const networks::DarknetFiles& files, uint64_t seed) {
  const DarknetModel darknet = must_read(files);
  const Model& model = darknet.model;
  std::vector<float> input = networks::random_input(model.at(model.inputs[0]).shape, seed);
  for (float& value : input) value = (value + 1.0F) / 2.0F;
  const auto ours = our_maps(model, input);
  const auto theirs = opencv_maps(files, model, input);
  double worst = 0.0;
  for (size_t i = 0; i < ours.size(); ++i) {
    worst = std::max(worst, relative_error(ours[i], theirs[i]));
  }
  return worst;
}

}  // namespace shingle
