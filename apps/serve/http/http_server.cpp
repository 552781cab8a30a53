#include "apps/serve/http/http_server.hpp"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cassert>
#include <charconv>
#include <cstring>
#include <new>

#include "apps/serve/http/connection_watch.hpp"
#include "partition/base/text.hpp"

namespace shingle::serve {

// --- one request on its way in ---
namespace {

struct Exchange {
  explicit Exchange(Budget& budget) : share(budget) {}
  HttpRequest request{};
  uint64_t announced_bytes = 0;  // of the body
  Share share;                   // for it
  std::optional<HttpAnswer> refusal{};
};

// An answer's body, which libmicrohttpd frees once the client has taken it.
struct Leaving {
  std::string body;
  Share share;
};

std::optional<std::string> header(MHD_Connection* connection, const char* name) {
  const char* value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

// What has values for an answer takes its bytes from the budget; a refusal is always told.
MHD_Result send(MHD_Connection* connection, HttpAnswer answer, Budget& budget) {
  constexpr size_t always_sent = 64 << 10;
  auto leaving = std::make_unique<Leaving>(std::move(answer.body), Share(budget));
  if (leaving->body.size() > always_sent && !leaving->share.grow(leaving->body.size())) {
    answer = http_error(503,
                        "bodies of other requests and answers have all memory that they may take; "
                        "in binary an answer may be smaller");
    answer.headers.emplace_back("Retry-After", "1");
    leaving->body = std::move(answer.body);
  }
  MHD_Response* response = MHD_create_response_from_buffer_with_free_callback_cls(
      leaving->body.size(), leaving->body.data(),
      [](void* kept) { delete static_cast<Leaving*>(kept); }, leaving.get());
  if (response == nullptr) return MHD_NO;
  leaving.release();  // goes with the response
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer.type.c_str());
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : answer.headers)
    MHD_add_response_header(response, name.c_str(), value.c_str());
  const MHD_Result queued =
      MHD_queue_response(connection, static_cast<unsigned>(answer.status), response);
  MHD_destroy_response(response);
  return queued;
}

}  // namespace

// --- the daemon ---
class HttpServer::Room {
 public:
  Room(const HttpOptions& options, const V2Service& service, Budget& budget)
      : options_(options), service_(service), budget_(budget), watch_(options.time) {}
  ~Room() {
    if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  Status listen();
  uint16_t port() const {
    const MHD_DaemonInfo* info = MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_BIND_PORT);
    return info == nullptr ? uint16_t{0} : info->port;
  }

 private:
  static MHD_Result on_request(void* self, MHD_Connection* connection, const char* path,
                               const char* method, const char* version, const char* upload,
                               size_t* upload_bytes, void** exchange) noexcept;
  MHD_Result go_on(MHD_Connection* connection, Exchange& exchange, const char* upload,
                   size_t* upload_bytes);
  static void on_completed(void* self, MHD_Connection* connection, void** exchange,
                           MHD_RequestTerminationCode why);
  static void on_connection(void* self, MHD_Connection* connection, void** context,
                            MHD_ConnectionNotificationCode what) noexcept;

  MHD_Result begin(MHD_Connection* connection, const char* path, const char* method,
                   void** exchange);
  std::optional<HttpAnswer> refusal(MHD_Connection* connection, Exchange& exchange) const;
  std::optional<HttpAnswer> refused_body(MHD_Connection* connection, Exchange& exchange) const;

  const HttpOptions options_;
  const V2Service& service_;
  Budget& budget_;
  ConnectionWatch watch_;
  MHD_Daemon* daemon_ = nullptr;
};

