#include "partition/base/text.hpp"

namespace shingle {

namespace {

// Number of bytes of the UTF-8 character at the front of `text`; 0 if there is none or if it must
// not be shown. Source: RFC 3629; the Unicode standard, table 3-7, for the ranges.
size_t character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return byte(0) >= 0x20 && byte(0) != 0x7f ? 1 : 0;
  const size_t length = byte(0) >= 0xc2 && byte(0) < 0xe0   ? 2
                        : byte(0) >= 0xe0 && byte(0) < 0xf0 ? 3
                        : byte(0) >= 0xf0 && byte(0) < 0xf5 ? 4
                                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xf0 && byte(1) < 0x90);
  const bool surrogate = byte(0) == 0xed && byte(1) >= 0xa0;
  const bool too_high = byte(0) == 0xf4 && byte(1) >= 0x90;
  const bool control = byte(0) == 0xc2 && byte(1) < 0xa0;
  return overlong || surrogate || too_high || control ? 0 : length;
}

}  // namespace

std::string readable(std::string_view text, size_t longest) {
  std::string result;
  while (!text.empty() && result.size() < longest) {
    const size_t length = character(text);
    if (length == 0) {
      result += '?';
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  std::string result(1, '\'');
  result += readable(text);
  result += '\'';
  return result;
}

}  // namespace shingle
