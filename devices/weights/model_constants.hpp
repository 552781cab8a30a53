// ModelConstants: the model's constants as a pass reads them. ConstantPool: where they come from,
// worked out once for all passes that hold them at the same time.
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
  // What it hands out is counted in `account` and watched by `watch` (null: by nobody) while
  // somebody holds it. Both must outlive that.
  ConstantPool(MemoryAccount& account, WeightWatch* watch) : account_(account), watch_(watch) {}

  // What the layer's plain loops need.
  std::shared_ptr<const PlainConstants> layer(const Model& model, LayerId id);
  // A constant tensor; `reader`: under which layer's name it is watched.
  std::shared_ptr<const std::vector<float>> tensor(const Model& model, TensorId id, LayerId reader);

  bool has_layer(LayerId id) const;
  // Of layers that have some, to be flipped.
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
  // Constant tensors that the step reads. Nothing happens if they are there.
  void add_tensors(const Model& model, const Step& step, ConstantPool& pool);
  // What the step's plain loops need. Nothing happens if it is there.
  void add_layer(const Model& model, LayerId layer, ConstantPool& pool);

  const PlainConstants& layer(LayerId id) const { return *layers_.at(id.value); }
  ConstTensorView tensor(const Model& model, TensorId id) const;  // REQUIRES: added

 private:
  std::map<uint32_t, std::shared_ptr<const PlainConstants>> layers_;
  std::map<uint32_t, std::shared_ptr<const std::vector<float>>> tensors_;
};

}  // namespace shingle
