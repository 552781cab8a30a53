// ModelConstants: the model's constants as executors read them, worked out once per layer.
#pragma once

#include <map>

#include "devices/plain_operators.hpp"
#include "partition/program.hpp"

namespace shingle {

class ModelConstants {
 public:
  // Constant tensors that the step reads. Nothing happens if they are there.
  void add_tensors(const Model& model, const Step& step);
  // What the step's plain loops need. Nothing happens if it is there.
  void add_layer(const Model& model, LayerId layer);

  const PlainConstants& layer(LayerId id) const { return layers_.at(id.value); }
  ConstTensorView tensor(const Model& model, TensorId id) const;  // REQUIRES: added
  // All that the step reads. REQUIRES: added.
  std::vector<std::span<const std::byte>> read_by(const Model& model, const Step& step) const;
  // Of layers that have some, to be flipped.
  std::vector<std::pair<LayerId, std::span<std::byte>>> weights();
  bool has_layer(LayerId id) const { return layers_.contains(id.value); }
  int64_t bytes() const { return bytes_; }

 private:
  std::map<uint32_t, PlainConstants> layers_;
  std::map<uint32_t, std::vector<float>> tensors_;
  int64_t bytes_ = 0;
};

}  // namespace shingle
