#include "devices/weights/packed_weights.hpp"
#include "partition/model/element.hpp"

namespace shingle {

PackedWeights::~PackedWeights() {
  if (mapped_) account_.remove(static_cast<int64_t>(mapped_->bytes().size()));
}

bool PackedWeights::map(const PackedStore& store, const Hash& name, size_t floats) {
  mapped_ = store.find(name, static_cast<int64_t>(bytes_of_floats(floats)));
  if (mapped_) account_.add(static_cast<int64_t>(mapped_->bytes().size()));
  return mapped_.has_value();
}

float* PackedWeights::reserve(size_t floats) {
  own_.reserve(static_cast<int64_t>(bytes_of_floats(floats)));
  packed_ = {own_.data(), bytes_of_floats(floats)};
  return reinterpret_cast<float*>(own_.data());
}

}  // namespace shingle
