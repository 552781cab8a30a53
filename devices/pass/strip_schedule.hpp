// StripSchedule: in which order the steps of a pass compute strips of their rows, so that no map
// need exist whole.
//
//   step 0   [##]    [##]      [##]   ...      each [##] is a strip of rows
//   step 1       [##]    [##]          [##]
//   step 2                   [####]
//
//   * Of the steps that can compute their next strip the last one does: rows are used up before
//     more are made. None runs ahead of what a reader's next strip waits for.
//   * A strip is `quantum` rows, ending on a multiple of `grid` (in the map's own coordinates) or
//     at the step's last row; a quantum of all rows computes the step at once.
//   * Every row is computed once. What a reader still wants of a map stays, the rest gives way.
//
// This is the line buffer of image pipelines, for any graph whose rows move downwards together;
// branches, skips and steps that read whole maps just keep more rows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "partition/model/region.hpp"

namespace shingle {

struct StripStep {
  Span rows;  // to compute; not empty
  int32_t quantum = 1;
  int32_t grid = 1;
  std::vector<size_t> producers{};  // earlier steps that it reads, one per reading
};

// Which rows of its reading `reading` the step needs to compute `rows`; may be empty.
using RowsRead = std::function<Span(size_t step, size_t reading, Span rows)>;

struct ScheduledStrip {
  size_t step = 0;
  Span rows;
  int32_t keep = 0;  // rows of the step's own map from here to rows.begin are still wanted
};

struct StripSchedule {
  std::vector<ScheduledStrip> strips;
  std::vector<int32_t> capacity;  // by step: the most rows of its map that are wanted at once
};

StripSchedule schedule_strips(const std::vector<StripStep>& steps, const RowsRead& rows_read);

}  // namespace shingle
