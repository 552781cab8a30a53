// Files that are no models, known by how they begin: what people hand over at first.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace shingle {

// What a file that could not be taken as a model is, and what to do: "is a Git LFS pointer, not the
// file itself; fetch that with 'git lfs pull'". None: nothing that we know.
std::optional<std::string> foreign_file(const std::string& path, std::span<const std::byte> bytes);

// The same of a file that could not be taken as a picture or video.
std::optional<std::string> foreign_media(const std::string& path);

}  // namespace shingle
