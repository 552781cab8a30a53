// Recurrent layers: shapes, what a region needs, work, names, and what is refused.
#include <doctest/doctest.h>

#include <functional>

#include "partition/model/demand.hpp"
#include "partition/model/prune.hpp"
#include "partition/model/shape.hpp"
#include "tests/networks/networks.hpp"
#include "tests/partition/dependencies.hpp"

using namespace shingle;

namespace {

using Kind = Recurrence::Kind;

constexpr int32_t sequences = 3, steps = 7, hidden = 4;

Recurrence operator_of(Model& model, Kind kind) {
  const auto constant = [&](int64_t count) {
    return add_constant(model, std::vector<float>(static_cast<size_t>(count), 0.5F));
  };
  Recurrence op;
  op.kind = kind;
  op.hidden = hidden;
  op.weights = constant(int64_t{gates_of(kind)} * hidden * hidden);
  op.state_bias = constant(hidden);
  op.peepholes = constant(int64_t{3} * hidden);
  op.activations.fill({.kind = Activation::Kind::tanh});
  return op;
}

int32_t state_of(Kind kind) { return kind == Kind::lstm ? 2 * hidden : hidden; }

using Change = std::function<void(Model&, Recurrence&)>;

Model model_of(Kind kind, const Change& change = {}, Model model = {}) {
  const TensorId gates = add_input(model, "gates", {sequences, steps, gates_of(kind) * hidden});
  const TensorId first = add_input(model, "first", {sequences, 1, state_of(kind)});
  const Recurrence op = operator_of(model, kind);
  add_output(model, "out", add_layer(model, "recurrence", op, {gates, first}));
  if (change) change(model, std::get<Recurrence>(model.layers[0].op));
  return model;
}

std::string defect(Kind kind, const Change& change) {
  const auto found = defects(model_of(kind, change));
  return found.empty() ? "it is sound" : found[0];
}

bool holds(const std::string& sentence, const std::string& part) {
  return sentence.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a recurrence has a state for each step, an LSTM its cell too") {
  for (const Kind kind : {Kind::rnn, Kind::gru, Kind::lstm}) {
    const Model model = model_of(kind);
    CHECK(defects(model).empty());
    CHECK(model.at(model.layers[0].output).shape == Shape{sequences, steps, state_of(kind)});
    CHECK(total_macs(model) == int64_t{sequences} * steps * gates_of(kind) * hidden * hidden);
    CHECK(constants_of(model.layers[0].op).size() == 3);
  }
}

TEST_CASE("a part of a recurrence is as much work as all units of its steps and those before") {
  for (const bool backward : {false, true}) {
    const Model model =
        model_of(Kind::lstm, [&](Model&, Recurrence& op) { op.backward = backward; });
    const int64_t step = 4 * hidden * hidden;
    CHECK(macs(model, LayerId{0}, {{1, 3}, {2, 5}, {3, 4}}) == 2 * 5 * step);
    CHECK(macs(model, LayerId{0}, {{0, 1}, {1, 2}, {0, 8}}) == (backward ? 6 : 2) * step);
    CHECK(macs(model, LayerId{0}, {{0, 1}, {6, 7}, {0, 8}}) == (backward ? 1 : 7) * step);
    CHECK(macs(model, LayerId{0}, {}) == 0);
  }
}

TEST_CASE("a step needs all gates of the steps before it, and the first state") {
  networks::Random random(9);
  for (const Kind kind : {Kind::rnn, Kind::gru, Kind::lstm}) {
    for (const bool backward : {false, true}) {
      const Model model = model_of(kind, [&](Model&, Recurrence& op) { op.backward = backward; });
      const Layer& layer = model.layers[0];
      CHECK(!is_spatially_local(model, layer));
      CHECK(!goes_along_first_input(model, layer));
      for (int trial = 0; trial < 40; ++trial) {
        const auto part = [&](int32_t size) {
          const int32_t begin = random.between(0, size - 1);
          return Span{begin, random.between(begin + 1, size)};
        };
        const Region out{part(sequences), part(steps), part(state_of(kind))};
        for (const size_t input : {0, 1}) {
          CAPTURE(to_string(out));
          CHECK(demand(model, layer, input, out) ==
                oracle::dependency_hull(model, layer, input, out));
        }
      }
    }
  }
}

TEST_CASE("recurrences that do not fit their inputs and constants are defects") {
  const auto weights = [](Model& model, Recurrence& op) {
    op.weights = add_constant(model, std::vector<float>(5));
  };
  CHECK(holds(defect(Kind::lstm, weights), "its weights do not fit its hidden size 4"));
  CHECK(holds(defect(Kind::lstm, [](Model&, Recurrence& op) { op.kind = Kind::gru; }),
              "its 16 channels are not 3 gates of 4"));
  CHECK(holds(defect(Kind::gru, [](Model&, Recurrence& op) { op.hidden = 0; }),
              "its hidden size is out of range"));
  CHECK(holds(defect(Kind::gru, [](Model&, Recurrence& op) { op.hidden = 1 << 30; }),
              "its hidden size is out of range"));
  CHECK(holds(defect(Kind::gru,
                     [](Model&, Recurrence& op) {
                       op.lengths = {1, 2};
                     }),
              "it has not one length for each of 3 sequences"));
  CHECK(holds(defect(Kind::gru,
                     [](Model&, Recurrence& op) {
                       op.lengths = {1, 8, 2};
                     }),
              "its length 8 is out of range"));
  CHECK(holds(defect(Kind::gru,
                     [](Model&, Recurrence& op) {
                       op.lengths = {1, -1, 2};
                     }),
              "its length -1 is out of range"));
  const auto other_state = [](Model& model, Recurrence&) {
    model.tensors[model.inputs[1].value].shape.h = 1;
  };
  CHECK(
      holds(defect(Kind::rnn, other_state), "its first state 1x1x4 does not fit its gates 3x7x4"));
}

TEST_CASE("whatever a recurrence computes is part of its model's name") {
  const Change changes[] = {
      [](Model&, Recurrence& op) { op.backward = true; },
      [](Model&, Recurrence& op) { op.clip = 1.0F; },
      [](Model&, Recurrence& op) { op.input_forget = true; },
      [](Model&, Recurrence& op) { op.reset_after = true; },
      [](Model&, Recurrence& op) {
        op.lengths = {7, 7, 6};
      },
      [](Model&, Recurrence& op) { op.activations[1].kind = Activation::Kind::relu; },
      [](Model&, Recurrence& op) { op.activations[2].alpha = 0.25F; },
      [](Model&, Recurrence& op) { op.state_bias.reset(); },
      [](Model&, Recurrence& op) { op.peepholes.reset(); },
      [](Model& model, Recurrence& op) {
        op.weights = add_constant(model, std::vector<float>(48, 0.25F));
      },
  };
  std::vector<Hash> names{structural_hash(model_of(Kind::gru))};
  for (const Change& change : changes)
    names.push_back(structural_hash(model_of(Kind::gru, change)));
  for (size_t i = 0; i < names.size(); ++i)
    for (size_t j = 0; j < i; ++j) CHECK(names[i] != names[j]);
}

TEST_CASE("a recurrence keeps its constants when a model is pruned or its front is taken") {
  const Model model = model_of(Kind::lstm);
  const auto same = [&](const Model& other) {
    const std::vector<ConstantId> ids = constants_of(other.layers[0].op);
    const std::vector<ConstantId> ours = constants_of(model.layers[0].op);
    REQUIRE(ids.size() == ours.size());
    for (size_t i = 0; i < ids.size(); ++i)
      CHECK(other.at(ids[i]).count == model.at(ours[i]).count);
    CHECK(defects(other).empty());
  };
  same(front(model, LayerId{0}));
  Model unused;
  add_constant(unused, {1.0F});
  Model pruned = model_of(Kind::lstm, {}, std::move(unused));
  prune(pruned);
  same(pruned);
}
