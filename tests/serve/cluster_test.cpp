// A server on the nodes of a cluster: several models, over HTTP and for Frigate at once.
#include <filesystem>

#include "apps/client/local_workers.hpp"
#include "tests/serve/detector_client.hpp"
#include "tests/serve/http_client.hpp"
#include "tests/serve/serve_fixture.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

// Two nodes that have the models, and the settings of a server that is the third.
struct Nodes {
  explicit Nodes(const std::vector<ModelPath>& models)
      : workers(std::move(LocalWorkers::start({.program = session_texts().at("node-program"),
                                               .count = 2,
                                               .models = models,
                                               .slow = {},
                                               .packed = {}})
                              .value())) {}
  serve::OptionTexts texts() const {
    const auto keys = std::filesystem::path(workers.keys());
    return {{"cluster", keys.parent_path() / "cluster.toml"},
            {"id", std::to_string(workers.owner().value)},
            {"keys", keys},
            {"patience", "20"}};
  }
  LocalWorkers workers;
};

}  // namespace

TEST_CASE("a server on a cluster has several models, over HTTP and for Frigate") {
  const ScratchFolder folder;
  const std::string tiny = tiny_network(folder, 1), other = tiny_network(folder, 2);
  const Nodes nodes({tiny, other, vehicles_model()});
  const auto change = [&](ServePlan& plan, const ScratchFolder& in) {
    plan.session = nodes.texts();
    plan.models = {{"tiny", tiny}, {"other", other}, {"vehicles", vehicles_model()}};
    plan.frigate = serve::FrigateServerOptions{.endpoint = serve::IpcEndpoint{in / "socket"}};
    plan.frigate->answers.answer_in = std::chrono::seconds(30);
  };
  TestServer with(change);
  with.wait_until_ready();
  Detector detector("ipc://" + with.folder / "socket");
  const auto loaded = [&] {
    return detector.ask_for_model("vehicles").header.value("model_loaded", false);
  };
  CHECK(becomes_true(loaded));
  CHECK(detector.detect({1, 384, 640, 3}, "uint8", std::string(384 * 640 * 3, '\x40')).error() ==
        "");
  ServePlan fewer = TestServer::usual_plan();
  change(fewer, with.folder);
  std::erase_if(fewer.models, [](const auto& model) { return model.name == "other"; });
  REQUIRE(with.server->reload(fewer).ok());
  CHECK(get(with.port(), "/v2/models/other").status == 404);
  CHECK(get(with.port(), "/v2/models/tiny/ready").status == 200);
}
