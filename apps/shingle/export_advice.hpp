// Advice: what to change in the export of a model, one sentence each.
#pragma once

#include <string>
#include <vector>

#include "apps/heads/reading.hpp"
#include "apps/models/onnx_file.hpp"
#include "apps/shingle/model_check.hpp"

namespace shingle {

// For a model that runs. `inputs`: as its file says; none for a Darknet model or a compiled file.
std::vector<std::string> advice_for(const Model& model, const Reading& reading,
                                    const ModelCheck& check, const std::vector<OnnxInput>& inputs);

// For a file that is refused.
std::vector<std::string> advice_for(const std::vector<OnnxUnread>& unread,
                                    const OnnxExport& exported);

}  // namespace shingle
