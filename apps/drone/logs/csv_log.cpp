#include "apps/drone/logs/csv_log.hpp"

#include <algorithm>

#include "apps/drone/logs/column_map.hpp"
#include "apps/drone/logs/csv_table.hpp"
#include "apps/drone/logs/log_text.hpp"
#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

// A column of the map, and its index in the file.
struct PlacedColumn {
  MappedColumn mapped{};
  size_t index = 0;
};

Result<std::vector<PlacedColumn>> place(const ColumnMap& map, const CsvTable& table,
                                        const std::string& name) {
  std::vector<PlacedColumn> placed;
  for (const MappedColumn& column : map.columns) {
    const auto index = column_index(column.column, table.header);
    if (index)
      placed.push_back({column, *index});
    else if (!map.may_lack_columns)
      return bad_input(in_quotes(name) + " line " + std::to_string(table.header_line + 1) +
                       " has no column " + in_quotes(column.column) + "; its columns are " +
                       column_names(table));
  }
  if (std::none_of(placed.begin(), placed.end(), [](const PlacedColumn& column) {
        return column.mapped.meaning != ColumnMeaning::quantity;
      }))
    return bad_input(in_quotes(name) + " has none of the columns of time of the map " +
                     in_quotes(map.name) + "; its columns are " + column_names(table));
  return placed;
}

Result<ColumnMap> map_for(const CsvTable& table, const std::string& name,
                          const LogOptions& options) {
  if (!options.columns.empty()) return read_column_map(options.columns);
  if (auto map = ready_map_for(table.header)) return *map;
  return bad_input(in_quotes(name) + " has columns that no ready map (" + ready_map_names() +
                   ") fits; give --columns 'time=.., latitude=.., longitude=.., height=..', its "
                   "columns are " +
                   column_names(table));
}

// The value of one field. An empty field has none.
Result<std::optional<double>> value_of(const std::string& text, const PlacedColumn& column) {
  if (text.empty()) return std::optional<double>();
  if (column.mapped.is_date) {
    std::string_view rest = text;
    const auto date = take_date_time(rest);
    if (date && trimmed(rest).empty()) return std::optional<double>(date->seconds);
    return bad_input("no date as 2026-01-31 12:00:00.000; a unit (s, ms, us) says otherwise");
  }
  const auto number = number_of(text);
  if (!number) return bad_input("not a number; correct it, or empty the field if it is not known");
  return std::optional<double>(*number * column.mapped.factor);
}

void set_value(const std::optional<double>& value, const MappedColumn& column, Telemetry& sample,
               std::optional<double>& seconds) {
  if (!value) return;
  if (column.meaning == ColumnMeaning::time || column.meaning == ColumnMeaning::video_time)
    seconds = value;
  else if (column.meaning == ColumnMeaning::quantity)
    sample.*column.field->value = value;
  else
    sample.clock = value;
}

// The sample and, where the row has one, its time. `seconds` is none in a row without it.
struct Row {
  Telemetry sample{};
  std::optional<double> seconds{};
};
Result<Row> row_of(const std::vector<std::string>& fields, const std::vector<PlacedColumn>& columns,
                   const std::string& where, size_t line) {
  Row row{.sample = {.line = line}};
  for (const PlacedColumn& column : columns) {
    const std::string& field = fields[column.index];
    const auto value = value_of(field, column);
    if (!value)
      return bad_input(where + " has " + in_quotes(field) + " in the column " +
                       in_quotes(column.mapped.column) + ", " + value.error());
    set_value(*value, column.mapped, row.sample, row.seconds);
  }
  return row;
}

Status read_rows(const CsvTable& table, const std::vector<PlacedColumn>& columns, Flight& flight) {
  size_t needed = 0, timeless = 0;
  for (const PlacedColumn& column : columns) needed = std::max(needed, column.index + 1);
  for (size_t at = table.header_line + 1; at < table.lines.size(); ++at) {
    const auto fields = csv_fields(table.lines[at], table.separator);
    if (fields.size() == 1 && fields[0].empty()) continue;
    const std::string where = in_quotes(flight.name) + " line " + std::to_string(at + 1);
    if (fields.size() < needed && at + 1 == table.lines.size()) {
      flight.notes.push_back("the file breaks off in line " + std::to_string(at + 1) +
                             "; that row is left out");
      break;
    }
    if (fields.size() < needed)
      return bad_input(where + " has " + std::to_string(fields.size()) + " of at least " +
                       std::to_string(needed) + " fields; complete or remove it");
    auto row = row_of(fields, columns, where, at + 1);
    if (!row) return row.failure();
    if (flight.time == LogTime::clock ? !row->sample.clock : !row->seconds) {
      ++timeless;
      continue;
    }
    row->sample.seconds = row->seconds.value_or(0.0);
    if (!row->sample.clock) flight.clock = LogClock::none;
    flight.samples.push_back(row->sample);
  }
  if (timeless > 0)
    flight.notes.push_back("rows without a time, left out: " + std::to_string(timeless));
  return success();
}

}  // namespace

bool is_csv_log(std::string_view bytes) {
  const CsvTable table = csv_table_of(bytes.substr(0, 65536));
  if (table.header.size() < 2) return false;
  const std::string_view line = table.lines[table.header_line];
  return std::none_of(line.begin(), line.end(), [](char letter) {
    return static_cast<unsigned char>(letter) < ' ' && letter != '\t';
  });
}

Result<Flight> read_csv_log(std::string_view text, const std::string& name,
                            const LogOptions& options) {
  const CsvTable table = csv_table_of(text);
  const auto map = map_for(table, name, options);
  if (!map) return map.failure();
  const auto columns = place(*map, table, name);
  if (!columns) return columns.failure();
  Flight flight{.name = name, .format = LogFormat::csv};
  for (const PlacedColumn& column : *columns) {
    if (column.mapped.meaning == ColumnMeaning::video_time) flight.time = LogTime::video;
    if (column.mapped.meaning == ColumnMeaning::time && flight.time == LogTime::clock)
      flight.time = LogTime::own;
    if (column.mapped.meaning == ColumnMeaning::utc) flight.clock = LogClock::utc;
    if (column.mapped.meaning == ColumnMeaning::local_time && flight.clock == LogClock::none)
      flight.clock = LogClock::local;
  }
  const Status read = read_rows(table, *columns, flight);
  if (!read) return read.failure();
  return completed(std::move(flight), options.zone_hours);
}

}  // namespace shingle::drone
