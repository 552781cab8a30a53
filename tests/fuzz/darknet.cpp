// Fuzzes Darknet's two files: the cfg up to the first zero byte, then the weights. What was read is
// a sound model, and each detection belongs to one of its outputs.
#include "partition/readers/darknet.hpp"
#include "tests/fuzz/target.hpp"

namespace shingle::fuzz {

void darknet(Bytes bytes) {
  const std::string_view text = text_of(bytes);
  const size_t zero = std::min(text.find('\0'), text.size());
  const Bytes weights = bytes.subspan(std::min(zero + 1, bytes.size()));
  const Result<DarknetModel> read = read_darknet(text.substr(0, zero), weights);
  if (!read) return expect_sentence(read.error());
  expect(defects(read->model).empty(), "a cfg that is read makes a sound model");
  for (const DetectionLayer& detection : read->detections) {
    expect(detection.output < read->model.outputs.size(), "a detection's map is an output");
    expect(detection.mask.size() == detection.anchors.size(), "each anchor has its number");
  }
}

}  // namespace shingle::fuzz
