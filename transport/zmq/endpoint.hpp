// Addresses as ZeroMQ and people write them.
#pragma once

#include <cstdint>
#include <string>

namespace shingle {

// "tcp://127.0.0.1:7001"; "tcp://[::1]:7001"; port 0 becomes "*": any free one.
std::string endpoint(const std::string& host, uint16_t port);

// True if only this machine can reach it, judged by the text of the address. A name is never a
// loopback, except "localhost": a name server could resolve it to any address.
bool is_loopback(const std::string& host);

}  // namespace shingle
