// A board pack: all that a board needs to be a node of a cluster, in one file that people copy to
// it. `shingle keys pack` writes it, `shingle-node keys take` unpacks it into a folder of settings.
//
//   {"shingle_board": 1, "node": 2, "cluster": "...", "files": {"mine.toml": "..."},
//    "allowed": "...", "secret": "..."}
//
// It has a node's secret key: whoever reads it can be that node.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "transport/keys/key_folder.hpp"

namespace shingle {

struct BoardPack {
  NodeId node;
  std::string cluster;                       // the cluster file's text
  std::map<std::string, std::string> files;  // that the cluster file names: plain names, texts
  Allowed allowed;
  KeyPair pair;
};

// Of a node in the cluster file whose keys lie in `keys`. The sentence names the file.
Result<BoardPack> make_pack(NodeId node, const std::string& cluster_file, const KeyFolder& keys);

std::string pack_text(const BoardPack& pack);
// The sentence says what is wrong; it names no file. Nothing in a pack that was parsed leads out of
// the folder that it is unpacked into.
Result<BoardPack> parse_pack(std::string_view text);

// Writes FOLDER/keys, FOLDER/cluster.toml, the files it names, and `id`, `cluster` and `keys` in
// FOLDER/node.toml, whose other lines stay. Root gives the keys to the owner of FOLDER/keys and
// lets the group of FOLDER read the rest. A key of this node that is there already must be the same
// one.
Status unpack(const BoardPack& pack, const std::string& folder);

}  // namespace shingle
