// Flight logs as tables: a header, then a row for each sample (csv_table.hpp).
#pragma once

#include <string>
#include <string_view>

#include "apps/drone/logs/flight.hpp"

namespace shingle::drone {

bool is_csv_log(
    std::string_view bytes);  // its first line has a separator and no control characters

// The columns are options.columns (a map or a ready map's name), else those of the ready map that
// fits the header. An empty field is not known. Rows without a time are left out and counted, and
// so is a last row that has fewer fields than it needs. Errors name the line and the column.
Result<Flight> read_csv_log(std::string_view text, const std::string& name,
                            const LogOptions& options = {});

}  // namespace shingle::drone
