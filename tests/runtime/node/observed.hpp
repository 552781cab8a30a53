// Collects the reports and deliveries of a driver, so that the test's thread can wait for them.
// Computes the expected outputs with the bare executor, too.
#pragma once

#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>

#include "devices/measure/pace.hpp"
#include "devices/native/reference.hpp"
#include "runtime/driver/driver.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::testing {

// Much longer than a loaded machine needs. A test that passes does not wait for it.
inline constexpr std::chrono::seconds very_long{60};

using Outputs = std::map<TensorId, std::vector<std::byte>>;

class Observed {
 public:
  void listen(DriverOptions& options) {
    options.on_report = [this](const Report& report) {
      const std::lock_guard lock(mutex_);
      reports_.push_back(report);
      changed_.notify_all();
    };
    options.on_deliver = [this](const FrameKey& key, std::span<const Output> outputs) {
      const std::lock_guard lock(mutex_);
      Outputs& kept = delivered_[key];
      for (const Output& output : outputs) {
        const int64_t bytes = output.view.region.elements() * bytes_of(output.view.type);
        kept[output.tensor].assign(output.view.data, output.view.data + bytes);
      }
      order_.push_back(key);
      changed_.notify_all();
    };
  }

  // The first report of the kind, now or later; none if it does not come.
  std::optional<Report> wait_for(Report::Kind kind, size_t count = 1) {
    std::unique_lock lock(mutex_);
    std::optional<Report> found;
    changed_.wait_for(lock, very_long, [&] {
      size_t seen = 0;
      for (const Report& report : reports_)
        if (report.kind == kind && ++seen == count) found = report;
      return found.has_value();
    });
    return found;
  }
  std::optional<Outputs> wait_for(const FrameKey& key) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, very_long, [&] { return delivered_.contains(key); });
    const auto place = delivered_.find(key);
    return place == delivered_.end() ? std::nullopt : std::optional(place->second);
  }
  std::vector<FrameKey> order() {
    const std::lock_guard lock(mutex_);
    return order_;
  }
  size_t count(Report::Kind kind) {
    const std::lock_guard lock(mutex_);
    size_t seen = 0;
    for (const Report& report : reports_) seen += report.kind == kind ? 1 : 0;
    return seen;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Report> reports_;
  std::map<FrameKey, Outputs> delivered_;
  std::vector<FrameKey> order_;
};

using Image = std::shared_ptr<const std::vector<std::byte>>;

inline Image image_of(const Model& model, uint64_t seed) {
  const Tensor& input = model.at(model.inputs.front());
  auto bytes = std::make_shared<std::vector<std::byte>>();
  if (input.type == ElementType::f32) {
    const std::vector<float> values = networks::random_input(input.shape, seed);
    bytes->resize(values.size() * 4);
    std::memcpy(bytes->data(), values.data(), bytes->size());
  } else {
    networks::Random random(seed);
    bytes->resize(static_cast<size_t>(input.shape.elements()));
    for (std::byte& byte : *bytes) byte = static_cast<std::byte>(random.next());
  }
  return bytes;
}

// The whole network as one tile of one executor, without node, plan or driver.
inline Outputs bare_run(const Model& model, const Image& image, Executor& executor) {
  const TileProgram program = whole_program(model);
  if (!executor.prepare(model, std::span(&program, 1))) return {};
  const Tensor& input = model.at(model.inputs.front());
  const ConstTensorView frame{image->data(), whole(input.shape), input.type};
  Outputs outputs;
  std::vector<TensorView> views;
  for (const Slice& slice : program.outputs) {
    const ElementType type = model.at(slice.tensor).type;
    std::vector<std::byte>& bytes = outputs[slice.tensor];
    bytes.resize(static_cast<size_t>(slice.region.elements() * bytes_of(type)));
    views.push_back({bytes.data(), slice.region, type});
  }
  if (!executor.compute(program, std::span(&frame, 1), views)) return {};
  return outputs;
}

inline Outputs bare_run(const Model& model, const Image& image) {
  ReferenceExecutor executor;
  return bare_run(model, image, executor);
}

inline std::vector<std::unique_ptr<Executor>> reference_executors(size_t count) {
  std::vector<std::unique_ptr<Executor>> executors;
  for (size_t i = 0; i < count; ++i) executors.push_back(std::make_unique<ReferenceExecutor>());
  return executors;
}

inline std::vector<std::unique_ptr<Executor>> paced(
    std::vector<std::unique_ptr<Executor>> executors, Pacer& pacer) {
  for (std::unique_ptr<Executor>& executor : executors)
    executor = std::make_unique<PacedExecutor>(std::move(executor), pacer);
  return executors;
}

inline ModelFinder finder_of(std::shared_ptr<const Model> model) {
  return [model](const ModelName& name) -> Result<std::shared_ptr<const Model>> {
    if (name.hash == model->hash) return model;
    return Error{"model " + short_name(name.hash) + " is not in the folder"};
  };
}

inline std::shared_ptr<const Model> shared(Result<Model> model) {
  if (!model) return nullptr;
  return std::make_shared<const Model>(std::move(model).value());
}

}  // namespace shingle::testing
