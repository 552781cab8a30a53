#include "sim/device/tile_time.hpp"

#include <algorithm>

namespace shingle::sim {
namespace {

uint64_t mixed(uint64_t hash, const Region& region) {
  for (const Span& span : {region.y, region.x, region.c})
    hash = mix(hash, static_cast<uint64_t>(static_cast<uint32_t>(span.begin)) << 32 |
                         static_cast<uint32_t>(span.end));
  return hash;
}

int64_t weight_bytes(const Model& model, const Layer& layer) {
  const auto count = [&](const auto& op) -> int64_t {
    if constexpr (requires { op.weights; })
      return bytes_of_floats(model.at(op.weights).count);
    else
      return 0;
  };
  return std::visit(count, layer.op);
}

}  // namespace

uint64_t tile_key(const Model& model, const TileProgram& program) {
  uint64_t hash = prefix64(model.hash);
  for (const Step& step : program.steps) {
    hash = mix(hash, uint64_t{step.layer.value} << 8 | static_cast<uint64_t>(step.algorithm));
    hash = mixed(hash, step.output);
  }
  return hash;
}

double dram_bytes(const Model& model, const TileProgram& program, int64_t cache_bytes) {
  int64_t bytes = 0;
  for (const Step& step : program.steps) {
    bytes += weight_bytes(model, model.at(step.layer));
    const auto add_map = [&](const Region& map) {
      const int64_t size = bytes_of(map, ElementType::f32);
      bytes += size > cache_bytes ? size : 0;
    };
    for (const Region& input : step.inputs) add_map(input);
    add_map(step.output);
  }
  return static_cast<double>(bytes);
}

TileTimes::TileTimes(const DeviceSpec& spec, const DeviceProfile& profile, int32_t cores)
    : costs_(costs_on(profile, cores)),
      bytes_per_ns_(spec.memory_gbps),
      cache_bytes_(spec.cache_bytes),
      cores_(std::min(cores, spec.cores)) {}

TileWork TileTimes::work(const Model& model, const TileProgram& program) const {
  const auto known = measured_.find(tile_key(model, program));
  const double takes = known == measured_.end() ? work_of(costs_, model, program).compute_ns
                                                : in_nanoseconds(known->second);
  const double bytes = bytes_per_ns_ > 0.0 ? dram_bytes(model, program, cache_bytes_) : 0.0;
  const double waits = bytes > 0.0 ? bytes / bytes_per_ns_ : 0.0;
  const bool is_measured = known != measured_.end();
  const double memory = is_measured ? std::min(waits, takes) : waits;
  return {.compute = Duration(static_cast<int64_t>(std::max(0.0, takes - memory))),
          .memory = Duration(static_cast<int64_t>(memory)),
          .dram_bytes = memory < waits ? memory * bytes_per_ns_ : bytes,
          .cores = cores_};
}

}  // namespace shingle::sim
