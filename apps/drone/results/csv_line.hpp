// Fields of a comma-separated line; empty fields are values that are not known. No field that is
// read again has a comma or a quote in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingle::drone {

std::vector<std::string_view> csv_fields(std::string_view line);
std::string csv_line(const std::vector<std::string>& fields);  // with its newline

// A name of the user's, in quotes where it has a comma. REQUIRES: it has no quote and no newline,
// as names of sites.
std::string csv_name(const std::string& name);

// None: not a whole number.
std::optional<int64_t> csv_whole(std::string_view field);

// "12.500", "" for an empty one. REQUIRES: finite.
std::string csv_text(const std::optional<double>& value, int decimals);

}  // namespace shingle::drone
