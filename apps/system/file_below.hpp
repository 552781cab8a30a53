// Opens a file that another file names. It must lie below that file's folder: a model from a
// stranger must not make this program read /etc.
#pragma once

#include <string>

#include "devices/weights/mapped_file.hpp"

namespace shingle {

// Maps `folder`/`location`. Refuses absolute locations, locations with '..', and every symbolic
// link below the folder, wherever it leads. The sentence names the file.
Result<MappedFile> open_below(const std::string& folder, const std::string& location);

}  // namespace shingle
