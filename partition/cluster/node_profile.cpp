#include "partition/cluster/node_profile.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "partition/model/each_constant.hpp"

namespace shingle {
namespace {

// Cost of a step besides its arithmetic: set-up, a call, cold caches.
constexpr double default_ns_per_call = 20'000.0;

// F(4x4, 3x3) saves three multiplications of four; the transforms cost a part of that.
constexpr double typical_winograd = 0.45;
constexpr double worthwhile = 0.9;

struct KindOf {
  const Model& model;
  const Layer& layer;

  WorkKind operator()(const Convolution& op) const {
    if (op.groups > 1 && op.groups == model.at(layer.inputs[0]).shape.c) return WorkKind::depthwise;
    return op.y.kernel * op.x.kernel == 1 ? WorkKind::pointwise : WorkKind::convolution;
  }
  WorkKind operator()(const MatrixProduct&) const { return WorkKind::product; }
  WorkKind operator()(const TransposedConvolution&) const { return WorkKind::convolution; }
  WorkKind operator()(const Pooling&) const { return WorkKind::pooling; }
  WorkKind operator()(const Reduction&) const { return WorkKind::pooling; }
  WorkKind operator()(const Elementwise&) const { return WorkKind::elementwise; }
  WorkKind operator()(const Binary&) const { return WorkKind::elementwise; }
  WorkKind operator()(const Resize&) const { return WorkKind::elementwise; }
  WorkKind operator()(const GridSample&) const { return WorkKind::elementwise; }
  WorkKind operator()(const Order&) const { return WorkKind::elementwise; }
  WorkKind operator()(const Take&) const { return WorkKind::movement; }
  WorkKind operator()(const Scatter&) const { return WorkKind::movement; }
  WorkKind operator()(const Suppression&) const { return WorkKind::elementwise; }
  WorkKind operator()(const NonZero&) const { return WorkKind::movement; }
  WorkKind operator()(const Recurrence&) const { return WorkKind::recurrence; }
  WorkKind operator()(const Softmax&) const { return WorkKind::elementwise; }
  WorkKind operator()(const Convert&) const { return WorkKind::elementwise; }
  WorkKind operator()(const Concat&) const { return WorkKind::movement; }
  WorkKind operator()(const StridedSlice&) const { return WorkKind::movement; }
  WorkKind operator()(const Gather&) const { return WorkKind::movement; }
  WorkKind operator()(const Pad&) const { return WorkKind::movement; }
  WorkKind operator()(const Rearrange&) const { return WorkKind::movement; }
};

int64_t rounded(Span span, int32_t granule) {
  if (granule <= 1) return span.size();
  const int64_t first = span.begin / granule, last = (int64_t{span.end} + granule - 1) / granule;
  return (last - first) * granule;
}

// The factor by which more than `region` is computed.
double rounding(const Region& region, const Granule& granule) {
  if (granule == Granule{} || region.empty()) return 1.0;
  const int64_t computed =
      rounded(region.y, granule.y) * rounded(region.x, granule.x) * rounded(region.c, granule.c);
  return static_cast<double>(computed) / static_cast<double>(region.elements());
}

// The elements that a step handles, for costs by element.
struct HandledElements {
  Shape in;  // of the first input
  int32_t out_channels = 1;
  Region computed;

  double written() const { return static_cast<double>(computed.elements()); }
  double pixels() const { return written() / computed.c.size(); }
  double read_channels(int32_t groups) const {
    const int32_t in_group = std::max(1, out_channels / groups);
    const int32_t touched = (computed.c.end - 1) / in_group - computed.c.begin / in_group + 1;
    return 1.0 * in.c / groups * touched;
  }

