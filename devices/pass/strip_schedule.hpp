// StripSchedule: the order in which the steps of a pass compute strips of their rows, so that no
// map has to be stored whole.
//
//   step 0   [##]    [##]      [##]   ...      each [##] is a strip of rows
//   step 1       [##]    [##]          [##]
//   step 2                   [####]
//
//   * Of the steps that can compute their next strip, the last one goes first: rows are used up
//   before new ones are made. No step computes more than its readers' next strips need.
//   * A strip is `quantum` rows, ending on a multiple of `grid` (in the map's own coordinates) or
//     at the step's last row; a quantum of all rows computes the step at once.
//   * Every row is computed once. It is kept until no reader needs it any more.
//   * A stage (pass_stages.hpp) begins when all earlier ones have ended.
//
// This is the line buffer of image pipelines, for any graph that is computed from top to bottom.
// Branches, skips and steps that read whole maps only keep more rows.
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
  std::vector<size_t> producers{};  // earlier steps that it reads; one entry for each reading
  size_t stage = 0;                 // not below that of any earlier step
};

// The rows that the step needs of its reading number `reading` to compute `rows`; may be empty.
using RowsRead = std::function<Span(size_t step, size_t reading, Span rows)>;

struct ScheduledStrip {
  size_t step = 0;
  Span rows;
  int32_t keep = 0;  // rows [keep, rows.begin) of the step's own map are still needed
};

struct StripSchedule {
  std::vector<ScheduledStrip> strips;
  std::vector<int32_t> capacity;  // by step: the most rows of its map that are needed at once
};

StripSchedule schedule_strips(const std::vector<StripStep>& steps, const RowsRead& rows_read);

}  // namespace shingle
