// Writes whole files and checks for every error, a full disk included.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "partition/base/result.hpp"

namespace shingle {

// Replaces the file. The sentence names it and the system's reason ("No space left on device").
Status write_file(const std::string& path, std::span<const std::byte> bytes);

// Replaces the file so that a reader finds all of the old one or of the new one, also after a power
// cut. Uses the name with ".new" behind it meanwhile.
Status replace_file(const std::string& path, std::span<const std::byte> bytes);

// Makes the folder if it is missing, with its parents.
Status make_folder(const std::string& path);

}  // namespace shingle
