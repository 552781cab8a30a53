#include "apps/system/plain_text.hpp"

namespace shingle {
namespace {

unsigned at(std::string_view text, size_t index) {
  return index < text.size() ? static_cast<unsigned char>(text[index]) : 0;
}

bool is_continuation(unsigned byte) { return (byte & 0xC0) == 0x80; }

// How many bytes the unwanted character at the beginning has; 0 if the first character may stay.
size_t unwanted(std::string_view text) {
  const unsigned first = at(text, 0), second = at(text, 1), third = at(text, 2);
  if (first < ' ' || first == 0x7F) return 1;
  if (first == 0xC2 && second >= 0x80 && second <= 0x9F)
    return 2;  // C1: 9B begins terminal commands
  if (first != 0xE2) return 0;
  const bool mark = second == 0x80 && (third == 0x8E || third == 0x8F);
  const bool embedding = second == 0x80 && third >= 0xAA && third <= 0xAE;
  const bool isolate = second == 0x81 && third >= 0xA6 && third <= 0xA9;
  return mark || embedding || isolate ? 3 : 0;
}

}  // namespace

std::string plain_text(std::string_view text, size_t max_bytes) {
  const bool cut = text.size() > max_bytes;
  size_t length = cut ? max_bytes : text.size();
  while (cut && length > 0 && is_continuation(at(text, length))) --length;
  text = text.substr(0, length);
  std::string plain;
  while (!text.empty()) {
    const size_t bytes = unwanted(text);
    plain.push_back(bytes > 0 ? ' ' : text.front());
    text.remove_prefix(bytes > 0 ? bytes : 1);
  }
  return cut ? plain + "..." : plain;
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  return text;
}

}  // namespace shingle
