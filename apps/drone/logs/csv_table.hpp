// A CSV file's lines and header. Fields are separated by commas, semicolons or tabs, whichever the
// header has most of, and may stand in double quotes. A first line "sep=," is passed over.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingle::drone {

struct CsvTable {
  std::vector<std::string_view> lines{};  // of the whole file
  size_t header_line = 0;                 // its index; lines.size(): there is none
  char separator = ',';
  std::vector<std::string> header{};
};

CsvTable csv_table_of(std::string_view text);

// Fields of a line without blanks and quotes around them; at least one.
std::vector<std::string> csv_fields(std::string_view line, char separator);

// Of a name, or of "#3" for the third column.
std::optional<size_t> column_index(const std::string& column,
                                   const std::vector<std::string>& header);

std::string column_names(const CsvTable& table);  // for sentences: "a, b, c", not too long

}  // namespace shingle::drone
