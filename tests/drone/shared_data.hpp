// Data that lies beside the checkout: $SHINGLE_DATA, else ../shared/data.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "tests/places.hpp"

namespace shingle::drone {

// The folder's path. None, and said so, where it is not there.
inline std::optional<std::string> shared_data(const std::string& folder) {
  const char* given = std::getenv("SHINGLE_DATA");
  const std::string root = given != nullptr ? given : source_folder() + "/../shared/data";
  if (std::filesystem::exists(root + "/" + folder)) return root + "/" + folder;
  MESSAGE("skipped: no shared data");
  return std::nullopt;
}

}  // namespace shingle::drone
