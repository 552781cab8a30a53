// KernelChoices: what is measured once per machine and shape of a layer, for it changes no bit:
// whether our kernel or XNNPACK's computes a direct convolution, and how ours cuts a layer for the
// caches. All candidates run by turns, for a few milliseconds together, and what came out is kept
// in a file of text:
//
//   shingle kernels 2, AVX3, packed 2, vectors of 16, panels of 32, fused
//   own 412 1180 3x3 stride 1x1 dilation 1x1 groups 1 channels 64 to 128 columns 104 threads 1
//   blocks 0 84 0 700 640 winograd kept 3x3 stride 1x1 ... threads 1
//
// A line: who computes, microseconds of ours and of XNNPACK's, the layer. Or KernelBlocks, the
// microseconds of the usual ones and of these, the layer. A file of other kernels, and lines that
// make no sense, are measured again.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "devices/layers/kernel_trial.hpp"

namespace shingle {

struct KernelTimes {
  int64_t own_us = 0, xnnpack_us = 0;

  // Ours also take pools and additions along, so XNNPACK's must be faster by a tenth.
  bool xnnpack() const { return xnnpack_us * 10 < own_us * 9; }
};

struct BlockTimes {
  KernelBlocks best;
  int64_t usual_us = 0, best_us = 0;
};

class KernelChoices {
 public:
  using Clock = TrialClock;

  // An empty file name: nothing is measured, ours compute, and as usual. Without a clock: the
  // machine's.
  explicit KernelChoices(std::string file, Clock now = {});

  // REQUIRES: runs_natively, and not by an algorithm of which the bits are ours (bits_are_ours).
  bool xnnpack(const Model& model, const Step& step, const ThreadPool& pool);

  // REQUIRES: `layer` computes the step and has weights. Leaves it cut in some way.
  KernelBlocks blocks(const Model& model, const Step& step, NativeLayer& layer,
                      const ThreadPool& pool);

 private:
  void read();
  void read_line(const std::string& line);
  void keep() const;

  std::string file_;
  Clock now_;
  std::map<std::string, KernelTimes> times_;  // by layer, as the file says it
  std::map<std::string, BlockTimes> blocks_;  // the same
};

}  // namespace shingle
