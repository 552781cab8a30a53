// Which column of a CSV file has which quantity, as text:
//   time=offset_time:ms, latitude=lat, longitude=lon, height=alt(feet):ft, gimbal_pitch=pitch:rad
//
//   entry   FIELD=COLUMN or FIELD=COLUMN:UNIT, separated by commas or line ends; COLUMN is a name
//   of
//           the header, or #3 for the third; UNIT stands behind the last ':'
//   FIELD   video_time (the video's own), time (since any moment), utc, local_time, or a name of
//           telemetry_fields()
//   UNIT    s, ms, us, min, or 29.97fps for frame numbers (times; default s)
//           date, s, ms, us (utc, local_time; numbers count from 1970; default date)
//           m, cm, mm, ft, km (lengths; default m, of focal lengths mm)
//           deg, rad, ddeg (tenths of a degree), e7deg (1e-7 of one) (angles; default deg)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/drone/logs/telemetry.hpp"
#include "partition/base/result.hpp"

namespace shingle::drone {

enum class ColumnMeaning : uint8_t { time, video_time, utc, local_time, quantity };

struct MappedColumn {
  ColumnMeaning meaning = ColumnMeaning::quantity;
  const TelemetryField* field = nullptr;  // of a quantity
  std::string column{};
  double factor = 1.0;   // to seconds, metres, millimetres of focal length or degrees
  bool is_date = false;  // text, not a number
};

struct ColumnMap {
  std::string name{};  // of a ready map
  std::vector<MappedColumn> columns{};
  bool may_lack_columns = false;  // ready maps: whatever of them a header has is read
};

// `text` is a map, or the name of a ready one. Errors name the entry.
Result<ColumnMap> read_column_map(std::string_view text);

// The ready map of which the header has most columns, a time among them and a quantity.
std::optional<ColumnMap> ready_map_for(std::span<const std::string> header);

std::string ready_map_names();  // "geo-trax, airdata, ..."

}  // namespace shingle::drone
