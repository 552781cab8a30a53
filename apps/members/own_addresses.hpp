// The addresses at which other machines may reach this one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transport/zmq/zmq_transport.hpp"

namespace shingle {

// Is it an address in numbers? Nodes neither announce names nor accept them: somebody would have to
// look them up, by a server that is not known, while pieces wait.
bool is_numeric(const std::string& host);

// The addresses of a listener at `host`: `host` itself if it is numeric; otherwise ("*" or a name)
// those of the machine's interfaces, at most `most`. Loopback counts only if there is no other.
std::vector<Address> own_addresses(const std::string& host, uint16_t port, size_t most);

}  // namespace shingle
