// KernelChoices: whether our kernel or XNNPACK's computes a direct convolution, where both give the
// same bits. Which is faster depends on the machine and on the layer's shape, so both are run once,
// for a few milliseconds, and what came out is kept in a file of text:
//
//   shingle kernels 1, AVX3, packed 2, vectors of 16, panels of 32, fused
//   own 412 1180 3x3 stride 1x1 dilation 1x1 groups 1 channels 64 to 128 columns 104 threads 1
//
// A line: who computes, microseconds of ours and of XNNPACK's, the layer. A file of other kernels,
// and lines that make no sense, are measured again.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>

#include "devices/parallel.hpp"
#include "partition/program.hpp"

namespace shingle {

struct KernelTimes {
  int64_t own_us = 0, xnnpack_us = 0;

  // Ours also take pools and additions along, so XNNPACK's must be faster by a tenth.
  bool xnnpack() const { return xnnpack_us * 10 < own_us * 9; }
};

class KernelChoices {
 public:
  using Clock = std::function<std::chrono::nanoseconds()>;

  // An empty file name: nothing is measured and ours compute. Without a clock: the machine's.
  explicit KernelChoices(std::string file, Clock now = {});

  // REQUIRES: runs_natively, and not by an algorithm of which the bits are ours (bits_are_ours).
  bool xnnpack(const Model& model, const Step& step, const ThreadPool& pool);

 private:
  void read();
  void keep() const;

  std::string file_;
  Clock now_;
  std::map<std::string, KernelTimes> times_;  // by layer, as the file says it
};

}  // namespace shingle
