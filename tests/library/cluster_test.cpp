// Sessions on nodes that somebody else started: by a cluster file, and at a broker.
#include "tests/apps/broker.hpp"
#include "tests/apps/program.hpp"
#include "tests/library/running_nodes.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

// Opens and closes sessions, one after the other. Every tenth computes.
void open_and_close(int count) {
  const ScratchFolder folder;
  const std::string model = tiny_model(folder);
  const std::vector<float> values = tiny_input(1);
  const RunningNodes nodes({model});
  const OptionTexts options = nodes.options(model);
  std::vector<float> expected;
  {
    const TestSession warm(options);
    expected = alone(warm.handle, model, values);
  }
  const size_t files = open_files(), running = threads();
  for (int i = 0; i < count; ++i) {
    const TestSession session(options);
    if (i % 10 == 0) CHECK(computed(session.handle, values) == expected);
  }
  CHECK(becomes_true([&] { return threads() == running; }));  // they end a moment after a join
  CHECK(open_files() == files);
}

}  // namespace

TEST_CASE("a session on the nodes of a cluster file computes what one machine computes") {
  const ScratchFolder folder;
  const std::string model = tiny_model(folder);
  const RunningNodes nodes({model});
  const TestSession session(nodes.options(model));
  for (const uint64_t seed : {1U, 2U})
    CHECK(computed(session.handle, tiny_input(seed)) ==
          alone(session.handle, model, tiny_input(seed)));
}

TEST_CASE("fifty sessions on running nodes leave no thread and no descriptor behind") {
  open_and_close(50);
}

// It takes two minutes, so only tools/bench package runs it, under AddressSanitizer.
TEST_CASE("a thousand sessions on running nodes leave no thread and no descriptor behind" *
          doctest::skip()) {
  open_and_close(1000);
}

TEST_CASE("nodes that have the same bytes as a file compute a model that is given as bytes") {
  const ScratchFolder folder;
  const std::string model = tiny_model(folder), bytes = text_of(model);
  const RunningNodes nodes({model});
  OptionTexts texts = nodes.options(model);
  texts.erase("model");
  TestOptions options(texts);
  REQUIRE(shingle_options_set_model(options.handle, bytes.data(), bytes.size()) == SHINGLE_OK);
  const TestSession session(options);
  CHECK(computed(session.handle, tiny_input(1)) == alone(session.handle, model, tiny_input(1)));
}

TEST_CASE("nodes without the model, and nodes that are not there, are named") {
  const ScratchFolder folder;
  const std::string model = tiny_model(folder);
  {
    const RunningNodes nodes({folder.with_text("other.onnx", "not a model")});
    const TestOptions options(nodes.options(model));
    shingle_session* session = nullptr;
    check_refused(shingle_open(options.handle, &session), SHINGLE_RUNTIME,
                  "no model with the hash");
  }
  OptionTexts texts;
  ScratchFolder gone;
  {
    const RunningNodes nodes({model});
    texts = nodes.options(model);
    for (const char* name : {"cluster.toml", "keys"})
      std::filesystem::copy(std::filesystem::path(nodes.folder()) / name, gone / name,
                            std::filesystem::copy_options::recursive);
  }
  texts["cluster"] = gone / "cluster.toml";
  texts["keys"] = gone / "keys";
  texts["start-patience"] = "1";
  const TestOptions options(texts);
  shingle_session* session = nullptr;
  check_refused(shingle_open(options.handle, &session), SHINGLE_RUNTIME, "worker0");
}

TEST_CASE("a session meets nodes at a broker, and leaves SIGPIPE as it was") {
  const ScratchFolder folder;
  const std::string model = tiny_model(folder);
  const Broker broker;
  std::string cluster;
  const auto ports = ReservedPorts::on_loopback(2).value();
  for (uint32_t id = 0; id < 2; ++id)
    cluster += "[[node]]\nid = " + std::to_string(id) +
               "\nport = " + std::to_string(ports.ports()[id]) + "\n";
  const std::string file = folder.with_text("cluster.toml", cluster);
  Program node({"node", "--cluster", file, "--id", "0", "--broker", broker.uri(), "--insecure",
                "--models", model, "--config", "none"},
               {}, node_program());
  struct sigaction before {
  }, after{};
  ::sigaction(SIGPIPE, nullptr, &before);
  {
    const TestSession session(OptionTexts{{"model", model},
                                          {"cluster", file},
                                          {"id", "1"},
                                          {"broker", broker.uri()},
                                          {"insecure", "yes"},
                                          {"patience", "20"}});
    CHECK(computed(session.handle, tiny_input(1)) == alone(session.handle, model, tiny_input(1)));
    ::sigaction(SIGPIPE, nullptr, &after);
    CHECK((before.sa_handler == after.sa_handler));
  }
  ::sigaction(SIGPIPE, nullptr, &after);
  CHECK((before.sa_handler == after.sa_handler));
}
