#include "partition/readers/onnx/operators/recurrent/functions.hpp"

#include <algorithm>

#include "partition/base/text.hpp"

namespace shingle::onnx {

namespace {

using Kind = Activation::Kind;

// `alpha` and `beta`: those of ONNX's operator of this name, where the function takes them.
struct Named {
  std::string_view name;
  Kind kind;
  std::optional<float> alpha{}, beta{};
};
constexpr Named functions[] = {
    {"Relu", Kind::relu},
    {"Tanh", Kind::tanh},
    {"Sigmoid", Kind::sigmoid},
    {"LeakyRelu", Kind::leaky_relu, 0.01F},
    {"ThresholdedRelu", Kind::thresholded_relu, 1.0F},
    {"HardSigmoid", Kind::hard_sigmoid, 0.2F, 0.5F},
    {"Elu", Kind::elu, 1.0F},
    {"Softplus", Kind::softplus},
};

std::vector<std::string_view> usual(Recurrence::Kind kind) {
  switch (kind) {
    case Recurrence::Kind::rnn:
      return {"Tanh"};
    case Recurrence::Kind::gru:
      return {"Sigmoid", "Tanh"};
    case Recurrence::Kind::lstm:
      break;
  }
  return {"Sigmoid", "Tanh", "Tanh"};
}

const Named& function_named(const Node& node, std::string_view name) {
  const auto* found = std::ranges::find(functions, name, &Named::name);
  if (found == std::end(functions)) {
    node.refuse("its activation is " + in_quotes(name) +
                ", and shingle has Relu, Tanh, Sigmoid, LeakyRelu, ThresholdedRelu, HardSigmoid, "
                "Elu and Softplus");
  }
  return *found;
}

// Functions that take a number take them from the list one by one.
class Given {
 public:
  Given(const Node& node, std::string_view name) : attribute_(node.attribute(name)) {}

  float next(const std::optional<float>& otherwise) {
    if (!otherwise) return 0.0F;
    if (attribute_ == nullptr || taken_ == attribute_->floats.size()) return *otherwise;
    return attribute_->floats[taken_++];
  }

 private:
  const Attribute* attribute_;
  size_t taken_ = 0;
};

}  // namespace

std::vector<RecurrentFunctions> recurrent_functions(const Node& node, Recurrence::Kind kind,
                                                    size_t directions) {
  std::vector<std::string_view> names = usual(kind);
  const size_t each = names.size();
  const Attribute* given = node.attribute("activations");
  if (given != nullptr && !given->strings.empty()) {
    names = given->strings;
    if (names.size() != each * directions) {
      node.refuse("it has " + std::to_string(names.size()) + " activations where " +
                  std::to_string(each * directions) + " are needed");
    }
  }
  Given alpha(node, "activation_alpha"), beta(node, "activation_beta");
  std::vector<RecurrentFunctions> all(directions);
  for (size_t i = 0; i < each * directions; ++i) {
    const Named& function = function_named(node, names[i % names.size()]);
    all[i / each][i % each] = {.kind = function.kind,
                               .alpha = alpha.next(function.alpha),
                               .beta = beta.next(function.beta)};
  }
  return all;
}

}  // namespace shingle::onnx
