// What --broker and --cluster together mean: who the members are, and how they find each other.
#pragma once

#include <string>

#include "apps/members/broker.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace shingle {

// PREFIX-user, PREFIX-password, PREFIX-ca. `broker`: the option that names the broker.
void describe(CLI::App& verb, BrokerLogin& login, const std::string& prefix, CLI::Option* broker);
void describe(CLI::App& verb, BrokerOptions& broker);

}  // namespace shingle
