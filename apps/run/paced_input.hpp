// PacedInput: pictures of an input; those of files, if wanted, at their own times, as a camera
// would give them. A picture has come once its stream time has passed since the first one came.
#pragma once

#include <chrono>
#include <optional>

#include "apps/vision/media_in.hpp"

namespace shingle {

struct PaceOptions {
  bool as_live = false;            // files at their own times
  double images_per_second = 0.0;  // of a folder, which has no times; above 0 where it is as_live
};

class PacedInput {
 public:
  using Clock = std::chrono::steady_clock;
  struct Came {
    Picture picture;
    Clock::time_point since;  // when it came; of a file that is not paced and of live sources now
  };

  // `input` must outlive this.
  PacedInput(MediaInput& input, const PaceOptions& options) : input_(input), options_(options) {}

  // Do pictures come whether anybody asks for them or not?
  bool is_live() const { return input_.is_live() || options_.as_live; }
  // Would next() answer at once, or within `longest`? May read a picture ahead.
  bool ready(std::chrono::milliseconds longest = std::chrono::milliseconds(0));
  Result<std::optional<Came>> next();  // waits; none at the end
  // Of the picture that next() gave last: has a newer one come?
  bool is_overtaken();
  uint64_t dropped() const { return input_.dropped(); }

 private:
  bool is_paced() const { return options_.as_live && !input_.is_live(); }
  void read_ahead();
  Clock::time_point due() const;  // of the picture that was read ahead

  MediaInput& input_;
  const PaceOptions options_;
  std::optional<Result<std::optional<Picture>>> ahead_{};
  uint64_t given_ = 0;
  std::optional<Clock::time_point> began_{};
};

}  // namespace shingle
