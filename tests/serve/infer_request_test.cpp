// The values of the protocol v2: requests, answers, paths, hosts.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "apps/serve/v2/host_rule.hpp"
#include "apps/serve/v2/infer_answer.hpp"
#include "apps/serve/v2/route.hpp"
#include "tests/networks/networks.hpp"

using namespace shingle;
using namespace shingle::serve;

namespace {

std::span<const std::byte> bytes_in(const std::string& text) {
  return std::as_bytes(std::span(text));
}

Result<InferRequest> read(const std::string& body, std::optional<size_t> json = std::nullopt) {
  return read_infer(bytes_in(body), json);
}

std::vector<float> floats_of(const TensorValue& value) {
  std::vector<float> floats(value.bytes.size() / sizeof(float));
  std::memcpy(floats.data(), value.bytes.data(), value.bytes.size());
  return floats;
}

std::string one_input(const std::string& rest) {
  return R"({"inputs":[{"name":"x",)" + rest + "}]}";
}

void check_refused(const std::string& body, const std::string& part,
                   std::optional<size_t> json = std::nullopt) {
  const auto request = read(body, json);
  CAPTURE(body);
  REQUIRE(!request.ok());
  CHECK_MESSAGE(request.error().find(part) != std::string::npos, request.error());
  CHECK(request.error().find('\n') == std::string::npos);
}

}  // namespace

TEST_CASE("a request in JSON is read, with rows as arrays, with keys in any order") {
  const auto request =
      read(R"({"outputs":[{"parameters":{"binary_data":true},"name":"y"},{"name":"z"}],"id":"é7",)"
           R"("inputs":[{"data":[[1,2.5],[-3e-2,4]],"shape":[2,2],"datatype":"FP32","name":"x"},)"
           R"({"name":"u","datatype":"UINT8","shape":[3],"data":[0,7,255],"later":{"a":[1,[2]]}}],)"
           R"("parameters":{"binary_data_output":false,"priority":3}})");
  REQUIRE_MESSAGE(request.ok(), (request ? "" : request.error()));
  CHECK(request->id == "é7");
  REQUIRE(request->inputs.size() == 2);
  CHECK(request->inputs[0].info == TensorInfo{"x", DataType::fp32, {2, 2}});
  CHECK(floats_of(request->inputs[0]) == std::vector<float>{1.0F, 2.5F, -0.03F, 4.0F});
  CHECK(request->inputs[1].info.type == DataType::uint8);
  CHECK(request->inputs[1].bytes ==
        std::vector<std::byte>{std::byte{0}, std::byte{7}, std::byte{255}});
  REQUIRE(request->outputs.size() == 2);
  CHECK(request->outputs[0].binary == true);
  CHECK(!request->outputs[1].binary.has_value());
  CHECK(!request->binary_outputs);
}

TEST_CASE("bytes behind the JSON go to the inputs in their order") {
  const std::string json =
      R"({"inputs":[{"name":"a","datatype":"FP32","shape":[1],"parameters":{"binary_data_size":4}},)"
      R"({"name":"b","datatype":"UINT8","shape":[2],"data":[8,9]},)"
      R"({"name":"c","datatype":"UINT8","shape":[3],"parameters":{"binary_data_size":3}}]})";
  const float value = std::numeric_limits<float>::quiet_NaN();
  std::string body = json;
  body.append(reinterpret_cast<const char*>(&value), sizeof value).append("xyz");
  const auto request = read(body, json.size());
  REQUIRE_MESSAGE(request.ok(), (request ? "" : request.error()));
  CHECK(std::isnan(floats_of(request->inputs[0])[0]));
  CHECK(request->inputs[1].bytes[1] == std::byte{9});
  CHECK(request->inputs[2].bytes[2] == std::byte{'z'});
  check_refused(body + "!", "1 bytes behind the JSON belong to no input", json.size());
  check_refused(body.substr(0, body.size() - 1), "the body has 2 bytes left", json.size());
  check_refused(json, "the body has 0 bytes left");
}

