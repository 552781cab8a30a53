#include "apps/node/board_pack.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/node/setting_line.hpp"
#include "apps/system/write_file.hpp"
#include "devices/files/cluster_file.hpp"

namespace shingle {
namespace {

using Json = nlohmann::ordered_json;
constexpr int version = 1;

Result<std::string> read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file && file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (!file.is_open() || file.bad() || !text) return Error{"cannot read '" + path + "'"};
  return text.str();
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos && name != "node.toml" && name != "cluster.toml" &&
         name != "keys";
}

const ClusterFileNode* node_of(const ClusterFile& cluster, NodeId id) {
  for (const ClusterFileNode& each : cluster.nodes)
    if (each.id == id) return &each;
  return nullptr;
}

// Profiles, boards and traces of rates that lie beside the file; other profiles are ready-made.
Result<std::map<std::string, std::string>> named_files(const ClusterFile& cluster,
                                                       const std::string& cluster_file) {
  const auto folder = std::filesystem::path(cluster_file).parent_path();
  std::map<std::string, std::string> files;
  for (const ClusterFileNode& node : cluster.nodes)
    for (const std::string& name : {node.profile, node.board, node.rate_trace}) {
      std::error_code unknown;
      if (name.empty() || !std::filesystem::is_regular_file(folder / name, unknown)) continue;
      if (!is_plain_name(name))
        return Error{"'" + cluster_file + "' names '" + name +
                     "', which is not beside it: copy it there, under a plain name"};
      auto text = read_text((folder / name).string());
      if (!text) return text.failure();
      files[name] = std::move(*text);
    }
  return files;
}

// Settings have no secrets, but need not be everybody's.
Status write_setting_file(const std::string& folder, const std::string& name,
                          const std::string& text) {
  const std::string path = folder + "/" + name;
  const Status written = replace_file(path, std::as_bytes(std::span(text)));
  if (!written) return written;
  struct stat facts {};
  if (::stat(folder.c_str(), &facts) != 0 || ::chmod(path.c_str(), 0640) != 0 ||
      (::geteuid() == 0 && ::chown(path.c_str(), 0, facts.st_gid) != 0))
    return Error{"cannot change the rights of '" + path + "': " + std::strerror(errno)};
  return success();
}

Error another_key(const KeyFolder& keys, NodeId node) {
  std::string text = "'";
  text.append(keys.secret_path(node)).append("' is another key than the pack has: 'keys revoke ");
  text.append(std::to_string(node.value)).append(" --keys ").append(keys.path());
  return {text.append("' removes it")};
}

Status unpack_keys(const BoardPack& pack, const std::string& folder) {
  const KeyFolder keys = KeyFolder::for_owner(folder + "/keys");
  if (const Status made = keys.create(); !made) return made;
  if (::access(keys.secret_path(pack.node).c_str(), F_OK) == 0) {
    const auto own = keys.pair_of(pack.node);
    if (!own) return own.failure();
    if (own->secret != pack.pair.secret) return another_key(keys, pack.node);
  } else if (const Status saved = keys.save(pack.node, pack.pair); !saved) {
    return saved;
  }
  return keys.save(pack.allowed);
}

}  // namespace

Result<BoardPack> make_pack(NodeId node, const std::string& cluster_file, const KeyFolder& keys) {
  const auto cluster = load_cluster(cluster_file);
  if (!cluster) return cluster.failure();
  if (node_of(*cluster, node) == nullptr)
    return Error{"'" + cluster_file + "' has no node " + std::to_string(node.value)};
  auto credentials = credentials_of(node, keys);
  if (!credentials) return credentials.failure();
  auto text = read_text(cluster_file);
  if (!text) return text.failure();
  auto files = named_files(*cluster, cluster_file);
  if (!files) return files.failure();
  return BoardPack{node, std::move(*text), std::move(*files), std::move(credentials->allowed),
                   std::move(credentials->pair)};
}

std::string pack_text(const BoardPack& pack) {
  Json json{{"shingle_board", version}, {"node", pack.node.value}, {"cluster", pack.cluster}};
  json["files"] = Json::object();
  for (const auto& [name, text] : pack.files) json["files"][name] = text;
  json["allowed"] = pack.allowed.text();
  json["secret"] = secret_text(pack.node, pack.pair);
  return json.dump(1) + "\n";
}

Result<BoardPack> parse_pack(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  const auto has = [&](const char* name) { return json.contains(name) && json[name].is_string(); };
  if (!json.is_object() || !json.contains("shingle_board"))
    return Error{"it is no board pack: 'shingle keys pack' makes one"};
  if (json["shingle_board"] != version)
    return Error{"it was made by another version of shingle: make it anew"};
  if (!json.contains("node") || !json["node"].is_number_unsigned() ||
      json["node"].get<uint64_t>() > 65535 || !has("cluster") || !has("allowed") ||
      !has("secret") || !json.contains("files") || !json["files"].is_object())
    return Error{"it is incomplete: make it anew"};
  BoardPack pack{.node = NodeId{json["node"].get<uint16_t>()},
                 .cluster = json["cluster"],
                 .files = {},
                 .allowed = {},
                 .pair = {}};
  for (const auto& [name, content] : json["files"].items()) {
    if (!is_plain_name(name) || !content.is_string())
      return Error{"it names a file '" + name + "', which is no plain name"};
    pack.files[name] = content;
  }
  auto allowed = Allowed::parse(json["allowed"].get<std::string>());
  if (!allowed) return Error{"its list of keys: " + allowed.error()};
  auto pair = parse_secret(json["secret"].get<std::string>());
  if (!pair) return Error{"its secret: " + pair.error()};
  const PublicKey* listed = allowed->key_of(pack.node);
  if (listed == nullptr || !(*listed == pair->open))
    return Error{"its list of keys lacks the key of node " + std::to_string(pack.node.value)};
  pack.allowed = std::move(*allowed);
  pack.pair = std::move(*pair);
  return pack;
}

Status unpack(const BoardPack& pack, const std::string& folder) {
  if (!std::filesystem::is_directory(folder))
    return Error{"there is no folder '" + folder +
                 "': the package shingle-node makes it, or name another by --settings"};
  if (const Status written = unpack_keys(pack, folder); !written) return written;
  for (const auto& [name, text] : pack.files)
    if (const Status written = write_setting_file(folder, name, text); !written) return written;
  if (const Status written = write_setting_file(folder, "cluster.toml", pack.cluster); !written)
    return written;
  const std::string cluster = folder + "/cluster.toml", settings = folder + "/node.toml";
  if (const auto read = load_cluster(cluster); !read) return read.failure();
  std::string text;
  if (std::filesystem::exists(settings)) {
    auto present = read_text(settings);
    if (!present) return present.failure();
    text = std::move(*present);
  }
  text = with_setting(text, "id", std::to_string(pack.node.value));
  text = with_setting(text, "cluster", "\"" + cluster + "\"");
  text = with_setting(text, "keys", "\"" + folder + "/keys\"");
  return write_setting_file(folder, "node.toml", text);
}

}  // namespace shingle
