// KernelChoices: choices that are measured once for each machine and shape of layer, because they
// change no bit: whether our kernel or XNNPACK's computes a direct convolution, and how our kernel
// cuts a layer for the caches. The candidates run alternately, for a few milliseconds in all, and
// the result is stored in a text file:
//
//   shingle kernels 2, AVX3, packed 2, vectors of 16, panels of 32, fused
//   own 412 1180 3x3 stride 1x1 dilation 1x1 groups 1 channels 64 to 128 columns 104 threads 1
//   blocks 0 84 0 700 640 winograd kept 3x3 stride 1x1 ... threads 1
//
// A line has the kernel that computes, the microseconds of our kernel and of XNNPACK's, and the
// layer. Or it has the KernelBlocks, the microseconds with the default blocks and with these, and
// the layer. A file of other kernels and lines that cannot be read are ignored; those layers are
// measured again.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "devices/layers/kernel_trial.hpp"

namespace shingle {

struct KernelTimes {
  int64_t own_us = 0, xnnpack_us = 0;

  // Our kernels can also fuse pools and additions, so XNNPACK's must be faster by a tenth.
  bool xnnpack() const { return xnnpack_us * 10 < own_us * 9; }
};

struct BlockTimes {
  KernelBlocks best;
  int64_t usual_us = 0, best_us = 0;
};

class KernelChoices {
 public:
  using Clock = TrialClock;

  // Empty `file`: nothing is measured; our kernels compute with the default blocks. Without `now`:
  // the machine's clock.
  explicit KernelChoices(std::string file, Clock now = {});

  // Does XNNPACK compute the step? REQUIRES: runs_natively(), and not bits_are_ours().
  bool xnnpack(const Model& model, const Step& step, const ThreadPool& pool);

  // The best blocks for the step. REQUIRES: `layer` computes the step and has weights. The blocks
  // of `layer` itself are unspecified afterwards.
  KernelBlocks blocks(const Model& model, const Step& step, NativeLayer& layer,
                      const ThreadPool& pool);

 private:
  void read();
  void read_line(const std::string& line);
  void keep() const;

  std::string file_;
  Clock now_;
  std::map<std::string, KernelTimes> times_;  // by layer, as in the file
  std::map<std::string, BlockTimes> blocks_;  // the same
};

}  // namespace shingle
