#include "partition/deepthings/ftp_darknet.hpp"

namespace shingle {
namespace {

// Darknet computes as many output pixels as the tile has input pixels, even if fewer are needed.
double convolution_ns(const DarknetCost& cost, const Model& model, LayerId id,
                      const Convolution& convolution, const Region& reads, const Region& wanted) {
  const bool keeps_size = convolution.y.stride == 1 && convolution.x.stride == 1;
  const Region made = keeps_size ? Region{reads.y, reads.x, wanted.c} : wanted;
  const auto all_macs = static_cast<double>(macs(model, id, made));
  const auto pixels = static_cast<double>(int64_t{made.y.size()} * made.x.size());
  const bool gathers = convolution.y.kernel > 1 || convolution.x.kernel > 1;
  return cost.ns_per_mac * all_macs +
         (gathers ? cost.ns_per_gathered * all_macs / made.c.size() : 0.0) +
         cost.ns_per_element * static_cast<double>(made.elements()) +
         cost.ns_per_weight * all_macs / pixels;
}

}  // namespace

Duration darknet_time(const DarknetCost& cost, const Model& model,
                      const std::vector<LayerId>& layers, const FtpWay& way) {
  double total_ns = 0.0;
  for (size_t i = 0; i < layers.size(); ++i) {
    if (way.computed[i].empty()) continue;
    const Region reads = ftp_reads(model, layers[i], way.computed[i]);
    const auto* convolution = std::get_if<Convolution>(&model.at(layers[i]).op);
    total_ns += convolution != nullptr
                    ? convolution_ns(cost, model, layers[i], *convolution, reads, way.computed[i])
                    : cost.ns_per_element * static_cast<double>(reads.elements());
  }
  return Duration(static_cast<int64_t>(total_ns));
}

}  // namespace shingle
