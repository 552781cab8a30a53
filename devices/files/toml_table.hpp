// TomlTable: reads one table of a file that people write. An error is one sentence that names the
// line. The first error is kept; readers that are called after it return arbitrary values.
#pragma once

#include <toml++/toml.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partition/base/result.hpp"
#include "partition/base/text.hpp"
#include "partition/base/time.hpp"

namespace shingle {

struct Bounds {
  double minimum, maximum;
};

// What a text such as "200 ms" measures, and the units that people write it in.
struct Quantity {
  struct Unit {
    const char* name;
    double factor;  // of the base unit
  };
  const char* example;
  std::span<const Unit> units;
};
extern const Quantity durations;    // base: nanoseconds
extern const Quantity data_rates;   // base: bits per second
extern const Quantity frequencies;  // base: per second
extern const Quantity data_sizes;   // base: bytes

// "200 ms" in the base unit; none: no number with one of the units.
std::optional<double> with_unit(std::string_view text, const Quantity& quantity);

class TomlTable {
 public:
  // `what`: the table's name in errors, such as "[[node]]". The table must outlive this.
  TomlTable(const toml::table& table, std::string_view file, std::string_view what)
      : table_(table), file_(file), what_(what) {}

  const Status& status() const { return status_; }
  void refuse_keys_besides(const std::vector<std::string>& known);
  bool has(std::string_view key) const { return table_.contains(key); }
  void fail(std::string_view key, const std::string& sentence);  // at the key, else the table

  // Without a value for `otherwise` the key is required.
  int64_t whole(std::string_view key, Bounds bounds, std::optional<int64_t> otherwise);
  double number(std::string_view key, Bounds bounds, std::optional<double> otherwise);
  bool truth(std::string_view key, bool otherwise);
  // 1 to 255 printable characters without quotes; with blanks only where allowed.
  std::string text(std::string_view key, const std::optional<std::string>& otherwise,
                   bool blanks = false);
  // The index of the word.
  size_t choice(std::string_view key, const std::vector<std::string>& words, size_t otherwise);
  // A list of texts as text() reads them; empty without the key.
  std::vector<std::string> words(std::string_view key);
  // Bytes, or "512 MiB".
  int64_t memory(std::string_view key, int64_t otherwise);
  // "200 ms": a number and its unit; the value is in the base unit. `bounds`: in the base unit.
  double quantity(std::string_view key, const Quantity& quantity, Bounds bounds,
                  std::optional<double> otherwise);
  Duration duration(std::string_view key, Bounds seconds, std::optional<Duration> otherwise);
  // `counts`: how many numbers there may be. The key is required.
  std::vector<double> numbers(std::string_view key, Bounds counts, Bounds bounds);
  std::vector<int64_t> wholes(std::string_view key, size_t count, Bounds bounds,
                              const std::vector<int64_t>& otherwise);

 private:
  void fail_at(const toml::source_region& where, const std::string& sentence);
  const toml::node* value_of(std::string_view key, bool required);

  const toml::table& table_;
  std::string file_, what_;
  Status status_ = success();
};

// Moments from a file, ascending: a duration in each line, as "1.5 s"; '#' begins a comment.
Result<std::vector<Duration>> load_moments(const std::string& path);

// The file's text, at most `largest` bytes. `what`: the kind of file in errors, such as "cluster
// file".
Result<std::string> read_text(const std::string& path, std::string_view what, size_t largest);

// Parses the text and passes the root to `read`. Exceptions of the library become an Error. Its
// messages quote the text unchanged, line ends and escapes included; hence readable().
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
