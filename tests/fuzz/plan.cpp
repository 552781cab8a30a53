// Fuzzes plan texts, which are read for a few small models. What was read can be printed and then
// reads the same. A node can load exactly the plans without defects, and these have a drawing.
#include "partition/plan/plan.hpp"

#include "runtime/protocol/load_plan.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/partition/plan/random_plans.hpp"

namespace shingle::fuzz {
namespace {

std::vector<Model> make_models() {
  std::vector<Model> models;
  models.push_back(chain(8));
  for (uint64_t seed = 1; seed <= 7; ++seed) {
    networks::Random random(seed);
    models.push_back(networks::random_model(random));
  }
  for (Model& model : models) model.hash = structural_hash(model);
  return models;
}

// The model that the plan names, or the first one.
const Model& model_of(const Plan& plan) {
  for (const Model& model : plan_models())
    if (model.hash == plan.model) return model;
  return plan_models().front();
}

}  // namespace

const std::vector<Model>& plan_models() {
  static const std::vector<Model> models = make_models();
  return models;
}

void plan(Bytes bytes) {
  Result<Plan> read = parse_plan(text_of(bytes));
  if (!read) return expect_sentence(read.error());
  const Result<Plan> again = parse_plan(print(*read));
  expect(again.ok() && *again == *read, "a printed plan says the same");
  const Model& model = model_of(*read);
  read->model = model.hash;
  const std::vector<std::string> wrong = defects(*read, model);
  for (const std::string& sentence : wrong) expect_sentence(sentence);
  const Result<LoadedPlan> loaded = load_plan(model, *read, hash_of(*read));
  expect(loaded.ok() == wrong.empty(), "a node loads what is sound, and nothing else");
  if (loaded) expect(!draw(*read, model).empty(), "a sound plan has a picture");
}

}  // namespace shingle::fuzz
