#include "partition/readers/onnx/external.hpp"

#include <charconv>
#include <unordered_set>

#include "partition/base/text.hpp"
#include "partition/readers/onnx/decode.hpp"
#include "partition/readers/onnx/fields.hpp"
#include "partition/readers/onnx/refusal.hpp"

namespace shingle::onnx {

namespace {

constexpr size_t max_files = 4096, max_path = 4096;

// Symbolic links may still lead out of the folder; whoever opens the file checks that.
bool stays_inside(std::string_view location) {
  if (location.empty() || location.front() == '/' || location.size() > max_path ||
      location.find('\0') != std::string_view::npos)
    return false;
  while (!location.empty()) {
    const size_t end = std::min(location.find('/'), location.size());
    if (location.substr(0, end) == "..") return false;
    location.remove_prefix(std::min(end + 1, location.size()));
  }
  return true;
}

// Reads only the fields that may contain tensors.
class Scan {
 public:
  void tensor(std::string_view message) {
    bool external = false;
    std::string_view name, location;
    each_field(message, [&](pbf_reader& reader) {
      if (reader.tag() == 8) return read(reader, name);
      if (reader.tag() == 14) {
        int32_t where = 0;
        const bool taken = read(reader, where);
        external = external || where != 0;
        return taken;
      }
      std::string_view entry;
      if (reader.tag() != 13 || !read(reader, entry)) return false;
      external = true;
      decode_external_location(entry, location);
      return true;
    });
    if (external) add(name, location);
  }

  void attribute(std::string_view message) {
    each_message(message, 5, &Scan::tensor);
    each_graph(message);
  }
  void node(std::string_view message) { each_message(message, 5, &Scan::attribute); }
  void graph(std::string_view message) {
    each_message(message, 5, &Scan::tensor);
    each_message(message, 1, &Scan::node);
  }
  void function(std::string_view message) {
    each_message(message, 7, &Scan::node);
    each_message(message, 11, &Scan::attribute);
  }
  void model(std::string_view message) {
    each_message(message, 7, &Scan::graph);
    each_message(message, 25, &Scan::function);
  }

  std::vector<std::string_view> found() && { return std::move(found_); }

 private:
  static void decode_external_location(std::string_view entry, std::string_view& location) {
    std::string_view key, value;
    each_field(entry, [&](pbf_reader& reader) {
      if (reader.tag() == 1) return read(reader, key);
      return reader.tag() == 2 && read(reader, value);
    });
    if (key == "location") location = value;
  }

  void each_message(std::string_view message, uint32_t tag, void (Scan::*visit)(std::string_view)) {
    each_field(message, [&](pbf_reader& reader) {
      std::string_view part;
      if (reader.tag() != tag || !read(reader, part)) return false;
      (this->*visit)(part);
      return true;
    });
  }

  // decode() refuses what is deeper.
  void each_graph(std::string_view attribute) {
    if (depth_ > deepest_graph) return;
    ++depth_;
    each_message(attribute, 6, &Scan::graph);
    --depth_;
  }

  void add(std::string_view name, std::string_view location) {
    if (!stays_inside(location))
      refuse("tensor " + in_quotes(name) + " lies in the file " + in_quotes(location) +
             ", which is not in the model's folder; save the model with its data beside it");
    if (!known_.insert(location).second) return;
    if (found_.size() == max_files)
      refuse("its tensors lie in more than " + std::to_string(max_files) +
             " files; save the model with its data in one");
    found_.push_back(location);
  }

  int depth_ = 0;
  std::unordered_set<std::string_view> known_;
  std::vector<std::string_view> found_;
};

uint64_t number(const TensorProto& tensor, std::string_view text, uint64_t otherwise) {
  if (text.empty()) return otherwise;
  uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size())
    refuse("tensor " + in_quotes(tensor.name) + " says where it lies with " + in_quotes(text) +
           ", which is no number");
  return value;
}

}  // namespace

std::vector<std::string_view> external_locations(std::span<const std::byte> bytes) {
  Scan scan;
  scan.model({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return std::move(scan).found();
}

std::string_view external_bytes(const TensorProto& tensor, int64_t bytes,
                                const ExternalFiles& files) {
  const ExternalData& external = *tensor.external;
  const auto file = files.find(external.location);
  if (file == files.end())
    refuse("tensor " + in_quotes(tensor.name) + " lies in another file, " +
           in_quotes(external.location) + ", which is not there");
  const uint64_t size = file->second.size(), offset = number(tensor, external.offset, 0);
  const uint64_t length = number(tensor, external.length, static_cast<uint64_t>(bytes));
  if (offset > size || length > size - offset)
    refuse("tensor " + in_quotes(tensor.name) + " lies after the end of " +
           in_quotes(external.location) + "; the file is cut short, or of another export");
  const auto* data = reinterpret_cast<const char*>(file->second.data());
  return {data + offset, length};
}

}  // namespace shingle::onnx
