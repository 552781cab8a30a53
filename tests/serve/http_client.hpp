// A client of HTTP/1.1 on plain sockets, which may also say what no client should.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace shingle::testing {

struct HttpReply {
  int status = 0;                              // 0: none came
  std::map<std::string, std::string> headers;  // names in small letters
  std::string body;
};

// A connection to a port of this machine; the test fails if there is none.
class HttpConnection {
 public:
  explicit HttpConnection(uint16_t port);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  bool send(std::string_view bytes);        // false: the server has ended the connection
  HttpReply receive(bool has_body = true);  // waits, at most a minute
  bool is_ended_by_server();                // waits for that, at most a minute

 private:
  bool fill();
  int descriptor_;
  std::string received_;
};

using Headers = std::vector<std::pair<std::string, std::string>>;
HttpReply ask(uint16_t port, const std::string& method, const std::string& path,
              const Headers& headers = {}, const std::string& body = {});
inline HttpReply get(uint16_t port, const std::string& path) { return ask(port, "GET", path); }
// With a length.
HttpReply post(uint16_t port, const std::string& path, const std::string& body,
               Headers headers = {});

}  // namespace shingle::testing
