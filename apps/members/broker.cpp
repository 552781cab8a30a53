#include "apps/members/broker.hpp"

#include <algorithm>

#include "apps/members/written_address.hpp"
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
    return Error{std::string("'")
                     .append(KeyFolder(admission.folder()).allowed_path())
                     .append("' lists no node: add one with 'shingle keys add NODE'")};
  ClusterFile cluster;
  for (const auto& [id, key] : allowed->keys()) {
    ClusterFileNode node;
    node.id = id;
    node.name = std::string("node").append(std::to_string(id.value));
    if (id == self) node.address.assign(1, '*');
    cluster.nodes.push_back(std::move(node));
  }
  return cluster;
}

}  // namespace

Result<BrokerAddress> address_of(const std::string& uri, const BrokerLogin& login) {
  auto password = password_in(login.password_file);
  if (!password) return bad_input(password.error());
  return BrokerAddress{.uri = uri,
                       .user = login.user,
                       .password = std::move(*password),
                       .authorities = login.authorities};
}

Result<std::unique_ptr<Membership>> open_membership(const BrokerOptions& broker,
                                                    const ClusterFile& cluster, NodeId self,
                                                    Log log) {
  if (broker.uri.empty()) return std::unique_ptr<Membership>();
  auto address = address_of(broker.uri, broker.login);
  if (!address) return address.failure();
  MembershipOptions options{.broker = std::move(*address),
                            .cluster = broker.cluster_name,
                            .self = self,
                            .members = {},
                            .on_note = [log = std::move(log)](const std::string& note) {
                              note_to(log, LogLevel::warning, note);
                            }};
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
