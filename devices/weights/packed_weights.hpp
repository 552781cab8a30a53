// PackedWeights: a layer's weights in the layout of its kernel. They were packed by this process,
// or are mapped from a store; both are counted in the account.
#pragma once

#include <optional>
#include <span>

#include "devices/executor/memory_account.hpp"
#include "devices/weights/packed_store.hpp"

namespace shingle {

class PackedWeights {
 public:
  explicit PackedWeights(MemoryAccount& account) : account_(account), own_(account) {}
  ~PackedWeights();
  PackedWeights(const PackedWeights&) = delete;
  PackedWeights& operator=(const PackedWeights&) = delete;

  // Maps the weights from the store, or calls pack(floats) to write them. Stores them for the next
  // start if pack() returns true: the weights are what their name says.
  template <class Pack>
  void take(const PackedStore& store, const std::optional<Hash>& name, size_t floats,
            const Pack& pack) {
    if (name && map(store, *name, floats)) return;
    const bool sound = pack(reserve(floats));
    stored_ = sound && name && store.keep(*name, std::as_bytes(std::span(this->floats(), floats)));
  }

  // Maps the weights if the store has them; false if not.
  bool map(const PackedStore& store, const Hash& name, size_t floats);

  bool is_stored() const { return mapped_ || stored_; }
  const std::optional<MappedWeights>& mapped() const { return mapped_; }

  // All weights, in the layout of the kernel.
  std::span<const std::byte> bytes() const { return mapped_ ? mapped_->bytes() : packed_; }
  // The weights that were packed here. Mapped weights cannot be written to.
  std::span<std::byte> packed() { return packed_; }

  // Null until the weights are mapped or packed.
  const float* floats() const {
    return reinterpret_cast<const float*>(mapped_ ? mapped_->bytes().data() : own_.data());
  }

 private:
  float* reserve(size_t floats);

  MemoryAccount& account_;
  AlignedBuffer own_;
  std::span<std::byte> packed_;  // of own_
  std::optional<MappedWeights> mapped_;
  bool stored_ = false;
};

}  // namespace shingle
