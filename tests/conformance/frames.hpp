// A batch of n is n frames, where the network keeps the frames of a batch apart.
#pragma once

#include "tests/conformance/case.hpp"

namespace shingle::conformance {

struct FedTensor {
  std::string_view name;  // of the graph's input
  const TestTensor* tensor = nullptr;
};

// How many frames the data are. More than 1 exactly if every data input either leads with that
// batch or is broadcast over it, every output leads with it, and every operator keeps frames apart:
// convolutions, pooling and the like; element-wise operators none of whose constants has a batch of
// its own; matrix products by rows; joins, splits, pads and softmax along other axes. Else the data
// are one frame, and its first dimension is like any other.
int64_t frames_of(const onnx::File& file, const std::vector<FedTensor>& data,
                  const std::vector<FedTensor>& bound, const std::vector<TestTensor>& outputs);

// Does the tensor lead with the batch, rather than being broadcast over it?
bool leads_with(int64_t batch, size_t rank, const Dims& dims);

}  // namespace shingle::conformance
