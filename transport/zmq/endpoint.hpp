// Addresses as ZeroMQ and people write them.
#pragma once

#include <cstdint>
#include <string>

namespace shingle {

// "tcp://127.0.0.1:7001"; "tcp://[::1]:7001"; port 0 becomes "*": any free one.
std::string endpoint(const std::string& host, uint16_t port);

// Can nobody but this machine reach it? By the letters of the address: a name that a name server
// could turn into anything is not, except "localhost".
bool is_loopback(const std::string& host);

}  // namespace shingle
