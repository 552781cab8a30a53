// A file that another one names, and which must lie below that one's folder: nobody who hands out a
// model makes us read /etc, whatever is in it.
#pragma once

#include <string>

#include "devices/weights/mapped_file.hpp"

namespace shingle {

// Maps `folder`/`location`. Absolute locations and those with '..' are refused, and so is whatever
// lies behind a symbolic link below the folder, wherever that leads. The sentence names the file.
Result<MappedFile> open_below(const std::string& folder, const std::string& location);

}  // namespace shingle
