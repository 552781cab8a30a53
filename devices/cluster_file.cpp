#include "devices/cluster_file.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>

#include "devices/suggest.hpp"

namespace shingle {

namespace {

// A cluster of a thousand nodes is a tenth of this.
constexpr size_t largest_text = 1 << 20;
constexpr size_t most_nodes = 1024;
constexpr int64_t most_memory = int64_t{1} << 50;  // a pebibyte

const std::vector<std::string>& known_keys() {
  static const std::vector<std::string> keys{"id",     "name",  "address",   "port",
                                             "gflops", "cores", "link_mbps", "memory"};
  return keys;
}

std::string quoted(std::string_view text) {  // long or unprintable text is cut
  std::string result = "'";
  for (char letter : text.substr(0, 60)) {
    result += letter >= ' ' && letter != 0x7f ? letter : '?';
  }
  return result + (text.size() > 60 ? "...'" : "'");
}

struct Bounds {
  double least, most;
};

// Reads one [[node]] table. The first error stays.
class NodeReader {
 public:
  NodeReader(const toml::table& table, std::string_view file) : table_(table), file_(file) {}

  Result<ClusterFileNode> read() {
    refuse_unknown_keys();
    ClusterFileNode node;
    node.id = {static_cast<uint32_t>(whole("id", {0, 65535}, std::nullopt))};
    node.port = static_cast<uint16_t>(whole("port", {1, 65535}, std::nullopt));
    node.name = text("name", std::string("node") + std::to_string(node.id.value));
    node.address = text("address", node.address);
    node.cores = static_cast<int32_t>(whole("cores", {1, 4096}, node.cores));
    node.gflops = number("gflops", {1e-3, 1e9}, node.gflops);
    node.link_mbps = number("link_mbps", {1e-3, 1e9}, node.link_mbps);
    node.memory_bytes = memory();
    if (error_) return *error_;
    return node;
  }

 private:
  void fail(const toml::source_region& where, const std::string& sentence) {
    if (error_) return;
    error_ = Error{file_ + ":" + std::to_string(where.begin.line) + ": " + sentence};
  }

  void refuse_unknown_keys() {
    for (const auto& [key, value] : table_) {
      const std::vector<std::string>& known = known_keys();
      if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
      const std::optional<std::string> near = nearest(key.str(), known);
      std::string sentence = "unknown key " + quoted(key.str()) + " in [[node]]";
      if (near) {
        sentence += "; did you mean '" + *near + "'?";
      } else {
        sentence += "; known are";
        for (const std::string& name : known) sentence += " " + name;
      }
      fail(key.source(), sentence);
    }
  }

  const toml::node* value_of(std::string_view key, bool required) {
    const toml::node* value = table_.get(key);
    if (value == nullptr && required) {
      fail(table_.source(), "a [[node]] has no " + quoted(key) + ", which every node needs");
    }
    return value;
  }

  int64_t whole(std::string_view key, Bounds bounds, std::optional<int64_t> otherwise) {
    const toml::node* value = value_of(key, !otherwise);
    if (value == nullptr) return otherwise.value_or(static_cast<int64_t>(bounds.least));
    const auto* integer = value->as_integer();
    if (integer != nullptr && static_cast<double>(integer->get()) >= bounds.least &&
        static_cast<double>(integer->get()) <= bounds.most) {
      return integer->get();
    }
    fail(value->source(), quoted(key) + " must be a whole number from " +
                              std::to_string(static_cast<int64_t>(bounds.least)) + " to " +
                              std::to_string(static_cast<int64_t>(bounds.most)));
    return static_cast<int64_t>(bounds.least);
  }

  double number(std::string_view key, Bounds bounds, double otherwise) {
    const toml::node* value = value_of(key, false);
    if (value == nullptr) return otherwise;
    const double read = value->value<double>().value_or(std::nan(""));
    if (read >= bounds.least && read <= bounds.most) return read;
    fail(value->source(), quoted(key) + " must be a number from 0.001 to 1000000000");
    return otherwise;
  }

  std::string text(std::string_view key, const std::string& otherwise) {
    const toml::node* value = value_of(key, false);
    if (value == nullptr) return otherwise;
    const auto* string = value->as_string();
    const auto plain = [](char letter) {
      return letter > ' ' && letter < 0x7f && letter != '"' && letter != '\\';
    };
    if (string != nullptr && !string->get().empty() && string->get().size() <= 255 &&
        std::all_of(string->get().begin(), string->get().end(), plain)) {
      return string->get();
    }
    fail(value->source(),
         quoted(key) + " must be 1 to 255 printable characters without spaces or quotes");
    return otherwise;
  }

