#include "devices/files/toml_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>

#include "devices/files/suggest.hpp"
#include "devices/files/toml_text.hpp"

namespace shingle {

namespace {

// "0.001", "1000000000": as people write them.
std::string plain(double value) {
  std::string text = exact_decimal(value);
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string listed(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += " " + word;
  return list;
}

}  // namespace

void TomlTable::fail_at(const toml::source_region& where, const std::string& sentence) {
  if (!status_) return;
  status_ = Error{file_ + ":" + std::to_string(where.begin.line) + ": " + sentence};
}

void TomlTable::fail(std::string_view key, const std::string& sentence) {
  const toml::node* value = table_.get(key);
  fail_at(value == nullptr ? table_.source() : value->source(), sentence);
}

void TomlTable::refuse_keys_besides(const std::vector<std::string>& known) {
  for (const auto& [key, value] : table_) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    const std::optional<std::string> near = nearest(key.str(), known);
    fail_at(key.source(),
            "unknown key " + in_quotes(key.str()) + " in " + what_ +
                (near ? "; did you mean '" + *near + "'?" : "; known are" + listed(known)));
  }
}

const toml::node* TomlTable::value_of(std::string_view key, bool required) {
  const toml::node* value = table_.get(key);
  if (value == nullptr && required) {
    fail_at(table_.source(),
            "a " + what_ + " has no " + in_quotes(key) + ", which every " + what_ + " needs");
  }
  return value;
}

int64_t TomlTable::whole(std::string_view key, Bounds bounds, std::optional<int64_t> otherwise) {
  const toml::node* value = value_of(key, !otherwise);
  if (value == nullptr) return otherwise.value_or(static_cast<int64_t>(bounds.minimum));
  const auto* integer = value->as_integer();
  if (integer != nullptr && static_cast<double>(integer->get()) >= bounds.minimum &&
      static_cast<double>(integer->get()) <= bounds.maximum) {
    return integer->get();
  }
  fail_at(value->source(), in_quotes(key) + " must be a whole number from " +
                               plain(bounds.minimum) + " to " + plain(bounds.maximum));
  return static_cast<int64_t>(bounds.minimum);
}

double TomlTable::number(std::string_view key, Bounds bounds, std::optional<double> otherwise) {
  const toml::node* value = value_of(key, !otherwise);
  if (value == nullptr) return otherwise.value_or(bounds.minimum);
  const double read = value->value<double>().value_or(std::nan(""));
  if (read >= bounds.minimum && read <= bounds.maximum) return read;
  fail_at(value->source(), in_quotes(key) + " must be a number from " + plain(bounds.minimum) +
                               " to " + plain(bounds.maximum));
  return bounds.minimum;
}

bool TomlTable::truth(std::string_view key, bool otherwise) {
  const toml::node* value = value_of(key, false);
  if (value == nullptr) return otherwise;
  if (const auto* boolean = value->as_boolean()) return boolean->get();
  fail_at(value->source(), in_quotes(key) + " must be true or false");
  return otherwise;
}

std::string TomlTable::text(std::string_view key, const std::optional<std::string>& otherwise,
                            bool blanks) {
  const toml::node* value = value_of(key, !otherwise);
  if (value == nullptr) return otherwise.value_or("");
  const auto* string = value->as_string();
  const auto good = [blanks](char letter) {
    return (letter > ' ' || (blanks && letter == ' ')) && letter < 0x7f && letter != '"' &&
           letter != '\\';
  };
  if (string != nullptr && !string->get().empty() && string->get().size() <= 255 &&
      std::all_of(string->get().begin(), string->get().end(), good)) {
    return string->get();
  }
  fail_at(value->source(), in_quotes(key) + " must be 1 to 255 printable characters without " +
                               (blanks ? "quotes" : "spaces or quotes"));
  return otherwise.value_or("");
}

size_t TomlTable::choice(std::string_view key, const std::vector<std::string>& words,
                         size_t otherwise) {
  const toml::node* value = value_of(key, false);
  if (value == nullptr) return otherwise;
  const auto* string = value->as_string();
  const auto found =
      string == nullptr ? words.end() : std::find(words.begin(), words.end(), string->get());
  if (found != words.end()) return static_cast<size_t>(found - words.begin());
  fail_at(value->source(), in_quotes(key) + " must be one of" + listed(words));
  return otherwise;
}

int64_t TomlTable::memory(std::string_view key, int64_t otherwise) {
  const toml::node* value = value_of(key, false);
  if (value == nullptr) return otherwise;
  std::optional<int64_t> bytes;
  if (const auto* integer = value->as_integer()) bytes = integer->get();
  if (const auto* string = value->as_string()) bytes = memory_with_unit(string->get());
  if (bytes && *bytes >= 0 && *bytes <= max_memory) return *bytes;
  fail_at(value->source(),
          in_quotes(key) +
              " must be a number of bytes or a text such as \"512 MiB\" (KiB, MiB or GiB)");
  return otherwise;
}

std::vector<double> TomlTable::numbers(std::string_view key, Bounds counts, Bounds bounds) {
  const toml::node* value = value_of(key, true);
  if (value == nullptr) return {};
  std::vector<double> numbers;
  const toml::array* array = value->as_array();
  const auto size = array == nullptr ? -1.0 : static_cast<double>(array->size());
  if (size >= counts.minimum && size <= counts.maximum) {
    for (const toml::node& element : *array)
      numbers.push_back(element.value<double>().value_or(std::nan("")));
    const auto good = [&](double n) { return n >= bounds.minimum && n <= bounds.maximum; };
    if (std::all_of(numbers.begin(), numbers.end(), good)) return numbers;
  }
  const std::string most = plain(counts.maximum), least = plain(counts.minimum);
  fail_at(value->source(), in_quotes(key) + " must be a list of " +
                               (most == least ? most : least + " to " + most) + " numbers from " +
                               plain(bounds.minimum) + " to " + plain(bounds.maximum));
  return {};
}

std::vector<int64_t> TomlTable::wholes(std::string_view key, size_t count, Bounds bounds,
                                       const std::vector<int64_t>& otherwise) {
  const toml::node* value = value_of(key, false);
  if (value == nullptr) return otherwise;
  std::vector<int64_t> numbers;
  const toml::array* array = value->as_array();
  if (array != nullptr && array->size() == count) {
    for (const toml::node& element : *array) {
      const auto* integer = element.as_integer();
      if (integer == nullptr || static_cast<double>(integer->get()) < bounds.minimum ||
          static_cast<double>(integer->get()) > bounds.maximum)
        break;
      numbers.push_back(integer->get());
    }
  }
  if (numbers.size() == count) return numbers;
  fail_at(value->source(), in_quotes(key) + " must be " + std::to_string(count) +
                               " whole numbers from " + plain(bounds.minimum) + " to " +
                               plain(bounds.maximum));
  return otherwise;
}

Result<std::string> read_text(const std::string& path, std::string_view what, size_t largest) {
  const std::string name = std::string(what) + " " + in_quotes(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) return bad_input(name + " cannot be opened");
  std::string text(largest + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return bad_input(name + " cannot be read");
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

}  // namespace shingle
