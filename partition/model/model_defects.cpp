// Finds what is wrong with a model: checks that every id is in range, every tensor has one origin
// and every shape is possible.
#include <algorithm>

#include "partition/model/digits.hpp"
#include "partition/model/model.hpp"
#include "partition/model/shape.hpp"

namespace shingle {

namespace {

class Inspection {
 public:
  explicit Inspection(const Model& model) : model_(model), known_(model.tensors.size(), false) {}

  std::vector<std::string> run() {
    inspect_constants();
    inspect_tensors();
    inspect_inputs();
    for (const Layer& layer : model_.layers) inspect(layer);
    inspect_origins();
    if (model_.outputs.empty()) report("the model has no output");
    for (const ModelOutput& output : model_.outputs) inspect(output);
    return std::move(found_);
  }

 private:
  void report(std::string sentence) { found_.push_back(std::move(sentence)); }
  bool in_range(TensorId id) const { return id.value < model_.tensors.size(); }

  void inspect_constants() {
    for (size_t i = 0; i < model_.constants.size(); ++i) {
      const FloatView& view = model_.constants[i];
      if (view.count < 0 || (view.count > 0 && view.data == nullptr)) {
        report("constant " + std::to_string(i) + " has no values");
      }
    }
  }

  void inspect_tensors() {
    for (size_t i = 0; i < model_.tensors.size(); ++i) {
      const Tensor& tensor = model_.tensors[i];
      const std::string name = "tensor '" + tensor.name + "'";
      if (!within_limits(tensor.shape)) {
        report(name + " is " + to_string(tensor.shape) + ", which is empty or too large");
      } else if (tensor.constant) {
        inspect_constant_tensor(tensor, name);
      }
      known_[i] = tensor.constant.has_value();
    }
  }

  void inspect_constant_tensor(const Tensor& tensor, const std::string& name) {
    if (tensor.constant->value >= model_.constants.size()) {
      report(name + " is a constant that is not there");
    } else if (model_.at(*tensor.constant).count != tensor.shape.elements()) {
      report(name + " is " + to_string(tensor.shape) + " but its constant holds " +
             std::to_string(model_.at(*tensor.constant).count) + " values");
    }
    if (tensor.type != ElementType::f32) report(name + " is a constant but does not hold floats");
  }

  void inspect_inputs() {
    if (model_.inputs.empty()) report("the model has no input");
    for (TensorId input : model_.inputs) {
      if (!in_range(input)) {
        report("a model input is a tensor that is not there");
      } else {
        give_origin(input, "the model's inputs");
      }
    }
  }

  void give_origin(TensorId id, const std::string& origin) {
    if (known_[id.value]) {
      report("tensor '" + model_.at(id).name + "' has more than one origin, the last is " + origin);
    }
    known_[id.value] = true;
  }

  void inspect(const Layer& layer) {
    const std::string name = "layer '" + layer.name + "' (" + name_of(layer.op) + ")";
    if (!in_range(layer.output)) {
      report(name + " writes a tensor that is not there");
      return;
    }
    for (TensorId input : layer.inputs) {
      if (in_range(input) && !known_[input.value]) {
        report(name + " reads tensor '" + model_.at(input).name + "' before it is made");
      }
    }
    const Status shape = check_shape(model_, layer);
    if (!shape) report(name + ": " + shape.error());
    if (model_.at(layer.output).type != ElementType::f32) report(name + " does not put out floats");
    give_origin(layer.output, name);
    made_.push_back(layer.output);
  }

  void inspect_origins() {
    for (size_t i = 0; i < known_.size(); ++i) {
      if (!known_[i]) report("tensor '" + model_.tensors[i].name + "' has no origin");
    }
    std::sort(made_.begin(), made_.end());
  }

  void inspect(const ModelOutput& output) {
    const std::string name = "output '" + output.name + "'";
    if (!in_range(output.tensor)) {
      report(name + " is a tensor that is not there");
    } else if (!std::binary_search(made_.begin(), made_.end(), output.tensor)) {
      report(name + " is not made by a layer");
    } else if (!box_fits(output) || !dims_fit(output)) {
      report(name + ": its factors do not make up its dimensions and the tensor " +
             to_string(model_.at(output.tensor).shape));
    }
  }

  bool box_fits(const ModelOutput& output) const {
    const Shape shape = model_.at(output.tensor).shape;
    return each_factor_once(output.factors, output.box_axes) &&
           product(output.factors, output.box_axes[0]) == shape.h &&
           product(output.factors, output.box_axes[1]) == shape.w &&
           product(output.factors, output.box_axes[2]) == shape.c;
  }

  static bool dims_fit(const ModelOutput& output) {
    if (output.dims.size() != output.dim_axes.size()) return false;
    BoxAxes in_one_axis;  // each factor once over all dims
    for (size_t dim = 0; dim < output.dims.size(); ++dim) {
      if (product(output.factors, output.dim_axes[dim]) != output.dims[dim]) return false;
      in_one_axis[0].insert(in_one_axis[0].end(), output.dim_axes[dim].begin(),
                            output.dim_axes[dim].end());
    }
    return each_factor_once(output.factors, in_one_axis);
  }

  const Model& model_;
  std::vector<bool> known_;     // by tensor: it has an origin
  std::vector<TensorId> made_;  // made by layers
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> defects(const Model& model) { return Inspection(model).run(); }

}  // namespace shingle
