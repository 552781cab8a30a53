#include "apps/drone/logs/dji_entries.hpp"

#include <algorithm>

#include "apps/drone/logs/log_text.hpp"

namespace shingle::drone {
namespace {

bool is_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}

std::string take_word(std::string_view& text) {
  std::string word;
  for (;
       !text.empty() && (is_letter(text.front()) || is_digit(text.front()) || text.front() == '.');
       text.remove_prefix(1)) {
    const char letter = text.front();
    word += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return word;
}

void skip(std::string_view& text, std::string_view letters) {
  while (!text.empty() && letters.find(text.front()) != std::string_view::npos)
    text.remove_prefix(1);
}

std::string take_unit(std::string_view& text) {
  std::string unit;
  for (; !text.empty() && is_letter(text.front()); text.remove_prefix(1)) unit += text.front();
  return unit;
}

void take_value(std::string_view& text, DjiEntry& entry) {
  const std::string_view before = text;
  const auto value = take_number(text);
  if (entry.values.empty())
    entry.has_point = before.substr(0, before.size() - text.size()).find('.') != before.npos;
  entry.values.push_back(value);
  if (value) entry.last_unit = take_unit(text);
}

// "(a, b, c)"; what stands behind a number, as a sign of degrees, is passed over.
void take_list(std::string_view& text, DjiEntry& entry) {
  const size_t end = text.find(')');
  std::string_view list = text.substr(1, end == text.npos ? text.npos : end - 1);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  for (size_t comma = 0; comma != list.npos;
       list.remove_prefix(comma == list.npos ? 0 : comma + 1)) {
    skip(list, " \t");
    take_value(list, entry);
    comma = list.find(',');
  }
}

}  // namespace

std::vector<DjiEntry> dji_entries(std::string_view text) {
  std::vector<DjiEntry> entries;
  while (!text.empty()) {
    if (text.front() == '<') {
      text.remove_prefix(std::min(text.size(), text.find('>')));
    } else if (is_letter(text.front())) {
      DjiEntry entry{.key = take_word(text)};
      skip(text, " \t:");
      if (!text.empty() && text.front() == '(')
        take_list(text, entry);
      else if (std::string_view ahead = text; take_number(ahead))
        take_value(text, entry);
      if (!entry.values.empty()) entries.push_back(std::move(entry));
    } else {
      text.remove_prefix(1);
    }
  }
  return entries;
}

}  // namespace shingle::drone
