// Turns a plan's text, which may come from anybody, into a LoadedPlan that a node trusts: parses
// it, recomputes its hash, checks it against the model with defects(), computes its routes.
#pragma once

#include <string_view>

#include "runtime/protocol/event.hpp"

namespace shingle {

// The error is one sentence fit for PlanLoaded::plan.
Result<LoadedPlan> load_plan(const Model& model, std::string_view text, const PlanHash& expected);
Result<LoadedPlan> load_plan(const Model& model, Plan plan, const PlanHash& expected);

// The same for a plan that was made here. REQUIRES: sound, and made for `model`.
LoadedPlan trusted_plan(const Model& model, Plan plan);

}  // namespace shingle
