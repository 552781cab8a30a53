#include "devices/files/settings_file.hpp"

#include <algorithm>
#include <optional>

#include "devices/files/toml_table.hpp"
#include "devices/files/toml_text.hpp"

namespace shingle {
namespace {

constexpr size_t largest_file = 1 << 20;

// None for a date, a table or a list.
std::optional<std::string> written(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
  if (const auto* number = node.as_floating_point()) return exact_decimal(number->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  return std::nullopt;
}

Result<FileSetting> setting(std::string_view file, std::string_view key, const toml::node& node) {
  FileSetting read{.key = std::string(key), .values = {}, .line = node.source().begin.line};
  const auto refused = [&](const std::string& why) {
    return Error{std::string(file) + ":" + std::to_string(read.line) + ": " + in_quotes(key) + " " +
                 why};
  };
  if (node.is_table())
    return refused("is a table; settings stand at the top of the file, without [tables]");
  const auto* list = node.as_array();
  if (list == nullptr) {
    const auto value = written(node);
    if (!value) return refused("must be a text, a number, true or false, or a list of them");
    read.values.push_back(*value);
    return read;
  }
  for (const toml::node& each : *list) {
    const auto value = written(each);
    if (!value) return refused("must be a list of texts or numbers");
    read.values.push_back(*value);
  }
  return read;
}

}  // namespace

Result<std::vector<FileSetting>> parse_settings(std::string_view text, std::string_view file) {
  return parse_toml(text, file, [&](const toml::table& root) -> Result<std::vector<FileSetting>> {
    std::vector<FileSetting> settings;
    for (const auto& [key, node] : root) {
      auto read = setting(file, key.str(), node);
      if (!read) return Error{read.error()};
      settings.push_back(std::move(*read));
    }
    std::sort(settings.begin(), settings.end(),
              [](const FileSetting& a, const FileSetting& b) { return a.line < b.line; });
    return settings;
  });
}

Result<std::vector<FileSetting>> load_settings(const std::string& path) {
  const auto text = read_text(path, "settings file", largest_file);
  if (!text) return Error{text.error()};
  return as_bad_input(parse_settings(*text, path));
}

}  // namespace shingle
