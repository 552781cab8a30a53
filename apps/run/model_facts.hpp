// What can be said of a model without running it: layers, shapes, work, weights and memory.
#pragma once

#include <string>
#include <vector>

#include "partition/model/model.hpp"

namespace shingle {

struct LayerFacts {
  std::string name;
  std::string op;
  Shape output;
  int64_t macs = 0;
  int64_t parameters = 0;
  bool whole_map = false;  // needs its whole input: cannot be cut into tiles along y and x
};

struct ModelFacts {
  std::vector<LayerFacts> layers;
  int64_t macs = 0;
  int64_t parameters = 0;
  int64_t peak_bytes = 0;      // feature maps alive at once, one machine, map by map
  int64_t whole_map_macs = 0;  // in layers that cannot be cut
};

ModelFacts facts_of(const Model& model);

// The most bytes of feature maps that exist at once when layers run in order, each map whole and
// freed after its last reader. Inputs count, constants do not.
int64_t peak_map_bytes(const Model& model);

std::string table_of(const Model& model, const ModelFacts& facts);  // for people
std::string json_of(const Model& model, const ModelFacts& facts);   // one object, one line

std::string with_unit(double value);  // "543.8 M": three to four digits and k, M, G or T

}  // namespace shingle