  // Bytes, or "512 MiB".
  int64_t memory() {
    const toml::node* value = value_of("memory", false);
    if (value == nullptr) return 0;
    std::optional<int64_t> bytes;
    if (const auto* integer = value->as_integer()) bytes = integer->get();
    if (const auto* string = value->as_string()) bytes = with_unit(string->get());
    if (bytes && *bytes >= 0 && *bytes <= most_memory) return *bytes;
    fail(value->source(),
         "'memory' must be a number of bytes or a text such as \"512 MiB\" (KiB, MiB or GiB)");
    return 0;
  }

  static std::optional<int64_t> with_unit(std::string_view text) {
    int64_t count = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (problem != std::errc{} || count < 0) return std::nullopt;
    std::string_view rest(end, static_cast<size_t>(text.data() + text.size() - end));
    if (rest.starts_with(' ')) rest.remove_prefix(1);
    for (const MemoryUnit& unit : memory_units) {
      if (rest == unit.name && count <= most_memory / unit.bytes) return count * unit.bytes;
    }
    return std::nullopt;
  }

  const toml::table& table_;
  std::string file_;
  std::optional<Error> error_;
};

std::optional<Error> repeated(const ClusterFile& file, std::string_view file_name) {
  for (size_t i = 0; i < file.nodes.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const ClusterFileNode &a = file.nodes[j], &b = file.nodes[i];
      if (a.id == b.id) {
        return Error{std::string(file_name) + ": two nodes have the id " +
                     std::to_string(a.id.value)};
      }
      if (a.address == b.address && a.port == b.port) {
        return Error{std::string(file_name) + ": nodes " + std::to_string(a.id.value) + " and " +
                     std::to_string(b.id.value) + " share " + a.address + " port " +
                     std::to_string(a.port)};
      }
    }
  }
  return std::nullopt;
}

Result<ClusterFile> read(const toml::table& root, std::string_view file_name) {
  const std::string file(file_name);
  for (const auto& [key, value] : root) {
    if (key.str() == "node") continue;
    return Error{file + ":" + std::to_string(key.source().begin.line) + ": unknown key " +
                 quoted(key.str()) + "; a cluster file is a list of [[node]]"};
  }
  const toml::node* list = root.get("node");
  const toml::array* nodes = list == nullptr ? nullptr : list->as_array();
  if (list != nullptr && nodes == nullptr) {
    return Error{file + ":" + std::to_string(list->source().begin.line) +
                 ": 'node' must be a list: write [[node]]"};
  }
  if (nodes == nullptr || nodes->empty()) {
    return Error{file + ": the cluster has no node; write at least one [[node]] with id and port"};
  }
  if (nodes->size() > most_nodes) {
    return Error{file + ": more than " + std::to_string(most_nodes) + " nodes"};
  }
  ClusterFile result;
  for (const toml::node& element : *nodes) {
    const toml::table* table = element.as_table();
    if (table == nullptr) {
      return Error{file + ":" + std::to_string(element.source().begin.line) +
                   ": 'node' must hold tables: write [[node]]"};
    }
    Result<ClusterFileNode> node = NodeReader(*table, file_name).read();
    if (!node) return Error{node.error()};
    result.nodes.push_back(std::move(node).value());
  }
  if (std::optional<Error> error = repeated(result, file_name)) return *error;
  std::sort(result.nodes.begin(), result.nodes.end(),
            [](const ClusterFileNode& a, const ClusterFileNode& b) { return a.id < b.id; });
  return result;
}

}  // namespace

// The library throws; nothing leaves here but a sentence.
Result<ClusterFile> parse_cluster(std::string_view text, std::string_view file_name) {
  if (text.size() > largest_text) {
    return Error{std::string(file_name) + " is larger than 1 MiB: it is no cluster file"};
  }
  try {
    return read(toml::parse(text, file_name), file_name);
  } catch (const toml::parse_error& error) {
    return Error{std::string(file_name) + ":" + std::to_string(error.source().begin.line) + ": " +
                 std::string(error.description())};
  } catch (const std::exception& error) {
    return Error{std::string(file_name) + " cannot be read: " + error.what()};
  }
}

Result<ClusterFile> load_cluster(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{"cluster file " + quoted(path) + " cannot be opened"};
  std::string text(largest_text + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return Error{"cluster file " + quoted(path) + " cannot be read"};
  text.resize(static_cast<size_t>(file.gcount()));
  return parse_cluster(text, path);
}

}  // namespace shingle
