// TomlTable: reads one table of a file that people write, and says in one sentence, with the line,
// what is wrong with it. The first error stays; readers that come after it return any value.
#pragma once

#include <toml++/toml.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partition/base/result.hpp"
#include "partition/base/text.hpp"

namespace shingle {

struct Bounds {
  double least, most;
};

class TomlTable {
 public:
  // `what` is how the table is called in sentences: "[[node]]". The table must outlive this.
  TomlTable(const toml::table& table, std::string_view file, std::string_view what)
      : table_(table), file_(file), what_(what) {}

  const Status& status() const { return status_; }
  void refuse_keys_besides(const std::vector<std::string>& known);
  bool has(std::string_view key) const { return table_.contains(key); }
  void fail(std::string_view key, const std::string& sentence);  // at the key, else the table

  // Without `otherwise` the key must be there.
  int64_t whole(std::string_view key, Bounds bounds, std::optional<int64_t> otherwise);
  double number(std::string_view key, Bounds bounds, std::optional<double> otherwise);
  bool truth(std::string_view key, bool otherwise);
  // 1 to 255 printable characters without quotes; with blanks only where allowed.
  std::string text(std::string_view key, const std::optional<std::string>& otherwise,
                   bool blanks = false);
  // One of the words; its index.
  size_t choice(std::string_view key, const std::vector<std::string>& words, size_t otherwise);
  // Bytes, or "512 MiB".
  int64_t memory(std::string_view key, int64_t otherwise);
  std::vector<int64_t> wholes(std::string_view key, size_t count, Bounds bounds,
                              const std::vector<int64_t>& otherwise);

 private:
  void fail_at(const toml::source_region& where, const std::string& sentence);
  const toml::node* value_of(std::string_view key, bool required);

  const toml::table& table_;
  std::string file_, what_;
  Status status_ = success();
};

// The file's text, at most `largest` bytes; `what` is "cluster file".
Result<std::string> read_text(const std::string& path, std::string_view what, size_t largest);

// Parses and gives the root to `read`. The library throws; nothing leaves here but a sentence (the
// library's own quote the text as it is, line ends and escapes included).
template <class Read>
auto parse_toml(std::string_view text, std::string_view file, const Read& read)
    -> decltype(read(toml::table())) {
  try {
    return read(toml::parse(text, file));
  } catch (const toml::parse_error& error) {
    return Error{std::string(file) + ":" + std::to_string(error.source().begin.line) + ": " +
                 readable(error.description(), 500)};
  } catch (const std::exception& error) {
    return Error{std::string(file) + " cannot be read: " + readable(error.what(), 500)};
  }
}

}  // namespace shingle
