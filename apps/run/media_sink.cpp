#include "apps/run/media_sink.hpp"

#include "apps/system/print.hpp"
#include "apps/vision/annotate.hpp"

namespace shingle {

Status MediaSink::take(LaneResult& result, const RunModel& model, Progress& progress) {
  const ClassNames& names = model.reading.names;
  if (options_.tells && !options_.json) progress.clear();
  if (options_.json || options_.tells)
    if (const Status printed = print_result(options_.json ? json_line(result.frame, names)
                                                          : text_line(result.frame, names));
        !printed)
      return printed;
  if (!model.name.empty() || !options_.output) return success();
  annotate(result.picture.image, result.frame.finding, names);
  return options_.output->write(result.picture);
}

}  // namespace shingle