  // Half of those that it reads, all input channels of its groups, and half of those that it
  // writes: a kernel arranges its input, too, so 128 channels from 256 take longer than 256 from
  // 128. Strides skip no input: a row is fetched whole.
  double operator()(const Convolution& op) const {
    return (written() + pixels() * op.y.stride * op.x.stride * read_channels(op.groups)) / 2.0;
  }
  double operator()(const TransposedConvolution& op) const {
    return (written() + pixels() / (op.y.stride * op.x.stride) * read_channels(op.groups)) / 2.0;
  }
  // Each tap is one that it reads.
  double operator()(const Pooling& op) const { return written() * op.y.kernel * op.x.kernel; }
  double operator()(const Reduction& op) const {
    return written() * (op.y ? in.h : 1) * (op.x ? in.w : 1) * (op.c ? in.c : 1);
  }
  // To sort a line, all of it is read, and the places that are wanted are a heap.
  double operator()(const Order& op) const {
    const int32_t size = op.axis == Axis::y ? in.h : op.axis == Axis::x ? in.w : in.c;
    const double places = op.axis == Axis::y   ? computed.y.size()
                          : op.axis == Axis::x ? computed.x.size()
                                               : computed.c.size();
    return written() / places * (size + places * std::log2(places + 1.0));
  }
  template <class Other>
  double operator()(const Other&) const {  // those that it writes
    return written();
  }
};

double handled_elements(const Model& model, const Layer& layer, const Region& computed) {
  if (computed.empty()) return 0.0;
  assert(!layer.inputs.empty());
  const Shape in = model.at(layer.inputs.front()).shape, out = model.at(layer.output).shape;
  return std::visit(HandledElements{in, out.c, computed}, layer.op);
}

// Those that the step reads: of a layer with multiply-adds the constants of its output channels.
double read_weights(const Model& model, const Layer& layer, const Region& computed) {
  int64_t all = 0;
  each_constant(layer.op, [&](ConstantId id) { all += model.at(id).count; });
  const int32_t channels = std::max(1, model.at(layer.output).shape.c);
  return static_cast<double>(all) * computed.c.size() / channels;
}

// An activation behind arithmetic of another kind, at the price of an elementwise layer.
double activation_ns(const NodeProfile& profile, WorkKind kind, const Layer& layer,
                     double elements) {
  if (kind == WorkKind::elementwise || !is_transcendental(layer.activation.kind)) return 0.0;
  return elements * profile.at(WorkKind::elementwise).ns_per_element;
}

}  // namespace

const char* name_of(WorkKind kind) {
  static constexpr std::array<const char*, work_kinds> names = {
      "convolution", "winograd", "pointwise", "depthwise", "pooling",
      "elementwise", "movement", "product",   "recurrence"};
  return names[static_cast<size_t>(kind)];
}

NodeProfile profile_of(double gflops) {
  NodeProfile profile = paced_profile(gflops);
  profile.costs[static_cast<size_t>(WorkKind::winograd)].ns_per_mac *= typical_winograd;
  return profile;
}

bool gains_by_winograd(const NodeProfile& profile) {
  return profile.at(WorkKind::winograd).ns_per_mac <
         worthwhile * profile.at(WorkKind::convolution).ns_per_mac;
}

NodeProfile paced_profile(double gflops) {
  NodeProfile profile;
  for (WorkCost& cost : profile.costs) {
    cost.ns_per_mac = 2.0 / (gflops > 1e-6 ? gflops : 1e-6);  // the test also catches NaN
    cost.ns_per_call = default_ns_per_call;
  }
  return profile;
}

WorkKind work_kind(const Model& model, const Layer& layer, Algorithm algorithm) {
  if (algorithm == Algorithm::winograd4) return WorkKind::winograd;
  return std::visit(KindOf{model, layer}, layer.op);
}

Work work_of(const NodeProfile& profile, const Model& model, const TileProgram& program) {
  Work work;
  for (const Step& step : program.steps) {
    const Layer& layer = model.at(step.layer);
    const WorkKind kind = work_kind(model, layer, step.algorithm);
    const WorkCost& cost = profile.at(kind);
    const Region computed =
        computed_region(step.algorithm, model.at(layer.output).shape, step.output);
    const double factor = rounding(computed, cost.granule);
    const double step_macs = factor * static_cast<double>(macs(model, step.layer, computed));
    work.macs += static_cast<int64_t>(step_macs + 0.5);
    const double elements = factor * handled_elements(model, layer, computed);
    work.compute_ns +=
        cost.ns_per_call + step_macs * cost.ns_per_mac + elements * cost.ns_per_element +
        activation_ns(profile, kind, layer, factor * static_cast<double>(computed.elements()));
    if (cost.ns_per_weight > 0.0 && step_macs > 0.0)
      work.compute_ns += read_weights(model, layer, computed) * cost.ns_per_weight;
  }
  return work;
}

Granule common_granule(const NodeProfile& profile) {
  Granule granule;
  for (size_t kind = 0; kind < work_kinds; ++kind) {
    const Granule& own = profile.costs[kind].granule;
    granule.c = std::max(granule.c, own.c);
    if (static_cast<WorkKind>(kind) == WorkKind::winograd) continue;
    granule.y = std::max(granule.y, own.y);
    granule.x = std::max(granule.x, own.x);
  }
  return granule;
}

}  // namespace shingle
