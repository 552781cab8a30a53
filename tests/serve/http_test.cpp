// The protocol v2 over real sockets, computed by real local workers.
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/serve/http_client.hpp"
#include "tests/serve/serve_fixture.hpp"

using namespace shingle;
using namespace shingle::testing;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

struct TinyServer : TestServer {
  TinyServer()
      : TestServer([](ServePlan& plan, const ScratchFolder& in) {
          plan.models = {{"tiny", tiny_network(in)}};
        }) {
    wait_until_ready();
  }
  std::string model() const { return folder / "tiny1.onnx"; }
};

Json facts(const HttpReply& reply, int status = 200) {
  CHECK_MESSAGE(reply.status == status, reply.body);
  CHECK(reply.headers.at("content-type") == "application/json");
  return Json::parse(reply.body);
}

std::string error_of(const HttpReply& reply, int status) {
  const Json json = facts(reply, status);
  REQUIRE(json.size() == 1);
  return json["error"].get<std::string>();
}

std::string floats_as_bytes(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

Json input_with(const std::vector<float>& values) {
  return {{"name", "input"}, {"datatype", "FP32"}, {"shape", {1, 3, 32, 32}}, {"data", values}};
}

std::vector<float> data_of(const Json& output) {
  std::vector<float> values;
  for (const Json& each : output["data"]) values.push_back(static_cast<float>(each.get<double>()));
  return values;
}

}  // namespace

TEST_CASE("a server describes itself and its models") {
  const TinyServer with;
  const uint16_t port = with.port();
  const Json server = facts(get(port, "/v2"));
  CHECK(server["name"] == "shingle");
  CHECK(server["extensions"] == Json{"binary_tensor_data"});
  CHECK(facts(get(port, "/v2/health/live")) == Json{{"live", true}});
  CHECK(facts(get(port, "/v2/health/ready")) == Json{{"ready", true}});
  for (const char* path : {"/v2/models/tiny", "/v2/models/tiny/versions/1"}) {
    const Json model = facts(get(port, path));
    CHECK(model["name"] == "tiny");
    CHECK(model["versions"] == Json{"1"});
    REQUIRE(model["inputs"].size() == 1);
    CHECK(model["inputs"][0]["datatype"] == "FP32");
    CHECK(model["inputs"][0]["shape"] == Json{1, 3, 32, 32});
    REQUIRE(model["outputs"].size() == 1);
    CHECK(model["outputs"][0]["shape"] == Json{1, 8, 16, 16});
  }
  CHECK(facts(get(port, "/v2/models/tiny/ready")) == Json{{"name", "tiny"}, {"ready", true}});
  HttpConnection client(port);
  client.send("HEAD /v2/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(client.receive(false).status == 200);
}

TEST_CASE("inference over HTTP gives the library's bytes, in JSON and in binary") {
  const TinyServer with;
  const Json model = facts(get(with.port(), "/v2/models/tiny"));
  const std::string in = model["inputs"][0]["name"], out = model["outputs"][0]["name"];
  const std::vector<float> values = tiny_values(5);
  const std::vector<float> expected = by_the_library(with.model(), values);
  Json input = input_with(values);
  input["name"] = in;
  const Json plain = facts(
      post(with.port(), "/v2/models/tiny/infer", Json{{"id", "a7"}, {"inputs", {input}}}.dump()));
  CHECK(plain["id"] == "a7");
  CHECK(plain["model_name"] == "tiny");
  CHECK(plain["outputs"][0]["name"] == out);
  CHECK(data_of(plain["outputs"][0]) == expected);

  input.erase("data");
  input["parameters"] = {{"binary_data_size", values.size() * 4}};
  const std::string head =
      Json{{"inputs", {input}},
           {"outputs", {{{"name", out}, {"parameters", {{"binary_data", true}}}}}}}
          .dump();
  const HttpReply reply =
      post(with.port(), "/v2/models/tiny/versions/1/infer", head + floats_as_bytes(values),
           {{"Inference-Header-Content-Length", std::to_string(head.size())},
            {"Content-Type", "application/octet-stream"}});
  REQUIRE_MESSAGE(reply.status == 200, reply.body);
  CHECK(reply.headers.at("content-type") == "application/octet-stream");
  const size_t json_bytes = std::stoul(reply.headers.at("inference-header-content-length"));
  const Json said = Json::parse(reply.body.substr(0, json_bytes));
  CHECK(said["outputs"][0]["parameters"]["binary_data_size"] == expected.size() * 4);
  CHECK(reply.body.substr(json_bytes) == floats_as_bytes(expected));
}

TEST_CASE("several requests on one connection, and several connections at once, are all answered") {
  const TinyServer with;
  const std::string name = facts(get(with.port(), "/v2/models/tiny"))["inputs"][0]["name"];
  std::vector<std::unique_ptr<HttpConnection>> connections;
  std::vector<std::string> bodies;
  for (uint64_t i = 0; i < 6; ++i) {
    Json input = input_with(tiny_values(i));
    input["name"] = name;
    bodies.push_back(Json{{"id", std::to_string(i)}, {"inputs", {input}}}.dump());
    connections.push_back(std::make_unique<HttpConnection>(with.port()));
  }
  std::vector<std::vector<float>> first(bodies.size());
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i < bodies.size(); ++i)
      REQUIRE(
          connections[i]->send("POST /v2/models/tiny/infer HTTP/1.1\r\nHost: localhost\r\n"
                               "Content-Length: " +
                               std::to_string(bodies[i].size()) + "\r\n\r\n" + bodies[i]));
    for (size_t i = 0; i < bodies.size(); ++i) {
      const Json answer = facts(connections[i]->receive());
      CHECK(answer["id"] == std::to_string(i));
      const std::vector<float> values = data_of(answer["outputs"][0]);
      if (round == 0) first[i] = values;
      CHECK(values == first[i]);
    }
  }
  CHECK(first[0] != first[1]);
}

