#include "tests/serve/http_client.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace shingle::testing {
namespace {

constexpr int a_minute = 60'000;

std::string lower(std::string text) {
  for (char& letter : text)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return text;
}

}  // namespace

HttpConnection::HttpConnection(uint16_t port)
    : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
}

HttpConnection::~HttpConnection() { ::close(descriptor_); }

bool HttpConnection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool HttpConnection::fill() {
  pollfd waiting{descriptor_, POLLIN, 0};
  if (::poll(&waiting, 1, a_minute) != 1) return false;
  char buffer[65'536];
  const ssize_t got = ::recv(descriptor_, buffer, sizeof buffer, 0);
  if (got <= 0) return false;
  received_.append(buffer, static_cast<size_t>(got));
  return true;
}

HttpReply HttpConnection::receive(bool has_body) {
  HttpReply reply;
  while (received_.find("\r\n\r\n") == std::string::npos)
    if (!fill()) return reply;
  const size_t end = received_.find("\r\n\r\n");
  std::string head = received_.substr(0, end + 2);
  received_.erase(0, end + 4);
  reply.status = std::stoi(head.substr(9, 3));
  for (size_t line = head.find("\r\n") + 2; line < head.size();) {
    const size_t next = head.find("\r\n", line), colon = head.find(": ", line);
    reply.headers[lower(head.substr(line, colon - line))] =
        head.substr(colon + 2, next - colon - 2);
    line = next + 2;
  }
  if (!has_body) return reply;
  const size_t length = std::stoul(reply.headers["content-length"]);
  while (received_.size() < length)
    if (!fill()) return {};
  reply.body = received_.substr(0, length);
  received_.erase(0, length);
  return reply;
}

bool HttpConnection::is_ended_by_server() {
  while (fill())
    if (received_.size() > (1 << 20)) return false;
  pollfd waiting{descriptor_, POLLIN, 0};
  return ::poll(&waiting, 1, 0) == 1;
}

HttpReply ask(uint16_t port, const std::string& method, const std::string& path,
              const Headers& headers, const std::string& body) {
  HttpConnection connection(port);
  std::string head = method + " " + path + " HTTP/1.1\r\n";
  const bool names_host =
      std::ranges::any_of(headers, [](const auto& header) { return header.first == "Host"; });
  if (!names_host) head += "Host: 127.0.0.1:" + std::to_string(port) + "\r\n";
  for (const auto& [name, value] : headers) head += name + ": " + value + "\r\n";
  connection.send(head + "\r\n" + body);
  return connection.receive();
}

HttpReply post(uint16_t port, const std::string& path, const std::string& body, Headers headers) {
  headers.emplace_back("Content-Length", std::to_string(body.size()));
  return ask(port, "POST", path, headers, body);
}

}  // namespace shingle::testing
