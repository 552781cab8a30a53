#include "transport/zmq/endpoint.hpp"

#include <arpa/inet.h>

namespace shingle {

std::string endpoint(const std::string& host, uint16_t port) {
  const std::string number = port == 0 ? "*" : std::to_string(port);
  if (host == "localhost") return "tcp://127.0.0.1:" + number;
  if (host.find(':') != std::string::npos) return "tcp://[" + host + "]:" + number;
  return "tcp://" + host + ":" + number;
}

bool is_loopback(const std::string& host) {
  in_addr v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  return host == "localhost" || host == "::1";
}

}  // namespace shingle
