// Recognises files that are no models by how they begin: first-time users often pass one.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace shingle {

// For a file that could not be read as a model: what it is and what to do, as "is a Git LFS
// pointer, not the file itself; fetch that with 'git lfs pull'". None: the format is not known.
std::optional<std::string> foreign_file(const std::string& path, std::span<const std::byte> bytes);

// The same for a file that could not be read as a picture or video.
std::optional<std::string> foreign_media(const std::string& path);

}  // namespace shingle