TEST_CASE("every float32 reads back from the JSON that was written of it") {
  networks::Random random(20);
  std::vector<float> values{0.0F,
                            -0.0F,
                            1.0F / 3.0F,
                            std::numeric_limits<float>::denorm_min(),
                            std::numeric_limits<float>::min(),
                            std::numeric_limits<float>::max(),
                            std::numeric_limits<float>::lowest(),
                            16'777'217.0F};
  while (values.size() < 20'000) {
    const auto bits = static_cast<uint32_t>(random.next());
    float value = 0.0F;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value)) values.push_back(value);
  }
  const std::vector<OutputView> outputs{{"y", {static_cast<int64_t>(values.size())}, values}};
  const auto answer = write_infer("m", {}, outputs);
  REQUIRE(answer.ok());
  CHECK(!answer->json_bytes.has_value());
  std::string again = answer->body;
  again.replace(again.find("\"outputs\""), 9, "\"inputs\"");
  const auto request = read(again);
  REQUIRE_MESSAGE(request.ok(), (request ? "" : request.error()));
  CHECK(std::memcmp(request->inputs[0].bytes.data(), values.data(), values.size() * 4) == 0);
  const auto parsed = nlohmann::json::parse(answer->body);  // and by another reader
  for (size_t i = 0; i < values.size(); i += 97)
    CHECK(static_cast<float>(parsed["outputs"][0]["data"][i].get<double>()) == values[i]);
}

TEST_CASE("an answer has the outputs that are wanted, as they are wanted") {
  const std::vector<float> y{1.5F, -2.0F}, z{7.0F};
  const std::vector<OutputView> outputs{{"y", {1, 2}, y}, {"z", {1}, z}};
  const auto all = write_infer("m\"1", {.id = "5", .inputs = {}, .outputs = {}}, outputs);
  REQUIRE(all.ok());
  CHECK(all->body == R"({"model_name":"m\"1","model_version":"1","id":"5","outputs":[)"
                     R"({"name":"y","datatype":"FP32","shape":[1,2],"data":[1.5,-2]},)"
                     R"({"name":"z","datatype":"FP32","shape":[1],"data":[7]}]})");
  const InferRequest mixed{.id = {},
                           .inputs = {},
                           .outputs = {{"z", false}, {"y", std::nullopt}},
                           .binary_outputs = true};
  const auto answer = write_infer("m", mixed, outputs);
  REQUIRE(answer.ok());
  const std::string json =
      R"({"model_name":"m","model_version":"1","outputs":[)"
      R"({"name":"z","datatype":"FP32","shape":[1],"data":[7]},)"
      R"({"name":"y","datatype":"FP32","shape":[1,2],"parameters":{"binary_data_size":8}}]})";
  REQUIRE(answer->json_bytes == json.size());
  CHECK(answer->body.substr(0, json.size()) == json);
  CHECK(std::memcmp(answer->body.data() + json.size(), y.data(), 8) == 0);
  const auto unknown = write_infer("m", {.id = {}, .inputs = {}, .outputs = {{"w", {}}}}, outputs);
  REQUIRE(!unknown.ok());
  CHECK(unknown.error() == "the model has no output 'w'");
  const InferRequest twice{.id = {}, .inputs = {}, .outputs = {{"y", {}}, {"z", {}}, {"y", true}}};
  CHECK(write_infer("m", twice, outputs).error() == "the output 'y' is asked for twice");
  const std::vector<float> odd{std::numeric_limits<float>::infinity()};
  const std::vector<OutputView> infinite{{"y", {1}, odd}};
  CHECK(!write_infer("m", {}, infinite).ok());
  CHECK(write_infer("m", {.id = {}, .inputs = {}, .outputs = {}, .binary_outputs = true}, infinite)
            .ok());
}

