// ModelConstants: the model's constants as a pass reads them. ConstantPool: prepares them once for
// all passes that hold them at the same time.
#pragma once

#include <map>

#include "devices/executor/memory_account.hpp"
#include "devices/plain/plain_operators.hpp"
#include "devices/weights/shared_parts.hpp"
#include "devices/weights/weight_watch.hpp"
#include "partition/plan/program.hpp"

namespace shingle {

class ConstantPool {
 public:
  // While somebody holds a constant, it is counted in `account` and watched by `watch` (null: not
  // watched). Both must outlive all holders.
  ConstantPool(MemoryAccount& account, WeightWatch* watch) : account_(account), watch_(watch) {}

  // What the layer's plain loops need.
  std::shared_ptr<const PlainConstants> layer(const Model& model, LayerId id);
  // A constant tensor. `reader`: the layer under whose id it is watched.
  std::shared_ptr<const std::vector<float>> tensor(const Model& model, TensorId id, LayerId reader);

  bool has_layer(LayerId id) const;
  // The weights of all layers that have some, for tests that flip bits.
  std::vector<std::pair<LayerId, std::span<std::byte>>> weights() const;
  void sweep();

 private:
  struct Held;
  std::shared_ptr<Held> hold(PlainConstants values, LayerId layer) const;

  MemoryAccount& account_;
  WeightWatch* const watch_;
  SharedParts<uint32_t, Held> layers_, tensors_;
};

class ModelConstants {
 public:
  // Adds the constant tensors that the step reads. Tensors that were added before stay.
  void add_tensors(const Model& model, const Step& step, ConstantPool& pool);
  // Adds what the layer's plain loops need, unless it was added before.
  void add_layer(const Model& model, LayerId layer, ConstantPool& pool);

  const PlainConstants& layer(LayerId id) const { return *layers_.at(id.value); }
  ConstTensorView tensor(const Model& model, TensorId id) const;  // REQUIRES: added

 private:
  std::map<uint32_t, std::shared_ptr<const PlainConstants>> layers_;
  std::map<uint32_t, std::shared_ptr<const std::vector<float>>> tensors_;
};

}  // namespace shingle
