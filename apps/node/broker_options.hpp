// What --broker and --cluster together mean: who the members are, and how they find each other.
#pragma once

#include <memory>
#include <variant>

#include "apps/client/membership.hpp"
#include "apps/shingle/verbs.hpp"
#include "apps/system/exit.hpp"

namespace shingle {

// Null without a broker.
std::variant<std::unique_ptr<Membership>, Failure> open_membership(const BrokerOptions& broker,
                                                                   const ClusterFile& cluster,
                                                                   NodeId self);
// The members: a cluster file's, or where there is none those whose keys are allowed, with a port
// of 0 as long as nobody has announced where they are. This node listens where --listen says.
std::variant<ClusterFile, Failure> members_of(const std::string& file, const BrokerOptions& broker,
                                              const Admission& admission, NodeId self);

}  // namespace shingle