TEST_CASE("what is no request is refused in one sentence") {
  check_refused("", "no JSON");
  check_refused("[]", "is no object");
  check_refused("5", "the request is no object");
  check_refused("{}", "the request has no inputs");
  check_refused(R"({"inputs":{}})", "'inputs' is no array");
  check_refused(R"({"inputs":7})", "'inputs' is a number");
  check_refused(R"({"inputs":[7]})", "an array of the request holds a number");
  check_refused(R"({"id":7})", "'id' is a number");
  check_refused(std::string(R"({"later":)") + std::string(200, '['), "nested too deeply");
  check_refused(one_input(R"("datatype":"FP64","shape":[1],"data":[1])"),
                "input 'x': datatype 'FP64' is not supported; it may be FP32 or UINT8");
  check_refused(one_input(R"("shape":[1],"data":[1])"), "input 'x': it has no datatype");
  check_refused(one_input(R"("datatype":"FP32","shape":[1,2],"data":[1])"),
                "its shape has 2 elements, and its data 1");
  check_refused(one_input(R"("datatype":"FP32","shape":[-1],"data":[1])"),
                "something else than sizes");
  check_refused(one_input(R"("datatype":"FP32","shape":[[1]],"data":[1])"),
                "something else than numbers");
  check_refused(one_input(R"("datatype":"FP32","shape":[1,1,1,1,1,1,1,1,1],"data":[1])"),
                "more than 8 dimensions");
  check_refused(one_input(R"("datatype":"FP32","shape":[4294967296,4294967296,2],"data":[1])"),
                "more elements than exist");
  check_refused(one_input(R"("datatype":"FP32","shape":[1],"data":["1"])"), "its data hold a text");
  check_refused(one_input(R"("datatype":"FP32","shape":[1],"data":[1e39])"), "too large for FP32");
  check_refused(one_input(R"("datatype":"UINT8","shape":[1],"data":[256])"), "0 to 255");
  check_refused(one_input(R"("datatype":"UINT8","shape":[1],"data":[0.5])"), "0 to 255");
  check_refused(one_input(R"("datatype":"FP32","shape":[1])"), "neither data nor binary_data_size");
  check_refused(one_input(R"("datatype":"FP32","shape":[1],"parameters":{"binary_data_size":3})"),
                "1 elements of 4 bytes, and binary_data_size is 3");
  check_refused(one_input(R"("datatype":"FP32","shape":[1],"data":[1],)"
                          R"("parameters":{"binary_data_size":4})"),
                "both data and binary_data_size");
  check_refused(R"({"inputs":[{"datatype":"FP32","shape":[1],"data":[1]}]})",
                "an input has no name");
  check_refused(R"({"inputs":[{"name":"x","datatype":"FP32","shape":[1],"data":[1]}],)"
                R"("outputs":[{"name":"y","parameters":{"classification":3}}]})",
                "'classification' is not supported");
  std::string many;
  for (int i = 0; i < 65; ++i) many += i == 0 ? "{}" : ",{}";
  check_refused(R"({"inputs":[)" + many + "]}", "too many inputs");
  CHECK(read_json_length("12", 12).value() == 12);
  CHECK(!read_json_length("13", 12).ok());
  CHECK(!read_json_length("-1", 12).ok());
  CHECK(!read_json_length("", 12).ok());
}

TEST_CASE("paths are resources of the protocol, or none") {
  const auto check = [](const std::string& path, const Route& expected) {
    CAPTURE(path);
    REQUIRE(route_of(path).has_value());
    CHECK(*route_of(path) == expected);
  };
  using Kind = Route::Kind;
  check("/v2", {.kind = Kind::server});
  check("/v2/", {.kind = Kind::server});
  check("/v2/health/live", {.kind = Kind::live});
  check("/v2/health/ready", {.kind = Kind::ready});
  check("/v2/models/m", {.kind = Kind::model, .model = "m"});
  check("/v2/models/m/ready", {.kind = Kind::model_ready, .model = "m"});
  check("/v2/models/ready", {.kind = Kind::model, .model = "ready"});
  check("/v2/models/m/versions/1", {.kind = Kind::model, .model = "m", .version = "1"});
  check("/v2/models/m/versions/1/ready", {.kind = Kind::model_ready, .model = "m", .version = "1"});
  check("/v2/models/m/versions/1/infer", {.kind = Kind::infer, .model = "m", .version = "1"});
  check("/v2/models/m/infer", {.kind = Kind::infer, .model = "m"});
  for (const char* path :
       {"", "/", "v2", "/v1", "/v2/health", "/v2/models", "/v2/models//infer", "/v2/models/m/x",
        "/v2/models/m/versions", "/v2/models/m/versions//infer", "/v2/models/m/infer/x",
        "/v2/models/m/versions/1/infer/x/y/z", "/v2/health/live/x"})
    CHECK_MESSAGE(!route_of(path).has_value(), path);
}

TEST_CASE("a server is called by its address or by names that were given") {
  const HostRule local, exposed{.exposed = true, .names = {"Camera.lan"}};
  for (const char* host : {"localhost", "LOCALHOST:8000", "127.0.0.1", "127.0.0.1:8000",
                           "127.8.9.1", "[::1]:8000", "[::1]"})
    CHECK_MESSAGE(local.allows(host), host);
  for (const char* host :
       {"", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1",
        "127.0.0.1:x", "[::1", "[::2]", "localhost:80:80", "127.1", "camera.lan"})
    CHECK_MESSAGE(!local.allows(host), host);
  for (const char* host : {"10.0.0.1:8000", "[fe80::1]:8000", "camera.lan", "CAMERA.LAN:8000"})
    CHECK_MESSAGE(exposed.allows(host), host);
  CHECK(!exposed.allows("evil.example"));
}
