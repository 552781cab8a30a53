// A batch of n counts as n frames if the network computes the elements of a batch separately.
#pragma once

#include "tests/conformance/case.hpp"

namespace shingle::conformance {

struct FedTensor {
  std::string_view name;  // of the graph's input
  const TestTensor* tensor = nullptr;
};

// The number of frames in the data. It is more than 1 if all of this holds: the first dimension of
// each data input is the batch, or the input is broadcast over it; the first dimension of each
// output is the batch; each operator computes the frames separately. Such operators are
// convolutions, pooling and the like; element-wise operators without a constant that has a batch;
// matrix products by rows; joins, splits, pads and softmax along other axes. Otherwise the data are
// one frame, and the first dimension has no special meaning.
int64_t frames_of(const onnx::File& file, const std::vector<FedTensor>& data,
                  const std::vector<FedTensor>& bound, const std::vector<TestTensor>& outputs);

// Is the tensor's first dimension the batch? (If not, the tensor is broadcast over the batch.)
bool leads_with(int64_t batch, size_t rank, const Dims& dims);

}  // namespace shingle::conformance
