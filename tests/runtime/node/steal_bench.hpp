// Victim or thief on the bench.
#pragma once

#include "node_bench.hpp"
#include "runtime/node/tiles/node_loan.hpp"

namespace shingle {

// Node 1 holds a plan; nodes 0 (the owner) and 2 are its peers.
struct StealBench {
  Model model;
  LoadedPlan plan;
  NodeBench bench{bench_config(1, 3)};
  FrameKey key{NodeId{0}, 1, 7};

  explicit StealBench(uint32_t home, int32_t side = 16,
                      WeightPlaces weights = WeightPlaces::everywhere, int32_t rows = 4)
      : StealBench(home, bench_model(side), weights, rows) {}
  StealBench(uint32_t home, Model its_model, WeightPlaces weights = WeightPlaces::everywhere,
             int32_t rows = 4)
      : model(std::move(its_model)), plan(trusted_plan(model, cut(home, weights, rows))) {
    bench.join(0);
    bench.join(2);
    bench.hear(0, PlanOffer{plan.hash, model.hash, "text"});
    bench.load(plan);
  }
  Plan cut(uint32_t home, WeightPlaces weights, int32_t rows) const {
    Plan made = bench_plan(model, {home}, rows);
    made.weights = weights;
    return made;
  }
  void open_and_fill() {
    bench.hear(0, FrameOpen{key, plan.hash, std::chrono::seconds(1)});
    for (const StripId id : plan.routes.from_frame)
      bench.hear(0, piece(Piece::Role::promised, {}, id.value), plan.routes.strips[id.value].bytes);
  }
  Piece piece(Piece::Role role, TileId tile, uint32_t index, uint32_t attempt = 0) const {
    return {.key = key,
            .plan = prefix64(plan.hash),
            .role = role,
            .tile = tile,
            .attempt = attempt,
            .index = index};
  }
  StealRequest request() const { return {{prefix64(plan.hash)}}; }
  std::vector<LentPart> outputs(TileId id) const {
    return lent_parts(plan, tile(plan.plan, id).outputs);
  }
  std::vector<LentPart> inputs(TileId id) const {
    return lent_parts(plan, tile(plan.plan, id).inputs);
  }
  void return_outputs(TileId tile, uint32_t attempt) {
    for (uint32_t i = 0; i < outputs(tile).size(); ++i)
      bench.hear(2, piece(Piece::Role::lent_output, tile, i, attempt), outputs(tile)[i].bytes);
  }
  void computed(TileId tile, uint32_t attempt = 0, Place place = Place::home,
                const Status& status = success()) {
    bench.give(TileComputed{key, tile, attempt, place, std::chrono::milliseconds(1), status});
  }
};

}  // namespace shingle
