// shingle keys: who may join a cluster. Makes key pairs, keeps the list of the members' public
// keys, and takes members off it.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "apps/shingle/verbs.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"
#include "devices/files/cluster_file.hpp"
#include "transport/keys/key_folder.hpp"

namespace shingle {
namespace {

// The list once it has been read, and what becomes of it.
struct Register {
  KeyFolder folder;
  Allowed allowed;
};

std::string said_of(const Register& members, NodeId node) {
  const std::string number = std::to_string(node.value);
  return "node " + number + "  " + members.allowed.key_of(node)->z85 + "  " +
         members.folder.secret_path(node) + "\n";
}

std::string carry(const KeyFolder& folder) {
  return "Copy to each machine its own node-N.secret and 'allowed', into a folder with mode 700:\n"
         "  " +
         folder.path() + "\n";
}

// A pair of its own, kept here until it is carried to its machine.
Status admit(Register& members, NodeId node) {
  const KeyPair pair = new_key_pair();
  if (!members.allowed.add(node, pair.open))
    return Error{"node " + std::to_string(node.value) +
                 " has a key already: 'shingle keys revoke " + std::to_string(node.value) +
                 "' removes it"};
  return members.folder.save(node, pair);
}

int init(const KeysOptions& options, const KeyFolder& folder) {
  std::vector<NodeId> nodes;
  if (!options.cluster.empty()) {
    const auto cluster = load_cluster(options.cluster);
    if (!cluster) return fail(cluster.failure());
    for (const ClusterFileNode& node : cluster->nodes) nodes.push_back(node.id);
  }
  if (folder.exists())
    return fail(Exit::bad_input, "there are keys in '" + folder.path() +
                                     "' already: 'shingle keys add NODE' adds to them");
  if (const Status made = folder.create(); !made) return fail(Exit::runtime, made.error());
  Register members{folder, {}};
  std::string text;
  for (const NodeId node : nodes) {
    if (const Status made = admit(members, node); !made) return fail(Exit::runtime, made.error());
    text += said_of(members, node);
  }
  if (const Status saved = folder.save(members.allowed); !saved)
    return fail(Exit::runtime, saved.error());
  return print(nodes.empty() ? "An empty list lies in " + folder.path() +
                                   "; 'shingle keys add NODE' makes a node's key.\n"
                             : text + carry(folder));
}

int add(const KeysOptions& options, Register members) {
  const NodeId node{*options.node};
  if (options.open.empty()) {
    if (const Status made = admit(members, node); !made) return fail(Exit::bad_input, made.error());
  } else if (!is_key(options.open)) {
    return fail(Exit::usage,
                "'" + options.open + "' is not a public key: a public key has 40 characters");
  } else if (!members.allowed.add(node, {options.open})) {
    return fail(Exit::bad_input,
                "node " + std::to_string(node.value) + " or this key is in the list already");
  }
  if (const Status saved = members.folder.save(members.allowed); !saved)
    return fail(Exit::runtime, saved.error());
  return print(options.open.empty() ? said_of(members, node) + carry(members.folder)
                                    : "node " + std::to_string(node.value) + " may join\n");
}

int revoke(const KeysOptions& options, Register members) {
  const NodeId node{*options.node};
  if (!members.allowed.remove(node))
    return fail(Exit::bad_input, "node " + std::to_string(node.value) + " is not in '" +
                                     members.folder.allowed_path() + "'");
  if (const Status saved = members.folder.save(members.allowed); !saved)
    return fail(Exit::runtime, saved.error());
  if (const Status gone = members.folder.forget(node); !gone)
    return fail(Exit::runtime, gone.error());
  return print("node " + std::to_string(node.value) +
               " is removed from the list. Nodes that read this file disconnect it within 5 s; "
               "copy it to the "
               "others:\n  " +
               members.folder.allowed_path() + "\n");
}

int seal(const Register& members) {
  if (const Status saved = members.folder.save(members.allowed); !saved)
    return fail(Exit::runtime, saved.error());
  return print("The list of " + std::to_string(members.allowed.keys().size()) +
               " members has an end line now; copy it to the others:\n  " +
               members.folder.allowed_path() + "\n");
}

int list(const KeysOptions& options, const Register& members) {
  if (!members.allowed.has_end())
    note("'" + members.folder.allowed_path() +
         "' has no end line, so nobody would notice if a part of it were missing: 'shingle keys "
         "seal' writes one");
  std::string text;
  auto json = nlohmann::ordered_json{{"folder", members.folder.path()},
                                     {"has_end", members.allowed.has_end()},
                                     {"nodes", nlohmann::ordered_json::array()}};
  for (const auto& [node, key] : members.allowed.keys()) {
    const bool here = members.folder.pair_of(node).ok();
    json["nodes"].push_back({{"id", node.value}, {"public", key.z85}, {"secret_here", here}});
    text +=
        "node " + std::to_string(node.value) + "  " + key.z85 + (here ? "  secret here\n" : "\n");
  }
  return print(options.json ? json.dump() + "\n" : text);
}

CLI::App* action(CLI::App& verb, KeysOptions& options, const char* name, const char* text,
                 KeysOptions::Action chosen) {
  CLI::App* sub = verb.add_subcommand(name, text);
  sub->callback([&options, chosen] { options.action = chosen; });
  sub->add_option("--keys", options.keys,
                  "folder of keys (default: $SHINGLE_KEYS, else ~/.config/shingle/keys)")
      ->type_name("FOLDER");
  return sub;
}

void ask_node(CLI::App* sub, KeysOptions& options) {
  sub->add_option("NODE", options.node, "the node's id in the cluster file")
      ->type_name("")
      ->required();
}

}  // namespace

void describe(CLI::App& verb, KeysOptions& options) {
  using Choice = KeysOptions::Action;
  verb.require_subcommand(1);
  CLI::App* first = action(verb, options, "init", "make the folder", Choice::init);
  first
      ->add_option("--cluster", options.cluster,
                   "also make a key for each node of this cluster file (TOML)")
      ->type_name("FILE");
  CLI::App* more = action(verb, options, "add", "let a node join", Choice::add);
  ask_node(more, options);
  more->add_option("--public", options.open, "its public key, if it was made elsewhere")
      ->type_name("KEY");
  ask_node(action(verb, options, "revoke", "remove a node from the list", Choice::revoke), options);
  action(verb, options, "seal", "add the end line to a list that has none", Choice::seal);
  action(verb, options, "list", "show who may join", Choice::list)
      ->add_flag("--json", options.json, "one JSON object");
  verb.footer(
      "\nExamples:\n"
      "  shingle keys init --cluster boards.toml       a key for each board\n"
      "  shingle keys add 7                            one more\n"
      "  shingle keys revoke 3                         it may not join any more; running nodes "
      "disconnect it within 5 s");
}

int run_verb(const KeysOptions& options) {
  const KeyFolder folder(options.keys.empty() ? KeyFolder::usual_path() : options.keys);
  if (options.action == KeysOptions::Action::init) return init(options, folder);
  auto allowed = folder.allowed();
  if (!allowed) return fail(Exit::bad_input, allowed.error());
  Register members{folder, std::move(*allowed)};
  switch (options.action) {
    case KeysOptions::Action::add:
      return add(options, std::move(members));
    case KeysOptions::Action::revoke:
      return revoke(options, std::move(members));
    case KeysOptions::Action::seal:
      return seal(members);
    default:
      return list(options, members);
  }
}

}  // namespace shingle
