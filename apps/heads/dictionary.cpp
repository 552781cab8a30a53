#include "apps/heads/dictionary.hpp"

#include "apps/system/plain_text.hpp"
#include "devices/weights/mapped_file.hpp"

namespace shingle {
namespace {

constexpr size_t max_text_bytes = 1 << 20;
constexpr size_t max_letters = 100'000;
constexpr size_t max_letter_bytes = 32;

}  // namespace

Letters letters_in(std::string_view text) {
  text = without_byte_order_mark(text);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  Letters letters;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (letters.size() == max_letters) return {};
    letters.push_back(plain_text(line, max_letter_bytes));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return letters;
}

Result<Letters> read_letters(const std::string& path) {
  const auto text = MappedFile::text_of(path);
  if (!text) return Error{text.error()};
  if (text->size() > max_text_bytes)
    return Error{"'" + path + "' is no dictionary: it has more than 1 MiB"};
  Letters letters = letters_in(*text);
  if (letters.empty())
    return Error{"'" + path + "' is no dictionary: it has no letters, or more than 100000"};
  return letters;
}

Letters usual_letters() {
  Letters letters;
  for (const char letter : std::string_view("0123456789abcdefghijklmnopqrstuvwxyz"))
    letters.emplace_back(1, letter);
  return letters;
}

}  // namespace shingle
