// Where others may reach this machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transport/zmq/zmq_transport.hpp"

namespace shingle {

// Is it an address in numbers? A name would have to be looked up, by whatever server it names,
// while pieces wait: names are neither announced nor believed.
bool is_numeric(const std::string& host);

// Of a listener at `host`: that, or where it is "*" or a name the addresses of the machine's
// interfaces, at most `most`; loopback only if there is no other.
std::vector<Address> own_addresses(const std::string& host, uint16_t port, size_t most);

}  // namespace shingle
