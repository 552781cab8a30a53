#include "apps/node/keys_verb.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/node/board_pack.hpp"
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
         folder.path() +
         "\nor a file with both and the cluster file, which 'shingle keys pack NODE' makes.\n";
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
  const std::string secret = members.folder.secret_path(node);
  if (!members.allowed.remove(node)) {
    // A power cut between the two files leaves a secret that is in no list.
    if (::access(secret.c_str(), F_OK) != 0)
      return fail(Exit::bad_input, "node " + std::to_string(node.value) + " is not in '" +
                                       members.folder.allowed_path() + "'");
    if (const Status gone = members.folder.forget(node); !gone)
      return fail(Exit::runtime, gone.error());
    return print("node " + std::to_string(node.value) + " is not in the list; '" + secret +
                 "' is removed\n");
  }
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

// Nobody else may read it: it has the node's secret. A pack that is there is not replaced.
int pack(const KeysOptions& options, const KeyFolder& folder) {
  const NodeId node{*options.node};
  const auto made = make_pack(node, options.cluster, folder);
  if (!made) return fail(Exit::bad_input, made.error());
  const std::string path =
      options.file.empty() ? "node-" + std::to_string(node.value) + ".board" : options.file;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 && errno == EEXIST)
    return fail(Exit::bad_input,
                "'" + path + "' is there already: remove it, or name another by -o");
  const std::string text = pack_text(*made);
  const bool is_written =
      file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int reason = errno;
  if (file >= 0) ::close(file);
  if (!is_written)
    return fail(Exit::runtime, "cannot write '" + path + "': " + std::strerror(reason));
  return print("Copy " + path + " to the board of node " + std::to_string(node.value) +
               ", and there:\n  sudo shingle-node keys take " + path +
               "\nIt has the node's secret key: remove it afterwards.\n");
}

int take(const KeysOptions& options) {
  std::ifstream file(options.file, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    return fail(Exit::bad_input, "cannot read '" + options.file + "'");
  const auto read = parse_pack(text.str());
  if (!read) return fail(Exit::bad_input, "'" + options.file + "': " + read.error());
  if (const Status done = unpack(*read, options.settings); !done)
    return fail(Exit::runtime, done.error());
  return print("Node " + std::to_string(read->node.value) + " of " +
               std::to_string(read->allowed.keys().size()) + " is set up in " + options.settings +
               ". It starts with the board, or now:\n  sudo systemctl restart shingle-node\n");
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
  CLI::App* packs =
      action(verb, options, "pack", "put all that a board needs into one file", Choice::pack);
  ask_node(packs, options);
  packs->add_option("--cluster", options.cluster, "the cluster file (TOML)")
      ->type_name("FILE")
      ->required();
  packs->add_option("-o,--out", options.file, "the file to write (default: node-N.board)")
      ->type_name("FILE");
  CLI::App* takes = verb.add_subcommand("take", "set this board up by such a file");
  takes->callback([&options] { options.action = Choice::take; });
  takes->add_option("FILE", options.file, "of 'shingle keys pack'")->type_name("")->required();
  takes
      ->add_option("--settings", options.settings,
                   "folder of node.toml and of keys (default: /etc/shingle)")
      ->type_name("FOLDER");
  action(verb, options, "list", "show who may join", Choice::list)
      ->add_flag("--json", options.json, "one JSON object");
  verb.footer(
      "\nExamples:\n"
      "  shingle keys init --cluster boards.toml       a key for each board\n"
      "  shingle keys add 7                            one more\n"
      "  shingle keys pack 7 --cluster boards.toml     a file for board 7; there:\n"
      "  sudo shingle-node keys take node-7.board      its keys, cluster file and number\n"
      "  shingle keys revoke 3                         it may not join any more; running nodes "
      "disconnect it within 5 s");
}

int run_verb(const KeysOptions& options) {
  if (options.action == KeysOptions::Action::take) return take(options);
  const KeyFolder folder =
      KeyFolder::for_owner(options.keys.empty() ? KeyFolder::usual_path() : options.keys);
  if (options.action == KeysOptions::Action::pack) return pack(options, folder);
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
