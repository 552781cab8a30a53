// --broker and what belongs to it.
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "apps/members/written_address.hpp"
#include "apps/node/broker_options.hpp"
#include "devices/weights/mapped_file.hpp"
#include "transport/keys/key_folder.hpp"

namespace shingle {
namespace {

// The first line of the file; empty without a file. Passwords come from a file: all users of the
// machine can read a command line.
Result<std::string> password_in(const std::string& path) {
  if (path.empty()) return std::string();
  const auto text = MappedFile::text_of(path);
  if (!text) return Error{text.error()};
  constexpr size_t longest = 4096;
  return text->substr(0, std::min(longest, text->find_first_of("\r\n")));
}

Result<ClusterFile> members_by_key(const Admission& admission, NodeId self) {
  if (admission.insecure)
    return Error{"without keys the members are not known: give --cluster FILE"};
  const auto allowed = KeyFolder(admission.folder()).allowed();
  if (!allowed) return Error{allowed.error()};
  if (allowed->keys().empty())
    return Error{"'" + KeyFolder(admission.folder()).allowed_path() +
                 "' lists no node: add one with 'shingle keys add NODE'"};
  ClusterFile cluster;
  for (const auto& [id, key] : allowed->keys()) {
    ClusterFileNode node;
    node.id = id;
    node.name = "node" + std::to_string(id.value);
    if (id == self) node.address = "*";
    cluster.nodes.push_back(std::move(node));
  }
  return cluster;
}

}  // namespace

void describe(CLI::App& verb, BrokerLogin& login, const std::string& prefix, CLI::Option* broker) {
  auto* user = verb.add_option(prefix + "-user", login.user, "user name for the broker")
                   ->type_name("NAME")
                   ->needs(broker);
  verb.add_option(prefix + "-password", login.password_file,
                  "file whose first line is the password for the broker")
      ->type_name("FILE")
      ->needs(user);
  verb.add_option(prefix + "-ca", login.authorities,
                  "certificate authorities for an mqtts:// broker (default: the system's)")
      ->type_name("FILE")
      ->needs(broker);
}

Result<BrokerAddress> address_of(const std::string& uri, const BrokerLogin& login) {
  auto password = password_in(login.password_file);
  if (!password) return bad_input(password.error());
  return BrokerAddress{.uri = uri,
                       .user = login.user,
                       .password = std::move(*password),
                       .authorities = login.authorities};
}

void describe(CLI::App& verb, BrokerOptions& broker) {
  auto* uri =
      verb.add_option("--broker", broker.uri,
                      "MQTT broker (mqtt://ADDRESS:PORT) through which nodes find each other")
          ->type_name("URI");
  verb.add_option(
          "--cluster-name", broker.cluster_name,
          "name of the cluster at the broker (default: cluster); topics begin with shingle/NAME")
      ->type_name("NAME")
      ->needs(uri);
  verb.add_option("--listen", broker.listen,
                  "address at which this node listens and is announced (default: from the cluster "
                  "file); port "
                  "0: any free one")
      ->type_name("ADDRESS:PORT")
      ->needs(uri);
  describe(verb, broker.login, "--broker", uri);
}

Result<std::unique_ptr<Membership>> open_membership(const BrokerOptions& broker,
                                                    const ClusterFile& cluster, NodeId self) {
  if (broker.uri.empty()) return std::unique_ptr<Membership>();
  auto address = address_of(broker.uri, broker.login);
  if (!address) return address.failure();
  MembershipOptions options{.broker = std::move(*address),
                            .cluster = broker.cluster_name,
                            .self = self,
                            .members = {},
                            .on_note = [](const std::string& note) { spdlog::warn("{}", note); }};
  for (const ClusterFileNode& node : cluster.nodes) options.members.push_back(node.id);
  auto opened = Membership::open(std::move(options));
  if (!opened) return usage_error(opened.error());
  return std::move(*opened);
}

Result<ClusterFile> members_of(const std::string& file, const BrokerOptions& broker,
                               const Admission& admission, NodeId self) {
  auto cluster = file.empty() ? members_by_key(admission, self) : load_cluster(file);
  if (!cluster) return bad_input(cluster.error());
  if (broker.listen.empty()) return std::move(*cluster);
  const auto address = read_address(broker.listen);
  if (!address)
    return usage_error("'" + broker.listen +
                       "' is not ADDRESS:PORT, such as 10.0.0.7:7100 or 10.0.0.7:0");
  for (ClusterFileNode& node : cluster->nodes)
    if (node.id == self) {
      node.address = address->host;
      node.port = address->port;
    }
  return std::move(*cluster);
}

}  // namespace shingle
