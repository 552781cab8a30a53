// How a layer of ours comes by its packed weights, and what they are called where they are kept.
#include <cstring>

#include "devices/executor/program_check.hpp"
#include "devices/kernels/depthwise.hpp"
#include "devices/kernels/panel.hpp"
#include "devices/layers/native_layer.hpp"
#include "devices/weights/steady_reading.hpp"

namespace shingle {

std::string packed_layout() {
  return "packed 2, vectors of " + std::to_string(kernels::vector_floats()) + ", panels of " +
         std::to_string(kernels::panel_channels()) +
         (kernels::fuses_multiply_add() ? ", fused" : ", unfused");
}

NativeLayer::NativeLayer(const Model& model, LayerId id, Algorithm algorithm, Span channels,
                         PackingRoom& room, const PackedStore& store, MemoryAccount& account)
    : NativeLayer(model, id, algorithm, channels, room) {
  packed_ = std::make_unique<PackedWeights>(account);
  const WeightedWindow op = *weighted_window(model.at(id));
  if (shingle::has_weights(model, model.at(id))) {
    std::optional<Hash> kept_as;
    if (is_worth_a_file()) kept_as = name(model, id);
    packed_->take(store, kept_as, packed_floats(), [&](float* to) {
      const Result<uint64_t> before = files_version(model);
      pack(model, op, to);
      const Result<uint64_t> after = files_version(model);
      return before && after && *before == *after;
    });
    return;
  }
  // Whoever packed them may have had another room.
  if (packed_->map(store, name(model, id), packed_floats())) return;
  transformed_ = !transformed_ && algorithm == Algorithm::winograd4;
  packed_->map(store, name(model, id), packed_floats());
}

void NativeLayer::choose_form(PackingRoom& room) {
  if (algorithm_ != Algorithm::winograd4) return;
  const auto bytes = [](size_t floats) { return static_cast<int64_t>(bytes_of_floats(floats)); };
  const int64_t more =
      bytes(kernels::winograd_floats(filter_)) - bytes(kernels::packed_floats(filter_));
  transformed_ = more <= room.bytes;
  if (transformed_) room_taken_ = more;
  room.bytes -= room_taken_;
}

// A few small files more would cost as much as packing them again.
bool NativeLayer::is_worth_a_file() const {
  constexpr size_t worth_a_file = 64 * 1024;
  return packed_floats() >= worth_a_file;
}

size_t NativeLayer::packed_floats() const {
  if (in_phases_) return kernels::phased_floats(phased());
  if (depthwise_) {
    return kernels::depthwise_floats(filter_.outputs, filter_.kernel_y, filter_.kernel_x);
  }
  return transformed_ ? kernels::winograd_floats(filter_) : kernels::packed_floats(filter_);
}

// Of everything that decides the packed bytes.
Hash NativeLayer::name(const Model& model, LayerId layer) const {
  std::string text = packed_layout() + " " + to_string(model.hash);
  for (const int64_t part :
       {int64_t{layer.value}, int64_t{algorithm_ == Algorithm::winograd4}, int64_t{transformed_},
        int64_t{channels_.begin}, int64_t{channels_.end}}) {
    text += ' ';
    text += std::to_string(part);
  }
  return sha256(text);
}

namespace {

// Calls f(first channel, channels) for each panel.
template <class Function>
void each_panel(const kernels::FilterShape& filter, const Function& f) {
  const int32_t group_outputs = filter.outputs / filter.groups;
  for (int32_t first = 0; first < filter.outputs;) {
    const int32_t rest = group_outputs - first % group_outputs;
    const int32_t count = std::min(kernels::panel_channels(), rest);
    f(first, count);
    first += count;
  }
}

std::span<const float> part_of(std::span<const float> bias, int32_t first, int32_t count) {
  if (bias.empty()) return bias;
  return bias.subspan(static_cast<size_t>(first), static_cast<size_t>(count));
}

// A panel's weights at a time, so that no second copy of all of them is ever held.
void pack_panels(const Model& model, const kernels::FilterShape& filter, const FloatView& weights,
                 std::span<const float> bias, float* packed) {
  const int64_t each = int64_t{filter.inputs} * filter.kernel_y * filter.kernel_x;
  std::vector<float> some;
  each_panel(filter, [&](int32_t first, int32_t count) {
    kernels::FilterShape panel = filter;
    panel.groups = 1;
    panel.outputs = count;
    some.resize(static_cast<size_t>(each * count));
    const std::span<const std::byte> from = weights.part(each * first, each * count).bytes();
    std::memcpy(some.data(), from.data(), from.size());
    kernels::pack(panel, some.data(), part_of(bias, first, count), packed);
    packed += kernels::packed_floats(panel);
    release_pages(model, from);
  });
}

}  // namespace

// A panel is collected from all of the weights, [inputs][outputs][kernel y][kernel x].
void NativeLayer::pack_transposed(const Model& model, const FloatView& weights,
                                  std::span<const float> bias, float* packed) const {
  const int64_t taps = int64_t{filter_.kernel_y} * filter_.kernel_x;
  const int64_t outputs = weights.count / taps / filter_.inputs;  // of the whole layer
  std::vector<float> some;
  each_panel(filter_, [&](int32_t first, int32_t count) {
    some.resize(static_cast<size_t>(count * filter_.inputs * taps));
    float* to = some.data();
    for (int64_t c = channels_.begin + first; c < channels_.begin + first + count; ++c) {
      for (int64_t k = 0; k < filter_.inputs; ++k, to += taps) {
        const FloatView from = weights.part((k * outputs + c) * taps, taps);
        std::memcpy(to, from.data, from.bytes().size());
      }
    }
    kernels::pack_phases(phased(), {first, first + count}, some.data(), part_of(bias, first, count),
                         packed);
  });
  release_pages(model, weights.bytes());
}

void NativeLayer::pack(const Model& model, const WeightedWindow& op, float* packed) const {
  std::vector<float> bias;
  for (int32_t c = channels_.begin; op.bias && c < channels_.end; ++c) {
    bias.push_back(model.at(*op.bias)[c]);
  }
  if (in_phases_ && !depthwise_) return pack_transposed(model, model.at(op.weights), bias, packed);
  const int64_t each = int64_t{filter_.inputs} * filter_.kernel_y * filter_.kernel_x;
  const FloatView weights =
      model.at(op.weights).part(each * channels_.begin, each * channels_.size());
  if (depthwise_) {
    std::vector<float> aligned(static_cast<size_t>(weights.count));
    std::memcpy(aligned.data(), weights.data, weights.bytes().size());
    if (in_phases_)
      kernels::pack_depthwise_phases(phased(), aligned.data(), bias, packed);
    else
      kernels::pack_depthwise(filter_.outputs, filter_.kernel_y, filter_.kernel_x, aligned.data(),
                              bias, packed);
  } else if (transformed_) {
    std::vector<float> panels(kernels::packed_floats(filter_));
    pack_panels(model, filter_, weights, bias, panels.data());
    kernels::winograd_weights(filter_, panels.data(), packed);
  } else {
    pack_panels(model, filter_, weights, bias, packed);
  }
}

int64_t NativeLayer::packed_bytes() const {
  return static_cast<int64_t>(bytes_of_floats(packed_floats()));
}

}  // namespace shingle
