#include "apps/findings/class_names.hpp"

#include <algorithm>
#include <charconv>

#include "apps/system/plain_text.hpp"
#include "devices/weights/mapped_file.hpp"

namespace shingle {
namespace {

constexpr size_t max_text_bytes = 1 << 20;
constexpr size_t max_names = 100'000;
constexpr size_t max_name_bytes = 200;

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char letter) { return letter == ' ' || letter == '\t' || letter == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// WordNet's number, as in "n01440764 tench, Tinca tinca".
bool starts_with_synset(std::string_view line) {
  return line.size() > 10 && line[0] == 'n' && line[9] == ' ' &&
         std::all_of(line.begin() + 1, line.begin() + 9, is_digit);
}

std::string name_in(std::string_view line) {
  line = trimmed(line);
  if (starts_with_synset(line)) line = trimmed(line.substr(10, line.find(',') - 10));
  return plain_text(line, max_name_bytes);
}

// The words of a Python literal.
class Literal {
 public:
  explicit Literal(std::string_view text) : rest_(text) {}

  bool sign(char wanted) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool number(size_t& value) {
    skip_blanks();
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{}) return false;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return true;
  }

  bool string(std::string& value) {
    skip_blanks();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return false;
    const char quote = rest_.front();
    value.clear();
    for (size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == quote) {
        rest_.remove_prefix(i + 1);
        return true;
      }
      if (rest_[i] == '\\' && i + 1 < rest_.size()) ++i;
      value.push_back(rest_[i]);
    }
    return false;
  }

  bool done() {
    skip_blanks();
    return rest_.empty();
  }

 private:
  void skip_blanks() {
    rest_ = rest_.substr(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }
  std::string_view rest_;
};

}  // namespace

std::string name_of_class(const ClassNames& names, int class_id) {
  const bool known = class_id >= 0 && static_cast<size_t>(class_id) < names.size() &&
                     !names[static_cast<size_t>(class_id)].empty();
  return known ? names[static_cast<size_t>(class_id)] : "class " + std::to_string(class_id);
}

Result<ClassNames> parse_names(std::string_view text) {
  if (text.size() > max_text_bytes)
    return Error{"it is longer than 1 MiB; write one name per line"};
  text = without_byte_order_mark(text);
  ClassNames names;
  while (!text.empty() && names.size() <= max_names) {
    const size_t end = std::min(text.find('\n'), text.size());
    names.push_back(name_in(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  while (!names.empty() && names.back().empty()) names.pop_back();
  if (names.empty()) return Error{"it holds no name; write one name per line"};
  if (names.size() > max_names) return Error{"it holds more than 100000 names"};
  return names;
}

Result<ClassNames> read_names(const std::string& path) {
  const auto text = MappedFile::text_of(path);
  if (!text) return Error{text.error()};
  auto names = parse_names(*text);
  if (!names) return Error{"cannot take the names in '" + path + "': " + names.error()};
  return names;
}

std::optional<ClassNames> names_in_metadata(std::string_view text) {
  Literal literal(text);
  const bool numbered = literal.sign('{');
  if (!numbered && !literal.sign('[')) return std::nullopt;
  const char end = numbered ? '}' : ']';
  ClassNames names;
  while (!literal.sign(end)) {
    size_t index = names.size();
    std::string name;
    if (numbered && !(literal.number(index) && literal.sign(':'))) return std::nullopt;
    if (!literal.string(name) || index >= max_names) return std::nullopt;
    if (index >= names.size()) names.resize(index + 1);
    names[index] = name_in(name);
    if (!literal.sign(',')) {
      if (!literal.sign(end)) return std::nullopt;
      break;
    }
  }
  if (names.empty() || !literal.done()) return std::nullopt;
  return names;
}

}  // namespace shingle