namespace {

// An address as the system wants it.
struct Bindable {
  sockaddr_storage storage{};
  bool is_ipv6 = false;
};

std::optional<Bindable> bindable(const HttpOptions& options) {
  Bindable address;
  auto& four = reinterpret_cast<sockaddr_in&>(address.storage);
  auto& six = reinterpret_cast<sockaddr_in6&>(address.storage);
  if (::inet_pton(AF_INET, options.address.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(options.port);
    return address;
  }
  if (::inet_pton(AF_INET6, options.address.c_str(), &six.sin6_addr) != 1) return std::nullopt;
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(options.port);
  address.is_ipv6 = true;
  return address;
}

}  // namespace

Status HttpServer::Room::listen() {
  const std::string where = options_.address + " port " + std::to_string(options_.port);
  const auto address = bindable(options_);
  if (!address)
    return usage_error(in_quotes(options_.address) + " is no address in numbers, as 127.0.0.1");
  const unsigned flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD |
                         MHD_USE_POLL | MHD_USE_ITC |
                         (address->is_ipv6 ? unsigned{MHD_USE_IPv6} : 0U);
  const auto idle = static_cast<unsigned>(
      std::max<int64_t>(1, std::chrono::ceil<std::chrono::seconds>(options_.time).count()));
  constexpr size_t head_bytes = 32 << 10;
  daemon_ = MHD_start_daemon(
      flags, options_.port, nullptr, nullptr, on_request, this, MHD_OPTION_SOCK_ADDR,
      reinterpret_cast<const sockaddr*>(&address->storage), MHD_OPTION_CONNECTION_LIMIT,
      options_.connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT, head_bytes,
      MHD_OPTION_CONNECTION_TIMEOUT, idle, MHD_OPTION_NOTIFY_COMPLETED, on_completed, this,
      MHD_OPTION_NOTIFY_CONNECTION, on_connection, this, MHD_OPTION_END);
  if (daemon_ != nullptr) return success();
  return Error{"cannot listen on " + where + ": " + std::strerror(errno) +
               "; stop the program that does, or name another port with --http"};
}

void HttpServer::Room::on_connection(void* self, MHD_Connection* connection, void**,
                                     MHD_ConnectionNotificationCode what) noexcept {
  auto& room = *static_cast<Room*>(self);
  if (what == MHD_CONNECTION_NOTIFY_CLOSED) return room.watch_.end(connection);
  const MHD_ConnectionInfo* info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  if (info == nullptr) return;
  try {
    room.watch_.begin(connection, info->connect_fd);
  } catch (const std::bad_alloc&) {  // libmicrohttpd's own limits of time are left
  }
}

void HttpServer::Room::on_completed(void* self, MHD_Connection* connection, void** exchange,
                                    MHD_RequestTerminationCode) {
  delete static_cast<Exchange*>(*exchange);
  *exchange = nullptr;
  static_cast<Room*>(self)->watch_.step(connection);
}

// libmicrohttpd calls this once with the head of a request, then with parts of its body, then
// without one. MHD_NO ends the connection.
MHD_Result HttpServer::Room::on_request(void* self, MHD_Connection* connection, const char* path,
                                        const char* method, const char*, const char* upload,
                                        size_t* upload_bytes, void** exchange) noexcept {
  auto& room = *static_cast<Room*>(self);
  try {
    if (*exchange == nullptr) return room.begin(connection, path, method, exchange);
    return room.go_on(connection, *static_cast<Exchange*>(*exchange), upload, upload_bytes);
  } catch (const std::bad_alloc&) {
    return MHD_NO;
  }
}

MHD_Result HttpServer::Room::go_on(MHD_Connection* connection, Exchange& exchange,
                                   const char* upload, size_t* upload_bytes) {
  HttpRequest& request = exchange.request;
  if (*upload_bytes > 0) {
    if (request.body.size() + *upload_bytes > exchange.announced_bytes) return MHD_NO;
    request.body.append(upload, *upload_bytes);
    *upload_bytes = 0;
    return MHD_YES;
  }
  watch_.work(connection);
  HttpAnswer answer = service_.answer(request);
  std::string().swap(request.body);  // frees it; an assignment would keep the memory
  exchange.share.release();
  watch_.step(connection);
  return send(connection, std::move(answer), budget_);
}

MHD_Result HttpServer::Room::begin(MHD_Connection* connection, const char* path, const char* method,
                                   void** exchange) {
  watch_.step(connection);
  auto fresh = std::make_unique<Exchange>(budget_);
  fresh->request.path = path;
  fresh->request.method = method;
  auto refused = refusal(connection, *fresh);
  *exchange = fresh.release();  // on_completed() frees it
  if (!refused) return MHD_YES;
  refused->headers.emplace_back("Connection", "close");  // its body was not read
  return send(connection, std::move(*refused), budget_);
}

std::optional<HttpAnswer> HttpServer::Room::refusal(MHD_Connection* connection,
                                                    Exchange& exchange) const {
  if (header(connection, "Origin"))
    return http_error(403, "requests of pages in browsers (with an Origin) are refused");
  const auto host = header(connection, "Host");
  if (!host || !options_.hosts.allows(*host))
    return http_error(403, "this server is not called " + in_quotes(host.value_or("")) +
                               "; --host-name allows a further name");
  exchange.request.json_length = header(connection, "Inference-Header-Content-Length");
  return refused_body(connection, exchange);
}

std::optional<HttpAnswer> HttpServer::Room::refused_body(MHD_Connection* connection,
                                                         Exchange& exchange) const {
  const auto coding = header(connection, "Content-Encoding");
  if (coding && *coding != "identity")
    return http_error(415, "bodies that are compressed are not read");
  const auto written = header(connection, "Content-Length");
  // With Transfer-Encoding a Content-Length is ignored (RFC 9112, section 6.3).
  const bool is_chunked = header(connection, "Transfer-Encoding").has_value();
  if (is_chunked || (!written && exchange.request.method == "POST"))
    return http_error(411, "the length of the body must stand in Content-Length");
  if (!written) return std::nullopt;
  uint64_t bytes = 0;
  const char* end = written->data() + written->size();
  const auto parsed = std::from_chars(written->data(), end, bytes);
  if (parsed.ec != std::errc() || parsed.ptr != end || bytes > options_.body_bytes)
    return http_error(413, "the body has " + in_quotes(*written) + " bytes; at most " +
                               std::to_string(options_.body_bytes) + " are read (--max-body)");
  if (exchange.share.grow(bytes)) {
    exchange.announced_bytes = bytes;
    exchange.request.body.reserve(bytes);
    return std::nullopt;
  }
  HttpAnswer busy = http_error(503, "other requests have all memory that bodies may take");
  busy.headers.emplace_back("Retry-After", "1");
  return busy;
}

// --- the public face ---
HttpServer::HttpServer(std::unique_ptr<Room> room) : room_(std::move(room)) {}
HttpServer::~HttpServer() = default;
uint16_t HttpServer::port() const { return room_->port(); }

Result<std::unique_ptr<HttpServer>> HttpServer::start(const HttpOptions& options,
                                                      const V2Service& service, Budget& budget) {
  auto room = std::make_unique<Room>(options, service, budget);
  if (const Status listening = room->listen(); !listening) return listening.failure();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(room)));
}

}  // namespace shingle::serve
