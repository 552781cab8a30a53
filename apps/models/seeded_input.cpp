#include "apps/models/seeded_input.hpp"

#include <cstring>
#include <random>

namespace shingle {

std::vector<std::byte> seeded_input(const Tensor& tensor, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(
      static_cast<size_t>(tensor.shape.elements() * bytes_of(tensor.type)));
  if (tensor.type == ElementType::u8) {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() >> 56);
    return bytes;
  }
  for (size_t i = 0; i < bytes.size(); i += sizeof(float)) {
    const float value =
        static_cast<float>(static_cast<int64_t>(random() >> 40) - (1 << 23)) * (1.0F / (1 << 23));
    std::memcpy(bytes.data() + i, &value, sizeof value);
  }
  return bytes;
}

WholeInputs seeded_inputs(const Model& model, uint64_t seed) {
  WholeInputs inputs;
  for (const TensorId input : model.inputs)
    inputs.push_back(seeded_input(model.at(input), seed + inputs.size()));
  return inputs;
}

}  // namespace shingle
