#include "apps/cli/settings.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <set>

#include "apps/system/suggest.hpp"
#include "devices/files/settings_file.hpp"

namespace shingle {
namespace {

bool among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The verb's options, in an App of their own.
class Described {
 public:
  explicit Described(const ConfiguredVerb& verb) : app_("", verb.name) {
    verb.describe(app_);
    for (CLI::Option* option : app_.get_options()) {
      option->required(false);
      const std::set<CLI::Option*> needed = option->get_needs();  // each value is looked at alone
      for (CLI::Option* other : needed) option->remove_needs(other);
      const std::vector<std::string> names = option->get_lnames();
      if (names.empty() || names[0] == "help" || among(verb.command_line_only, names[0])) continue;
      names_.push_back(names[0]);
    }
  }

  const std::vector<std::string>& names() const { return names_; }
  bool knows(const std::string& name) const { return among(names_, name); }
  CLI::App& app() { return app_; }
  CLI::Option* option(const std::string& name) { return app_.get_option("--" + name); }
  bool is_flag(const std::string& name) { return option(name)->get_items_expected_max() == 0; }
  bool excludes(const std::string& one, const std::string& other) {
    return option(one)->get_excludes().contains(option(other)) ||
           option(other)->get_excludes().contains(option(one));
  }

 private:
  CLI::App app_;
  std::vector<std::string> names_;
};

void append(Described& verb, const Setting& setting, std::vector<std::string>& words) {
  if (verb.is_flag(setting.option)) {
    if (setting.values == std::vector<std::string>{"true"}) words.push_back("--" + setting.option);
    return;
  }
  for (const std::string& value : setting.values)
    words.push_back("--" + setting.option + "=" + value);
}

// What the option says to the setting alone.
Status accepted(const ConfiguredVerb& verb, const Setting& setting) {
  Described alone(verb);
  if (alone.is_flag(setting.option) && setting.values != std::vector<std::string>{"true"} &&
      setting.values != std::vector<std::string>{"false"})
    return bad_input(setting.origin + ": " + setting.option + " is true or false");
  std::vector<std::string> words;
  append(alone, setting, words);
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the end
  try {
    alone.app().parse(words);
  } catch (const CLI::ParseError& error) {
    std::string why = error.what();
    std::replace(why.begin(), why.end(), '\n', ' ');
    return bad_input(setting.origin + ": " + why);
  }
  return success();
}

std::string variable_of(const std::string& option) {
  std::string name = "SHINGLE_" + option;
  for (char& letter : name)
    letter = letter == '-'                      ? '_'
             : (letter >= 'a' && letter <= 'z') ? static_cast<char>(letter - 'a' + 'A')
                                                : letter;
  return name;
}

}  // namespace

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

Result<std::vector<Setting>> settings_in_file(const ConfiguredVerb& verb, const std::string& path) {
  const auto read = load_settings(path);
  if (!read) return read.failure();
  const Described known(verb);
  std::vector<Setting> settings;
  for (const FileSetting& each : *read) {
    const std::string origin = path + ":" + std::to_string(each.line);
    if (!known.knows(each.key)) {
      const auto near = nearest(each.key, known.names());
      return bad_input(origin + ": there is no setting '" + each.key + "'" +
                       (near ? "; did you mean '" + *near + "'?"
                             : "; settings are the options of 'shingle " + verb.name + " --help'"));
    }
    settings.push_back({.option = each.key, .values = each.values, .origin = origin});
    if (const Status fits = accepted(verb, settings.back()); !fits) return fits.failure();
  }
  return settings;
}

Result<std::vector<Setting>> settings_in_environment(const ConfiguredVerb& verb,
                                                     const Environment& environment) {
  const Described known(verb);
  std::vector<Setting> settings;
  for (const std::string& option : known.names()) {
    if (among(verb.not_by_environment, option)) continue;
    const std::string variable = variable_of(option);
    const auto value = environment(variable);
    if (!value || value->empty()) continue;
    settings.push_back({.option = option, .values = {*value}, .origin = variable});
    if (const Status fits = accepted(verb, settings.back()); !fits) return fits.failure();
  }
  return settings;
}

std::string config_among(const std::vector<std::string>& words) {
  const std::string name = "--config";
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with(name + "=")) return words[i].substr(name.size() + 1);
    if (words[i] == name && i + 1 < words.size()) return words[i + 1];
  }
  return {};
}

std::vector<Setting> layered(const ConfiguredVerb& verb, std::vector<Setting> higher,
                             const std::vector<Setting>& lower) {
  Described known(verb);
  const size_t stated = higher.size();
  for (const Setting& each : lower) {
    const bool is_open = std::none_of(
        higher.begin(), higher.begin() + static_cast<ptrdiff_t>(stated), [&](const Setting& above) {
          return above.option == each.option || known.excludes(above.option, each.option);
        });
    if (is_open) higher.push_back(each);
  }
  return higher;
}

std::vector<Setting> settings_in_arguments(const ConfiguredVerb& verb,
                                           const std::vector<std::string>& arguments) {
  Described known(verb);
  std::vector<Setting> settings;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].starts_with("--")) continue;
    const std::string name = arguments[i].substr(2, arguments[i].find('=') - 2);
    if (!known.knows(name)) continue;
    std::string value = "true";
    if (const size_t equals = arguments[i].find('='); equals != std::string::npos)
      value = arguments[i].substr(equals + 1);
    else if (!known.is_flag(name) && i + 1 < arguments.size())
      value = arguments[++i];
    const auto same = std::find_if(settings.begin(), settings.end(),
                                   [&](const Setting& each) { return each.option == name; });
    if (same == settings.end())
      settings.push_back({.option = name, .values = {value}, .origin = command_line_origin});
    else
      same->values.push_back(value);
  }
  return settings;
}

std::vector<std::string> arguments_of(const ConfiguredVerb& verb,
                                      const std::vector<Setting>& settings) {
  Described known(verb);
  std::vector<std::string> words;
  for (const Setting& each : settings) append(known, each, words);
  return words;
}

}  // namespace shingle
