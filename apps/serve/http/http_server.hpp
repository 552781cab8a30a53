// HttpServer: the protocol v2 at a TCP port, by libmicrohttpd, which is named in http_server.cpp
// only. Each connection has a thread.
//
// What a client may do is bounded: connections, bytes of a head and of a body, bytes of all bodies
// together, seconds for each part of a request. A request from a foreign page is refused.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "apps/serve/budget.hpp"
#include "apps/serve/http/v2_service.hpp"
#include "apps/serve/v2/host_rule.hpp"

namespace shingle::serve {

struct HttpOptions {
  std::string address = "127.0.0.1";  // as numbers
  uint16_t port = 8000;               // 0: any that is free
  uint32_t connections = 64;
  uint64_t body_bytes = 64 << 20;
  std::chrono::milliseconds time{30'000};  // for a head, a body, an answer; and between requests
  HostRule hosts{};

  friend bool operator==(const HttpOptions& a, const HttpOptions& b) {
    return a.address == b.address && a.port == b.port && a.body_bytes == b.body_bytes &&
           a.time == b.time && a.hosts.exposed == b.hosts.exposed && a.hosts.names == b.hosts.names;
  }
};

class HttpServer {
 public:
  // Listens. `service` and `budget` must outlive it. The sentence names address and port.
  static Result<std::unique_ptr<HttpServer>> start(const HttpOptions& options,
                                                   const V2Service& service, Budget& budget);
  ~HttpServer();  // waits for the requests that are being computed

  uint16_t port() const;

 private:
  class Room;
  explicit HttpServer(std::unique_ptr<Room> room);
  std::unique_ptr<Room> room_;
};

}  // namespace shingle::serve
