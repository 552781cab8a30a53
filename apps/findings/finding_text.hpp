// A finding in words: for programs as JSON, for people as a short line.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "apps/findings/class_names.hpp"
#include "apps/findings/finding.hpp"

namespace shingle {

// The fields that it adds to a frame's line (results.hpp); an empty object if nobody read it.
nlohmann::ordered_json json_of(const Finding& finding, const ClassNames& names);

std::string text_of(const Finding& finding, const ClassNames& names);  // "3 car, 1 truck"

}  // namespace shingle
