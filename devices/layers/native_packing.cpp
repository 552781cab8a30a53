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
  const auto& op = std::get<Convolution>(model.at(id).op);
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

// A panel's weights at a time, so that no second copy of all of them is ever held.
void pack_panels(const Model& model, const kernels::FilterShape& filter, const FloatView& weights,
                 std::span<const float> bias, float* packed) {
  const int64_t each = int64_t{filter.inputs} * filter.kernel_y * filter.kernel_x;
  const int32_t group_outputs = filter.outputs / filter.groups;
  std::vector<float> some;
  for (int32_t first = 0; first < filter.outputs;) {
    kernels::FilterShape panel = filter;
    panel.groups = 1;
    panel.outputs = std::min(kernels::panel_channels(), group_outputs - first % group_outputs);
    some.resize(static_cast<size_t>(each * panel.outputs));
    const std::span<const std::byte> from =
        weights.part(each * first, each * panel.outputs).bytes();
    std::memcpy(some.data(), from.data(), from.size());
    const auto its_bias =
        bias.empty() ? bias
                     : bias.subspan(static_cast<size_t>(first), static_cast<size_t>(panel.outputs));
    kernels::pack(panel, some.data(), its_bias, packed);
    packed += kernels::packed_floats(panel);
    first += panel.outputs;
    release_pages(model, from);
  }
}

}  // namespace

void NativeLayer::pack(const Model& model, const Convolution& op, float* packed) const {
  const int64_t each = int64_t{filter_.inputs} * filter_.kernel_y * filter_.kernel_x;
  const FloatView weights =
      model.at(op.weights).part(each * channels_.begin, each * channels_.size());
  std::vector<float> bias;
  for (int32_t c = channels_.begin; op.bias && c < channels_.end; ++c) {
    bias.push_back(model.at(*op.bias)[c]);
  }
  if (depthwise_) {
    std::vector<float> aligned(static_cast<size_t>(weights.count));
    std::memcpy(aligned.data(), weights.data, weights.bytes().size());
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