TEST_CASE("what is wrong is answered with a code and one sentence") {
  const TinyServer with;
  const uint16_t port = with.port();
  CHECK(error_of(get(port, "/"), 404).find("begins at /v2") != std::string::npos);
  CHECK(error_of(get(port, "/v2/models/none"), 404) == "there is no model 'none'");
  CHECK(error_of(get(port, "/v2/models/tiny/versions/2"), 404) ==
        "the model 'tiny' has the version 1 only");
  const HttpReply wrong_method = get(port, "/v2/models/tiny/infer");
  CHECK(error_of(wrong_method, 405).find("does not take 'GET'") != std::string::npos);
  CHECK(wrong_method.headers.at("allow") == "POST");
  CHECK(error_of(post(port, "/v2/models/none/infer", "{}"), 404) == "there is no model 'none'");
  CHECK(error_of(post(port, "/v2/models/tiny/infer", "{"), 400).find("no JSON") !=
        std::string::npos);
  Json input = input_with(std::vector<float>(3 * 16 * 16));
  input["shape"] = {1, 3, 16, 16};
  const auto wrong =
      error_of(post(port, "/v2/models/tiny/infer", Json{{"inputs", {input}}}.dump()), 400);
  CHECK_MESSAGE(wrong.find("input") != std::string::npos, wrong);
  CHECK(error_of(
            post(port, "/v2/models/tiny/infer", "{}", {{"Inference-Header-Content-Length", "9"}}),
            400)
            .find("the body has 2 bytes") != std::string::npos);
  CHECK(error_of(ask(port, "POST", "/v2/models/tiny/infer"), 411).find("Content-Length") !=
        std::string::npos);
  CHECK(error_of(post(port, "/v2/models/tiny/infer", "{}", {{"Content-Encoding", "gzip"}}), 415)
            .find("compressed") != std::string::npos);
  CHECK(get(port, "/v2/health/live").status == 200);
}

