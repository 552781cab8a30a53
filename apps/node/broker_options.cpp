// --broker and what belongs to it.
#include "apps/node/broker_options.hpp"

#include <CLI/CLI.hpp>

namespace shingle {

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

}  // namespace shingle
