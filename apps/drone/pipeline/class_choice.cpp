#include "apps/drone/pipeline/class_choice.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

constexpr size_t most_listed = 12;

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    std::string part = text.substr(begin, end - begin);
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    if (!part.empty()) parts.push_back(part);
    begin = end + 1;
  }
  return parts;
}

std::optional<int> number_in(const std::string& text) {
  int number = -1;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end && number >= 0 ? std::optional(number)
                                                                  : std::nullopt;
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& letter : result)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return result;
}

std::string listed_names(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), most_listed); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() <= most_listed) return text;
  return text + " and " + std::to_string(names.size() - most_listed) + " more";
}

Result<std::vector<int>> chosen_classes(const std::vector<std::string>& names,
                                        const std::string& wanted) {
  std::vector<int> classes;
  for (const std::string& part : parts_of(wanted)) {
    const auto named = std::ranges::find_if(
        names, [&](const std::string& name) { return lower_case(name) == lower_case(part); });
    const auto number = number_in(part);
    if (named != names.end())
      classes.push_back(static_cast<int>(named - names.begin()));
    else if (number && (names.empty() || static_cast<size_t>(*number) < names.size()))
      classes.push_back(*number);
    else
      return usage_error("the model has no class " + in_quotes(part) + "; it has " +
                         (names.empty() ? "no names, so write numbers" : listed_names(names)));
  }
  std::ranges::sort(classes);
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  return classes;
}

}  // namespace shingle::drone
