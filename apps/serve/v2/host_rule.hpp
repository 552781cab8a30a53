// HostRule: by which names this server may be called. A page of a foreign site can make a browser
// send requests to a server on this machine. Such a request has an Origin, or, if the page's own
// name was made to point here, a Host that is that name. Numbers cannot be made to point anywhere.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shingle::serve {

struct HostRule {
  bool exposed = false;            // any address may be meant, not the loopback ones alone
  std::vector<std::string> names;  // besides localhost

  // `host`: the header's value, with or without a port.
  bool allows(std::string_view host) const;
};

}  // namespace shingle::serve
