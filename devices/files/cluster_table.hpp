// Reads the nodes and the network of a cluster from a table that may hold other things as well.
#pragma once

#include "devices/files/cluster_file.hpp"
#include "devices/files/toml_table.hpp"

namespace shingle {

// Simulated nodes need no port: they get numbers from 7000 on.
enum class Ports : uint8_t { required, optional };

// The keys of a cluster file's root.
const std::vector<std::string>& cluster_keys();

// Reads [[switch]], [[cell]] and [[trunk]] into `cluster`. An error: they are not what nodes and
// trunks name, or nothing joins two nodes.
Status read_points(const toml::table& root, const std::string& file, ClusterFile& cluster);

// Rates of a link from a file: "12.5 s 20 Mb/s" in each line, the first at 0 s, ascending; '#'
// begins a comment.
Result<std::vector<LinkRate>> load_rates(const std::string& path);

// Reads cluster_keys(), and no others. `file_name` as in parse_cluster().
Result<ClusterFile> read_cluster(const toml::table& root, std::string_view file_name, Ports ports);

}  // namespace shingle
