// Chosen where oneDNN is not installed (tools/deps installs it).
#include <cmath>

#include "bench/onednn/convolution.hpp"

namespace shingle::bench {

double onednn_seconds(const Model&, const Layer&) { return NAN; }

}  // namespace shingle::bench
