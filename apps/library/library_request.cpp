#include "apps/library/library_request.hpp"

#include <cassert>

namespace shingle {

const std::vector<OutputValue>& LibraryRequest::values() {
  assert(request_->end.code == SHINGLE_OK);
  const std::lock_guard lock(mutex_);
  if (!values_.empty()) return values_;
  std::vector<std::vector<float>> ordered;
  for (size_t i = 0; i < request_->outputs.size(); ++i) {
    const std::vector<std::byte>& bytes = request_->outputs[i];
    const std::span box(reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float));
    const ModelOutput& output = model().outputs[i];
    ordered.push_back(in_file_order(output, model().at(output.tensor).shape, box));
  }
  values_ = cut_to_counts(model(), ordered);
  return values_;
}

}  // namespace shingle
