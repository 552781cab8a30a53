// One network file and the engines that run it: ours, XNNPACK's kernels alone, OpenCV's DNN, ONNX
// Runtime.
#pragma once

#include <opencv2/dnn.hpp>

#include <fstream>

#include "apps/models/model_file.hpp"
#include "bench/engine_ort.hpp"
#include "bench/measure.hpp"
#include "devices/native/native_executor.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::bench {

// A whole program on one executor, its outputs' memory kept between runs.
class Runner {
 public:
  // `model` must outlive it.
  Runner(const Model& model, NativeOptions options, WinogradUse use)
      : model_(model), executor_(options), program_(whole_program(model, use)) {
    must(executor_.prepare(model, std::span(&program_, 1)));
    for (const Slice& slice : program_.outputs) {
      const Shape shape = model.at(slice.tensor).shape;
      outputs_.emplace_back(static_cast<size_t>(shape.elements()));
      views_.push_back(
          {reinterpret_cast<std::byte*>(outputs_.back().data()), whole(shape), ElementType::f32});
    }
  }

  void run(const std::vector<float>& input) {
    const ConstTensorView in{reinterpret_cast<const std::byte*>(input.data()),
                             whole(model_.at(model_.inputs[0]).shape), ElementType::f32};
    must(executor_.compute(program_, std::span(&in, 1), views_));
  }

  // Every model output in the file's order, one behind the other.
  std::vector<float> outputs() const {
    std::vector<float> all;
    for (const ModelOutput& output : model_.outputs) {
      for (size_t i = 0; i < outputs_.size(); ++i) {
        if (program_.outputs[i].tensor != output.tensor) continue;
        const std::vector<float> values =
            in_file_order(output, model_.at(output.tensor).shape, outputs_[i]);
        all.insert(all.end(), values.begin(), values.end());
      }
    }
    return all;
  }

  const TileProgram& program() const { return program_; }
  NativeExecutor& executor() { return executor_; }

 private:
  const Model& model_;
  NativeExecutor executor_;
  TileProgram program_;
  std::vector<std::vector<float>> outputs_;  // by program output
  std::vector<TensorView> views_;
};

// The network as a file, its input as channels-last floats and as planes.
class NetworkFile {
 public:
  NetworkFile(const std::string& folder, const std::string& name, const Model& network)
      : NetworkFile(folder, name, networks::to_onnx(network)) {}

  // `onnx`: the file's bytes. The network has one input.
  NetworkFile(const std::string& folder, const std::string& name, const std::string& onnx)
      : path_(folder + "/" + name + ".onnx"), input_path_(folder + "/" + name + ".input") {
    std::ofstream(path_, std::ios::binary) << onnx;
    file_ = std::make_unique<ModelFile>(must(open_model(path_)));
    const Shape shape = model().at(model().inputs[0]).shape;
    input_ = networks::random_input(shape, 7);
    const std::array<int, 4> dims{1, shape.c, shape.h, shape.w};
    planes_.create(4, dims.data(), CV_32F);
    float* out = planes_.ptr<float>();
    for (int32_t c = 0; c < shape.c; ++c)
      for (int64_t i = 0; i < int64_t{shape.h} * shape.w; ++i)
        *out++ = input_[static_cast<size_t>(i * shape.c + c)];
    std::ofstream file(input_path_, std::ios::binary);
    file.write(reinterpret_cast<const char*>(dims.data()), sizeof dims);
    file.write(planes_.ptr<char>(), static_cast<std::streamsize>(bytes_of_floats(input_.size())));
  }

  const Model& model() const { return file_->model; }
  const std::vector<float>& input() const { return input_; }
  const cv::Mat& planes() const { return planes_; }
  const std::string& path() const { return path_; }
  const std::string& input_path() const { return input_path_; }

 private:
  std::string path_, input_path_;
  std::unique_ptr<ModelFile> file_;
  std::vector<float> input_;
  cv::Mat planes_;
};

// OpenCV's DNN, or nothing where its importer does not take the file.
class OpencvPeer {
 public:
  OpencvPeer(const NetworkFile& file, int threads) : planes_(file.planes()), threads_(threads) {
    try {
      net_ = cv::dnn::readNetFromONNX(file.path());
      run();
    } catch (const cv::Exception& refused) {
      net_ = {};
      refusal_ = refused.err;
    }
  }
  bool runs() const { return !net_.empty(); }
  const std::string& refusal() const { return refusal_; }
  void run() {
    cv::setNumThreads(threads_);
    net_.setInput(planes_);
    net_.forward(outputs_, net_.getUnconnectedOutLayersNames());
  }
  // The last run's, one behind the other.
  std::vector<float> outputs() const {
    std::vector<float> all;
    for (const cv::Mat& output : outputs_)
      all.insert(all.end(), output.ptr<float>(), output.ptr<float>() + output.total());
    return all;
  }

 private:
  cv::dnn::Net net_;
  std::string refusal_;
  std::vector<cv::Mat> outputs_;
  cv::Mat planes_;
  int threads_;
};

}  // namespace shingle::bench
