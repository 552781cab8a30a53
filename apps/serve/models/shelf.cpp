#include "apps/serve/models/shelf.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "apps/system/write_file.hpp"
#include "partition/base/text.hpp"

namespace shingle::serve {
namespace {

namespace fs = std::filesystem;

constexpr size_t longest_name = 256;
constexpr size_t digits = 64;

bool is_storable(const std::string& name) {
  return !name.empty() && name.size() <= longest_name && readable(name, 2 * longest_name) == name;
}

std::string in_mib(uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

Result<std::vector<std::byte>> read_file(const std::string& path, uint64_t most) {
  std::error_code failure;
  const uint64_t size = fs::file_size(path, failure);
  if (failure || size > most) return Error{"cannot read '" + path + "'"};
  std::vector<std::byte> bytes(size);
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size)))
    return Error{"cannot read '" + path + "'"};
  return bytes;
}

// Of a model, from a write that was cut off.
bool is_draft(const fs::path& path) {
  return path.extension() == ".new" && read_hash(path.stem().stem().string()).has_value();
}

}  // namespace

std::string Shelf::path_of(const Hash& hash) const {
  return folder_ + "/" + to_string(hash) + ".model";
}

Result<Shelf> Shelf::open(const std::string& folder, const ShelfLimits& limits) {
  if (const Status made = make_folder(folder); !made) return made.failure();
  Shelf shelf(folder, limits);
  if (const Status read = shelf.read_names(); !read) return read.failure();
  return shelf;
}

Status Shelf::read_names() {
  std::ifstream file(folder_ + "/names");
  for (std::string line; std::getline(file, line);) {
    const auto hash = read_hash(std::string_view(line).substr(0, digits));
    const std::string name = line.size() > digits ? line.substr(digits + 1) : "";
    std::error_code missing;
    if (!hash || !is_storable(name) || names_.size() == limits_.names) continue;
    const uint64_t size = fs::file_size(path_of(*hash), missing);
    if (missing || size > limits_.bytes_of_one) continue;
    names_[name] = *hash;
    sizes_[*hash] = size;
  }
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder_, failure)) {
    const auto hash = read_hash(entry.path().stem().string());
    const bool is_unknown = hash && !sizes_.contains(*hash);
    if (is_unknown || is_draft(entry.path())) fs::remove(entry.path(), failure);
  }
  return failure ? Status(Error{"cannot read the folder '" + folder_ + "': " + failure.message()})
                 : success();
}

Status Shelf::write_names() const {
  std::string text;
  for (const auto& [name, hash] : names_)
    text.append(to_string(hash)).append(" ").append(name).append("\n");
  return replace_file(folder_ + "/names", std::as_bytes(std::span(text)));
}

std::optional<Hash> Shelf::find(const std::string& name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? std::nullopt : std::optional(found->second);
}

Status Shelf::make_room(const std::string& name, const Hash& hash, uint64_t bytes) const {
  if (!is_storable(name))
    return bad_input("a model's name is a text of 1 to 256 bytes without control characters");
  if (bytes == 0) return bad_input("the model " + in_quotes(name) + " has no bytes");
  if (bytes > limits_.bytes_of_one)
    return bad_input("the model " + in_quotes(name) + " has " + in_mib(bytes) +
                     "; models of at most " + in_mib(limits_.bytes_of_one) + " are accepted");
  const auto old = find(name);
  if (!old && names_.size() >= limits_.names)
    return Error{std::to_string(limits_.names) + " models were accepted already; delete some in '" +
                 folder_ + "' and start anew"};
  uint64_t held = 0;
  for (const auto& [each, size] : sizes_) {
    const bool is_replaced = old == each && std::ranges::count_if(names_, [&](const auto& entry) {
                                              return entry.second == each;
                                            }) == 1;
    if (each != hash && !is_replaced) held += size;
  }
  if (held + bytes > limits_.bytes)
    return Error{"the accepted models would take more than " + in_mib(limits_.bytes) +
                 "; delete some in '" + folder_ + "' and start anew"};
  return success();
}

Result<Hash> Shelf::put(const std::string& name, std::span<const std::byte> bytes) {
  if (bytes.size() > limits_.bytes_of_one)  // before they are hashed
    return make_room(name, {}, bytes.size()).failure();
  const Hash hash = sha256(bytes);
  if (const Status room = make_room(name, hash, bytes.size()); !room) return room.failure();
  if (!sizes_.contains(hash) || !this->bytes(hash).ok())
    if (const Status written = replace_file(path_of(hash), bytes); !written)
      return written.failure();
  sizes_[hash] = bytes.size();
  const auto old = find(name);
  names_[name] = hash;
  if (const Status written = write_names(); !written) return written.failure();
  if (old) drop(*old);
  return hash;
}

void Shelf::drop(const Hash& hash) {
  const bool is_meant =
      std::ranges::any_of(names_, [&](const auto& entry) { return entry.second == hash; });
  if (is_meant || sizes_.erase(hash) == 0) return;
  std::error_code ignored;
  fs::remove(path_of(hash), ignored);
}

Result<std::vector<std::byte>> Shelf::bytes(const Hash& hash) const {
  auto read = read_file(path_of(hash), limits_.bytes_of_one);
  if (!read) return read.failure();
  if (sha256(*read) != hash)
    return Error{path_of(hash).append(" was changed: its bytes are not those of its name")};
  return read;
}

}  // namespace shingle::serve
