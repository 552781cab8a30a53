// MediaSink: lines on stdout and annotated media.
#pragma once

#include <optional>

#include "apps/run/run_sink.hpp"
#include "apps/vision/media_out.hpp"

namespace shingle {

struct MediaSinkOptions {
  std::optional<MediaOutput> output{};  // of the main model; none: no annotated media
  bool json = false, tells = false;     // lines for programs; for people
};

class MediaSink : public RunSink {
 public:
  explicit MediaSink(MediaSinkOptions options) : options_(std::move(options)) {}

  bool keeps_pictures() const override { return options_.output.has_value(); }
  Status take(LaneResult& result, const RunModel& model, Progress& progress) override;
  Status close(RunEnd) override { return options_.output ? options_.output->close() : success(); }

 private:
  MediaSinkOptions options_;
};

}  // namespace shingle
