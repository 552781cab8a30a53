// Further nodes behind a network that is a file already.
#pragma once

#include <string>
#include <string_view>

#include "tests/networks/onnx_graph.hpp"

namespace shingle::networks {

// The file with the nodes of `tail`, whose outputs take the place of its own. The tail reads the
// file's values by their names.
std::string appended(std::string_view file, const OnnxGraph& tail);

}  // namespace shingle::networks