TEST_CASE("requests by a foreign name, and of pages in browsers, are refused") {
  const TinyServer with;
  const auto with_header = [&](const std::string& name, const std::string& value) {
    return ask(with.port(), "GET", "/v2", {{name, value}});
  };
  CHECK(error_of(with_header("Host", "evil.example"), 403) ==
        "this server is not called 'evil.example'; --host-name allows a further name");
  CHECK(with_header("Host", "10.1.2.3").status == 403);
  CHECK(with_header("Host", "localhost").status == 200);
  CHECK(error_of(with_header("Origin", "http://localhost"), 403).find("Origin") !=
        std::string::npos);
  CHECK(with_header("Origin", "null").status == 403);
  HttpConnection old(with.port());
  old.send("GET /v2 HTTP/1.0\r\n\r\n");
  CHECK(old.receive().status == 403);
}

TEST_CASE("a model that does not load is told, and the others are served") {
  TestServer with([](ServePlan& plan, const ScratchFolder& in) {
    plan.models = {{"broken", in.with_text("broken.onnx", "no model")},
                   {"missing", in / "missing.onnx"},
                   {"tiny", tiny_network(in)}};
  });
  const auto is_ready = [&](const std::string& name) {
    return get(with.port(), "/v2/models/" + name + "/ready").status == 200;
  };
  REQUIRE(becomes_true([&] { return is_ready("tiny"); }));
  CHECK(get(with.port(), "/v2/health/live").status == 200);
  CHECK(get(with.port(), "/v2/health/ready").status == 503);
  const HttpReply reply = get(with.port(), "/v2/models/broken");
  const std::string broken = error_of(reply, 503);
  CHECK_MESSAGE(broken.find("the model 'broken' was not loaded: ") == 0, broken);
  CHECK_MESSAGE(broken.find("broken.onnx") != std::string::npos, broken);
  CHECK(reply.headers.contains("retry-after"));
  CHECK(with.notes.count("broken.onnx") == 1);
  CHECK(with.notes.contain("missing.onnx"));
}

TEST_CASE("a model that changes while it is loaded is served as it is then") {
  const ScratchFolder others;
  const std::string first = tiny_network(others, 1), then = tiny_network(others, 2);
  ServePlan plan = TestServer::usual_plan();
  TestServer with([&](ServePlan& started, const ScratchFolder& in) {
    started.models = plan.models = {{"m", in.with_text("m.onnx", contents(first))}};
  });
  const std::string path = with.folder.with_text("m.onnx", contents(then));
  // Some file systems store times with a resolution of some milliseconds.
  fs::last_write_time(path, fs::last_write_time(path) + std::chrono::seconds(1));
  for (int i = 0; i < 3; ++i) REQUIRE(with.server->reload(plan).ok());
  with.wait_until_ready();
  Json input = input_with(tiny_values(3));
  input["name"] = "image";
  const Json reply =
      facts(post(with.port(), "/v2/models/m/infer", Json{{"inputs", {input}}}.dump()));
  CHECK(data_of(reply["outputs"][0]) == by_the_library(then, tiny_values(3)));
}

TEST_CASE("other models and another port are taken over while it serves") {
  TinyServer with;
  const uint16_t before = with.port();
  ServePlan plan = TestServer::usual_plan();
  plan.http->port = before;  // as it was given to it
  plan.models = {{"second", tiny_network(with.folder, 2)}, {"tiny", with.model()}};
  plan.http->body_bytes = 1 << 20;
  REQUIRE(with.server->reload(plan).ok());
  CHECK(with.port() == before);
  REQUIRE(becomes_true([&] { return get(with.port(), "/v2/models/second/ready").status == 200; }));
  CHECK(get(with.port(), "/v2/models/tiny/ready").status == 200);
  plan.models = {{"second", plan.models[0].path}};
  plan.http->address = "0.0.0.0";  // the same port for others too
  REQUIRE(with.server->reload(plan).ok());
  CHECK(with.port() == before);
  CHECK(get(with.port(), "/v2/models/tiny").status == 404);
  CHECK(get(with.port(), "/v2/models/second/ready").status == 200);
  with.folder.with_text("tiny2.onnx", "no model any more");
  REQUIRE(with.server->reload(plan).ok());
  REQUIRE(becomes_true([&] {
    return get(with.port(), "/v2/models/second").body.find("not loaded") != std::string::npos;
  }));
}
