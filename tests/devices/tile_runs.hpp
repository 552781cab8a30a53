// Verbs for tests of executors: whole maps, tiles fed with windows cut from them, bits compared.
#pragma once

#include <vector>

#include "devices/executor/executor.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::tests {

struct Map {
  Region region;
  std::vector<float> values;  // (y, x, c)

  ConstTensorView view() const;
  TensorView view();
  float at(int32_t y, int32_t x, int32_t c) const;
};

Map random_map(Shape shape, uint64_t seed);
Map cut(const Map& map, const Region& region);
Region random_region(networks::Random& random, Shape shape);

// One map per model input, from the seed.
std::vector<Map> random_inputs(const Model& model, uint64_t seed);

// Runs a prepared program. Windows are cut out of `inputs` (by model input) with up to two rows,
// columns and channels more than the program asks for; what surrounds the window, and the output
// windows before the run, are NaN.
std::vector<Map> run(Executor& executor, const Model& model, const TileProgram& program,
                     const std::vector<Map>& inputs);

// Prepares and runs the whole model.
std::vector<Map> run_whole(Executor& executor, const Model& model, const std::vector<Map>& inputs,
                           WinogradUse use = WinogradUse::where_faster);

// Bytes in which `tile` differs from the same region of `whole_map`.
int64_t differing_bytes(const Map& tile, const Map& whole_map);

// Largest difference, relative to the largest magnitude of `expected`; infinite where one of the
// two is NaN and the other is not.
double relative_error(const Map& value, const Map& expected);

// A program that computes a random box of some of the model's outputs.
TileProgram random_tile(networks::Random& random, const Model& model,
                        WinogradUse use = WinogradUse::where_faster);

}  // namespace shingle::tests
