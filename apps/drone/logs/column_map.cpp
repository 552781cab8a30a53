#include "apps/drone/logs/column_map.hpp"

#include <algorithm>

#include "apps/drone/logs/log_text.hpp"
#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

struct ReadyMap {
  std::string_view name, text;
};
// Airdata's files have feet or metres, by the user's account. DJI's app logs are those that
// phantomhelp.com and TXTlogToCSVtool make; theirs, too, have either.
constexpr ReadyMap ready_maps[] = {
    {"geo-trax",
     "local_time=timestamp, latitude=latitude, longitude=longitude, height=rel_alt, "
     "altitude=abs_alt, focal_35mm=focal_len, gimbal_yaw=gb_yaw, gimbal_pitch=gb_pitch, "
     "gimbal_roll=gb_roll"},
    {"airdata",
     "time=time(millisecond):ms, utc=datetime(utc), latitude=latitude, longitude=longitude, "
     "height=height_above_takeoff(feet):ft, height=height_above_takeoff(meters), "
     "altitude=altitude_above_seaLevel(feet):ft, altitude=altitude_above_seaLevel(meters), "
     "body_yaw=compass_heading(degrees), body_pitch=pitch(degrees), body_roll=roll(degrees), "
     "gimbal_yaw=gimbal_heading(degrees), gimbal_pitch=gimbal_pitch(degrees), "
     "gimbal_roll=gimbal_roll(degrees)"},
    {"dji-app",
     "time=OSD.flyTime [s], latitude=OSD.latitude, longitude=OSD.longitude, "
     "height=OSD.height [ft]:ft, height=OSD.height [m], altitude=OSD.altitude [ft]:ft, "
     "altitude=OSD.altitude [m], body_yaw=OSD.yaw, body_pitch=OSD.pitch, body_roll=OSD.roll, "
     "gimbal_yaw=GIMBAL.yaw, gimbal_pitch=GIMBAL.pitch, gimbal_roll=GIMBAL.roll, "
     "home_latitude=HOME.latitude, home_longitude=HOME.longitude"},
};

// What `shingle-drone log --csv` writes.
std::string own_map() {
  std::string text = "video_time=video_time, time=time, utc=utc, local_time=local_time";
  for (const TelemetryField& field : telemetry_fields())
    (((text += ", ") += field.name) += "=") += field.name;
  return text;
}

struct Unit {
  std::string_view of, name;  // `of` is the unit that the factor leads to
  double factor;
};
constexpr Unit units[] = {
    {"s", "s", 1.0},        {"s", "ms", 1e-3},
    {"s", "us", 1e-6},      {"s", "min", 60.0},
    {"m", "m", 1.0},        {"m", "cm", 0.01},
    {"m", "mm", 0.001},     {"m", "ft", 0.3048},
    {"m", "km", 1000.0},    {"mm", "mm", 1.0},
    {"mm", "m", 1000.0},    {"mm", "cm", 10.0},
    {"deg", "deg", 1.0},    {"deg", "ddeg", 0.1},
    {"deg", "e7deg", 1e-7}, {"deg", "rad", 57.29577951308232},
};

std::string_view target_unit(const MappedColumn& column) {
  return column.meaning == ColumnMeaning::quantity ? column.field->unit : "s";
}

bool is_clock(const MappedColumn& column) {
  return column.meaning == ColumnMeaning::utc || column.meaning == ColumnMeaning::local_time;
}

bool set_unit(std::string_view name, MappedColumn& column) {
  if (is_clock(column) && name == "date") return true;
  if (!is_clock(column) && column.field == nullptr && name.ends_with("fps")) {
    const auto rate = number_of(name.substr(0, name.size() - 3));
    if (!rate || *rate <= 0.0) return false;
    column.factor = 1.0 / *rate;
    return true;
  }
  for (const Unit& unit : units)
    if (unit.of == target_unit(column) && unit.name == name) {
      column.factor = unit.factor;
      column.is_date = false;
      return true;
    }
  return false;
}

