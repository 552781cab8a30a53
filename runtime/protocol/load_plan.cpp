#include "runtime/protocol/load_plan.hpp"

#include <cassert>

namespace shingle {

LoadedPlan trusted_plan(const Model& model, Plan plan) {
  assert(plan.model == model.hash);
  LoadedPlan loaded;
  loaded.hash = hash_of(plan);
  loaded.routes = make_routes(model, plan);
  for (const Tensor& tensor : model.tensors) {
    loaded.shapes.push_back(tensor.shape);
    loaded.types.push_back(tensor.type);
  }
  loaded.inputs = model.inputs;
  for (const ModelOutput& output : model.outputs) loaded.outputs.push_back(output.tensor);
  loaded.plan = std::move(plan);
  return loaded;
}

Result<LoadedPlan> load_plan(const Model& model, std::string_view text, const PlanHash& expected) {
  Result<Plan> plan = parse_plan(text);
  if (!plan) return Error{"The plan cannot be read: " + plan.error()};
  return load_plan(model, std::move(*plan), expected);
}

Result<LoadedPlan> load_plan(const Model& model, Plan plan, const PlanHash& expected) {
  if (plan.model != model.hash && plan.sized && model.sized && plan.sized->of == model.sized->of &&
      plan.sized->shapes != model.sized->shapes)
    return Error{"The plan is for this model at " + to_string(plan.sized->shapes) +
                 "; give that as --shape."};
  if (plan.model != model.hash && plan.image && model.image && plan.image->of == model.image->of)
    return Error{
        "The plan is for this model with other numbers for its picture; give the --mean and --std "
        "(or the head) that it was made with."};
  if (plan.model != model.hash)
    return Error{"The plan is for model " + short_name(plan.model) + ", not for model " +
                 short_name(model.hash) + "."};
  if (hash_of(plan) != expected)
    return Error{"The plan's text does not hash to " + short_name(expected) + "."};
  const std::vector<std::string> wrong = defects(plan, model);
  if (!wrong.empty()) return Error{"The plan is not sound: " + wrong.front()};
  return trusted_plan(model, std::move(plan));
}

}  // namespace shingle
