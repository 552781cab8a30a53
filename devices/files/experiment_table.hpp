// Reads an experiment from a table that stands in a file with other things.
#pragma once

#include "devices/files/experiment_file.hpp"
#include "devices/files/toml_table.hpp"

namespace shingle {

// As parse_experiment(); `file_name` is the file in which the table stands.
Result<ExperimentFile> read_experiment_table(const toml::table& table, std::string_view file_name);

}  // namespace shingle
