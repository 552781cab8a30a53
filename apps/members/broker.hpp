// A broker through which nodes find each other, and who the members are.
#pragma once

#include <memory>
#include <string>

#include "apps/members/admission.hpp"
#include "apps/members/membership.hpp"
#include "apps/system/log.hpp"

namespace shingle {

// How one comes in at a broker, of the cluster or any other.
struct BrokerLogin {
  std::string user, password_file, authorities;
};
// The address with what the login says. Error: the password's file cannot be read.
Result<BrokerAddress> address_of(const std::string& uri, const BrokerLogin& login);

// A broker through which nodes find each other.
struct BrokerOptions {
  std::string uri;  // empty: none
  std::string cluster_name = "cluster", listen;
  BrokerLogin login;
};

// Null without a broker.
Result<std::unique_ptr<Membership>> open_membership(const BrokerOptions& broker,
                                                    const ClusterFile& cluster, NodeId self,
                                                    Log log);
// The members: those of the cluster file, or without one those whose keys are allowed. These have
// port 0 until somebody announces where they are. This node listens where --listen says.
Result<ClusterFile> members_of(const std::string& file, const BrokerOptions& broker,
                               const Admission& admission, NodeId self);

}  // namespace shingle
