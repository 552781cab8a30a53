// Clients that do what no client should: the service goes on.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/networks/networks.hpp"
#include "tests/serve/http_client.hpp"
#include "tests/serve/serve_fixture.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

// A server without models: limits come before them.
struct LimitedServer : TestServer {
  explicit LimitedServer(serve::HttpOptions http)
      : TestServer([&](ServePlan& plan, const ScratchFolder&) { plan.http = http; }) {}
};

serve::HttpOptions at_free_port(int milliseconds = 30'000) {
  return {.port = 0, .body_bytes = 1000, .time = std::chrono::milliseconds(milliseconds)};
}

void check_served(const TestServer& with) {
  CHECK(get(with.port(), "/v2/health/live").status == 200);
}

}  // namespace

TEST_CASE("a body that is too large is refused by its head") {
  const LimitedServer with(at_free_port());
  HttpConnection client(with.port());
  client.send(
      "POST /v2/models/m/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1001\r\n\r\n");
  const HttpReply reply = client.receive();
  CHECK(reply.status == 413);
  CHECK(reply.body.find("at most 1000 are read (--max-body)") != std::string::npos);
  CHECK(client.is_ended_by_server());
  for (const char* length : {"99999999999999999999999", "x", "-1"}) {
    const int status =
        ask(with.port(), "POST", "/v2/models/m/infer", {{"Content-Length", length}}).status;
    CHECK_MESSAGE((status == 413 || status == 400 || status == 0), length);
  }
  CHECK(post(with.port(), "/v2/models/m/infer", std::string(1000, ' ')).status == 404);
  check_served(with);
}

TEST_CASE("a body without a length is refused") {
  const LimitedServer with(at_free_port());
  const HttpReply reply = ask(with.port(), "POST", "/v2/models/m/infer",
                              {{"Transfer-Encoding", "chunked"}}, "5\r\nhello\r\n");
  CHECK(reply.status == 411);
  const HttpReply both =
      ask(with.port(), "POST", "/v2/models/m/infer",
          {{"Transfer-Encoding", "chunked"}, {"Content-Length", "1"}}, "5\r\nhello\r\n");
  CHECK((both.status == 411 || both.status == 400));  // libmicrohttpd may refuse it itself
  check_served(with);
}

TEST_CASE("bodies together take no more than their budget") {
  serve::Budget budget(1500);
  serve::ModelHost models({});
  const serve::V2Service service(models, {});
  const auto server = serve::HttpServer::start(at_free_port(), service, budget).value();
  HttpConnection first(server->port());
  first.send(
      "POST /v2/models/m/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n12345");
  REQUIRE(becomes_true([&] { return budget.held() == 1000; }));
  const HttpReply refused = post(server->port(), "/v2/models/m/infer", std::string(600, ' '));
  CHECK(refused.status == 503);
  CHECK(refused.headers.contains("retry-after"));
  CHECK(post(server->port(), "/v2/models/m/infer", std::string(400, ' ')).status == 404);
  first.send(std::string(995, ' '));
  CHECK(first.receive().status == 404);
  CHECK(becomes_true([&] { return budget.held() == 0; }));
}

TEST_CASE("an answer that the budget has no room for is refused, and may be asked for in binary") {
  const ScratchFolder folder;
  const Model model = networks::make("tiny", 128, 1).value();
  const std::string path = folder.with_text("large.onnx", networks::to_onnx(model));
  serve::ModelHost models({.session = session_texts()});
  models.serve({{"large", path}}, {serve::Use::tensors});
  const std::vector<float> values = networks::random_input({.h = 128, .w = 128, .c = 3}, 2);
  const std::vector<float> expected = by_the_library(path, values);
  const uint64_t room = std::max(values.size(), expected.size()) * sizeof(float) + 2000;
  serve::Budget budget(room);
  const serve::V2Service service(models, {});
  serve::HttpOptions options = at_free_port();
  options.body_bytes = 1 << 20;
  const auto server = serve::HttpServer::start(options, service, budget).value();
  REQUIRE(becomes_true([&] { return get(server->port(), "/v2/health/ready").status == 200; }));
  const auto infer = [&](bool is_binary) {
    const std::string head =
        nlohmann::json{{"inputs",
                        {{{"name", "image"},
                          {"datatype", "FP32"},
                          {"shape", {1, 3, 128, 128}},
                          {"parameters", {{"binary_data_size", values.size() * sizeof(float)}}}}}},
                       {"parameters", {{"binary_data_output", is_binary}}}}
            .dump();
    const std::string tensor(reinterpret_cast<const char*>(values.data()),
                             values.size() * sizeof(float));
    return post(server->port(), "/v2/models/large/infer", head + tensor,
                {{"Inference-Header-Content-Length", std::to_string(head.size())}});
  };
  const HttpReply refused = infer(false);
  CHECK_MESSAGE(refused.status == 503, refused.body);
  CHECK(refused.body.find("in binary an answer may be smaller") != std::string::npos);
  const HttpReply answered = infer(true);
  CHECK_MESSAGE(answered.status == 200, answered.body);
  CHECK(becomes_true([&] { return budget.held() == 0; }));
}

TEST_CASE("a client that is slow with its head, its body or nothing is disconnected") {
  const LimitedServer with(at_free_port(400));
  const std::string begun = "POST /v2/models/m/infer HTTP/1.1\r\nHost: localhost\r\n";
  for (const std::string& said :
       {std::string(), begun, begun + "Content-Length: 100\r\n\r\nhalf"}) {
    HttpConnection client(with.port());
    client.send(said);
    CHECK_MESSAGE(client.is_ended_by_server(), said);
  }
  HttpConnection dripping(with.port());  // is never silent for long
  dripping.send(begun + "Content-Length: 1000\r\n\r\n");
  size_t dripped = 0;
  while (dripping.send(" ") && dripped < 1000) {
    ++dripped;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // the client's own slowness
  }
  CHECK(dripped < 900);
  check_served(with);
}

TEST_CASE("a head without an end is refused") {
  const LimitedServer with(at_free_port());
  HttpConnection client(with.port());
  std::string head = "GET /v2 HTTP/1.1\r\nHost: localhost\r\n";
  for (int i = 0; i < 2000; ++i) head += "X-More: " + std::string(60, 'x') + "\r\n";
  client.send(head);
  CHECK(client.is_ended_by_server());
  check_served(with);
}

TEST_CASE("more connections than may be are refused, until others end") {
  serve::HttpOptions options = at_free_port(1'000);
  options.connections = 4;
  const LimitedServer with(options);
  std::vector<std::unique_ptr<HttpConnection>> idle;
  for (int i = 0; i < 8; ++i) idle.push_back(std::make_unique<HttpConnection>(with.port()));
  CHECK(becomes_true([&] { return get(with.port(), "/v2/health/live").status == 200; }));
}

TEST_CASE("a port that is taken, and an address that is none, are named") {
  const LimitedServer with(at_free_port());
  serve::Budget budget(1000);
  serve::ModelHost models({});
  const serve::V2Service service(models, {});
  serve::HttpOptions same = at_free_port();
  same.port = with.port();
  const auto taken = serve::HttpServer::start(same, service, budget);
  REQUIRE(!taken.ok());
  CHECK(taken.error().find("cannot listen on 127.0.0.1 port " + std::to_string(with.port())) == 0);
  same.address = "localhost";
  CHECK(!serve::HttpServer::start(same, service, budget).ok());
}
