// Classes of a model that a user chooses by names or numbers.
#pragma once

#include <string>
#include <vector>

#include "partition/base/result.hpp"

namespace shingle::drone {

// `wanted`: names (whatever their case) or numbers, with commas. Ascending, each once. Error: a
// class that the model lacks, with those that it has.
Result<std::vector<int>> chosen_classes(const std::vector<std::string>& names,
                                        const std::string& wanted);

std::string lower_case(std::string_view text);
std::string listed_names(const std::vector<std::string>& names);  // "cat, dog and 7 more"

}  // namespace shingle::drone
