#include "apps/node/config_verb.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"
#include "transport/keys/key_folder.hpp"

namespace shingle {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> words_for(const ConfigOptions& options) {
  return {"--config", options.file};
}

std::string shown(const Setting& setting) {
  std::string text;
  for (const std::string& value : setting.values) text += (text.empty() ? "" : ", ") + value;
  return text;
}

int show(const ConfigOptions& options) {
  auto settings = settings_of_node(words_for(options), process_environment());
  if (!settings) return fail(settings.failure());
  std::sort(settings->begin(), settings->end(),
            [](const Setting& a, const Setting& b) { return a.option < b.option; });
  Json json = Json::object();
  std::string text;
  size_t widest = 0;
  for (const Setting& each : *settings)
    widest = std::max(widest, each.option.size() + shown(each).size());
  for (const Setting& each : *settings) {
    json[each.option] = {{"values", each.values}, {"origin", each.origin}};
    std::string line = each.option + " = " + shown(each);
    if (options.origin) line += std::string(widest + 5 - line.size() + 1, ' ') + each.origin;
    text += line + "\n";
  }
  return print(options.json ? json.dump() + "\n" : text);
}

// What the node itself finds out before it starts.
int check(const ConfigOptions& options) {
  const auto read = read_node_options(words_for(options), process_environment());
  if (!read) return fail(bad_input(options.file + ": " + read.error()));
  if (read->cluster.empty() && read->broker.uri.empty())
    return fail(
        bad_input(options.file + ": says with neither cluster nor broker where the others are"));
  const auto members = members_of(read->cluster, read->broker, read->admission, NodeId{read->id});
  if (!members) return fail(bad_input(members.error()));
  if (!read->admission.insecure) {  // root looks at the service's keys as well
    const auto keys = KeyFolder::for_owner(read->admission.folder());
    if (const auto own = credentials_of(NodeId{read->id}, keys); !own)
      return fail(bad_input(options.file + ": " + own.error()));
  }
  if (options.json) return print(Json({{"ok", true}, {"id", read->id}}).dump() + "\n");
  return print(options.file + ": node " + std::to_string(read->id) + " of " +
               std::to_string(members->nodes.size()) + " can start with it\n");
}

}  // namespace

void describe(CLI::App& verb, ConfigOptions& options) {
  using Chosen = ConfigOptions::Action;
  const auto action = [&](const char* name, const char* what, Chosen chosen) {
    CLI::App* each = verb.add_subcommand(name, what);
    each->add_option("FILE", options.file,
                     std::string("settings file (default: ") + usual_node_config + ")")
        ->type_name("");
    each->add_flag("--json", options.json, "print one JSON object");
    each->callback([&options, chosen] { options.action = chosen; });
    return each;
  };
  action("show", "print the settings that are not defaults", Chosen::show)
      ->add_flag("--origin", options.origin, "say of each where it comes from");
  action("check", "say whether a node can start with them", Chosen::check);
  verb.require_subcommand(1);
  verb.footer(
      "\nExamples:\n"
      "  shingle config check\n"
      "  shingle config show /etc/shingle/node.toml --origin\n"
      "\nKeys are the options of 'shingle node --help'; SHINGLE_... variables go before the file.");
}

int run_verb(const ConfigOptions& options) {
  return options.action == ConfigOptions::Action::check ? check(options) : show(options);
}

}  // namespace shingle