std::string units_of(const MappedColumn& column) {
  std::string names = is_clock(column) ? "date" : "";
  for (const Unit& unit : units)
    if (unit.of == target_unit(column)) (names += names.empty() ? "" : ", ") += unit.name;
  return !is_clock(column) && column.field == nullptr ? names + ", 29.97fps" : names;
}

std::string field_names() {
  std::string names = "video_time, time, utc, local_time";
  for (const TelemetryField& field : telemetry_fields()) (names += ", ") += field.name;
  return names;
}

bool set_field(std::string_view name, MappedColumn& column) {
  if (name == "time")
    column.meaning = ColumnMeaning::time;
  else if (name == "video_time")
    column.meaning = ColumnMeaning::video_time;
  else if (name == "utc")
    column.meaning = ColumnMeaning::utc;
  else if (name == "local_time")
    column.meaning = ColumnMeaning::local_time;
  else
    column.field = field_named(name);
  column.is_date = is_clock(column);
  return column.meaning != ColumnMeaning::quantity || column.field != nullptr;
}

Result<MappedColumn> column_of(std::string_view entry) {
  const auto refusal = [&](const std::string& what) {
    return usage_error("the column map's entry " + in_quotes(entry) + " " + what);
  };
  const size_t equals = entry.find('=');
  if (equals == entry.npos || trimmed(entry.substr(equals + 1)).empty())
    return refusal("is not FIELD=COLUMN or FIELD=COLUMN:UNIT; ready maps are " + ready_map_names());
  MappedColumn column;
  if (!set_field(trimmed(entry.substr(0, equals)), column))
    return refusal("has an unknown field; fields are " + field_names());
  std::string_view source = trimmed(entry.substr(equals + 1));
  if (const size_t colon = source.rfind(':'); colon != source.npos && colon > 0) {
    if (!set_unit(trimmed(source.substr(colon + 1)), column))
      return refusal("has an unknown unit; units of this field are " + units_of(column));
    source = trimmed(source.substr(0, colon));
  }
  column.column = source;
  return column;
}

Result<ColumnMap> map_of(std::string_view text) {
  ColumnMap map;
  while (!text.empty()) {
    const size_t end = text.find_first_of(",\n");
    const std::string_view entry = trimmed(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (entry.empty()) continue;
    const auto column = column_of(entry);
    if (!column) return column.failure();
    map.columns.push_back(*column);
  }
  return map;
}

std::vector<ColumnMap> all_ready_maps() {
  std::vector<ColumnMap> maps;
  for (const ReadyMap& ready : ready_maps) {
    maps.push_back(std::move(map_of(ready.text)).value());
    maps.back().name = ready.name;
  }
  maps.push_back(std::move(map_of(own_map())).value());
  maps.back().name = "shingle";
  for (ColumnMap& map : maps) map.may_lack_columns = true;
  return maps;
}

}  // namespace

std::string ready_map_names() {
  std::string names;
  for (const ReadyMap& ready : ready_maps) (names += ready.name) += ", ";
  return names + "shingle";
}

Result<ColumnMap> read_column_map(std::string_view text) {
  for (ColumnMap& map : all_ready_maps())
    if (map.name == trimmed(text)) return map;
  auto map = map_of(text);
  if (!map) return map.failure();
  if (std::none_of(map->columns.begin(), map->columns.end(), [](const MappedColumn& column) {
        return column.meaning != ColumnMeaning::quantity;
      }))
    return usage_error(
        "the column map names no time; add video_time=COLUMN, time=COLUMN, "
        "utc=COLUMN or local_time=COLUMN");
  return map;
}

std::optional<ColumnMap> ready_map_for(std::span<const std::string> header) {
  std::optional<ColumnMap> best;
  size_t most = 1;  // a time and a quantity are the least
  for (ColumnMap& map : all_ready_maps()) {
    size_t times = 0, quantities = 0;
    for (const MappedColumn& column : map.columns)
      if (std::find(header.begin(), header.end(), column.column) != header.end())
        ++(column.meaning == ColumnMeaning::quantity ? quantities : times);
    if (times == 0 || quantities == 0 || times + quantities <= most) continue;
    most = times + quantities;
    best = std::move(map);
  }
  return best;
}

}  // namespace shingle::drone
