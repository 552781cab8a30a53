// Sessions of the models that are served: when they are opened, closed and opened again.
#include "apps/serve/models/model_host.hpp"

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/serve/http_client.hpp"
#include "tests/serve/serve_fixture.hpp"

using namespace shingle;
using namespace shingle::serve;
using namespace shingle::testing;
using Json = nlohmann::json;

namespace {

std::vector<std::byte> bytes_of_file(const std::string& path) {
  const std::string text = contents(path);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

bool is_ready(ModelHost& host, const std::string& name) {
  return host.look_for_peer(name).state == Standing::State::ready;
}

}  // namespace

TEST_CASE("a model whose worker was killed is opened again") {
  const TestServer with([](ServePlan& plan, const ScratchFolder& folder) {
    plan.models = {{"tiny", tiny_network(folder)}};
  });
  with.wait_until_ready();
  for (const pid_t worker : worker_processes()) ::kill(worker, SIGKILL);
  const Json described = Json::parse(get(with.port(), "/v2/models/tiny").body);
  std::string body = R"({"inputs":[{"name":")" + described["inputs"][0]["name"].get<std::string>() +
                     R"(","datatype":"FP32","shape":[1,3,32,32],"data":[0)";
  for (int i = 1; i < 3 * 32 * 32; ++i) body += ",0";
  body += "]}]}";
  const auto infers = [&] { return post(with.port(), "/v2/models/tiny/infer", body).status; };
  CHECK(becomes_true([&] { return infers() == 503; }));
  CHECK(get(with.port(), "/v2/health/ready").status == 503);
  CHECK(with.notes.contain("the model 'tiny' is opened again soon"));
  CHECK(becomes_true([&] { return infers() == 200; }));
}

TEST_CASE("of the models that peers send four are open at once, however many are asked for") {
  const ScratchFolder folder;
  Budget budget(1 << 30);
  ModelHost host({.session = session_texts(), .shelf = Shelf::open(folder / "shelf").value()});
  std::vector<std::string> names;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    names.push_back("model" + std::to_string(seed));
    const auto bytes = bytes_of_file(tiny_network(folder, seed));
    REQUIRE(host.accept(names.back(), bytes, Share(budget)));
  }
  REQUIRE(becomes_true([&] { return is_ready(host, names.back()); }));
  CHECK(becomes_true([] { return workers_running() <= 4; }));
  CHECK(is_ready(host, names.back()));
}

TEST_CASE("a model is loaded once another file than its own is mended, by itself or at a reload") {
  const ScratchFolder folder;
  const std::string names = folder / "names.txt";
  OptionTexts texts = session_texts();
  texts["names"] = names;
  const std::vector<ServedModel> models = {{"cars", vehicles_model()}};
  const auto fails = [](ModelHost& host) {
    const Standing standing = host.look_for_peer("cars");
    return standing.state == Standing::State::failed &&
           standing.error.find("names.txt") != std::string::npos;
  };
  using std::chrono::milliseconds;
  ModelHost soon(
      {.session = texts, .retry_after = milliseconds(200), .retry_wrong_after = milliseconds(200)});
  ModelHost late({.session = texts,
                  .retry_after = milliseconds(200),
                  .retry_wrong_after = std::chrono::hours(1)});
  ModelHost sent({.session = texts,  // by a peer
                  .shelf = Shelf::open(folder / "shelf").value(),
                  .retry_after = milliseconds(200),
                  .retry_wrong_after = milliseconds(200)});
  Budget budget(1 << 30);
  REQUIRE(sent.accept("cars", bytes_of_file(vehicles_model()), Share(budget)));
  soon.serve(models, {Use::pictures});
  late.serve(models, {Use::pictures});
  for (ModelHost* host : {&soon, &late, &sent}) {
    REQUIRE(becomes_true([&] { return fails(*host); }));
  }
  folder.with_text("names.txt", "car\n");
  CHECK(becomes_true([&] { return is_ready(soon, "cars"); }));
  CHECK(becomes_true([&] { return is_ready(sent, "cars"); }));
  CHECK(fails(late));
  late.serve(models, {Use::pictures});
  CHECK(becomes_true([&] { return is_ready(late, "cars"); }));
}
