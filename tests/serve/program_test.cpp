// The program `shingle serve` as a child process: settings, signals, refusals, the service manager,
// and the example in Python.
#include <csignal>
#include <regex>

#include "tests/apps/notify_socket.hpp"
#include "tests/places.hpp"
#include "tests/serve/http_client.hpp"
#include "tests/serve/serve_fixture.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

class ServeProgram {
 public:
  explicit ServeProgram(std::vector<std::string> arguments) : program_(with_verb(arguments)) {}

  uint16_t port() {
    std::smatch found;
    std::string said;
    REQUIRE_MESSAGE(becomes_true([&] {
                      said = program_.err();
                      return std::regex_search(said, found, std::regex("http://[^ ]*:(\\d+)/v2"));
                    }),
                    said);
    return static_cast<uint16_t>(std::stoul(found[1]));
  }
  void wait_until_ready() {
    const uint16_t at = port();
    REQUIRE(becomes_true([&] { return get(at, "/v2/health/ready").status == 200; }));
  }
  void signal(int number) { ::kill(program_.process().id(), number); }
  std::string end() {
    signal(SIGTERM);
    return program_.end();
  }
  std::string err() const { return program_.err(); }

 private:
  static std::vector<std::string> with_verb(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "serve");
    return arguments;
  }
  Program program_;
};

void check_refusal(const std::vector<std::string>& arguments, const std::string& part,
                   const std::string& code = "exit code 2") {
  std::vector<std::string> words = arguments;
  words.insert(words.begin(), "serve");
  Program program(words);
  CHECK(program.end() == code);
  const std::string said = program.err();
  CHECK_MESSAGE(said.find(part) != std::string::npos, said);
  CHECK(program.err_lines() == 1);
}

}  // namespace

TEST_CASE("the program serves until it is told to stop, and takes its workers with it") {
  const ScratchFolder folder;
  ServeProgram program({tiny_network(folder), "--http", "127.0.0.1:0", "--workers", "1"});
  program.wait_until_ready();
  CHECK(get(program.port(), "/v2/models/tiny1").status == 200);
  CHECK(program.end() == "exit code 0");
}

TEST_CASE("what nobody may reach, and what contradicts itself, is refused at once") {
  const ScratchFolder folder;
  const std::string model = tiny_network(folder);
  check_refusal({model, "--http", "0.0.0.0:0"}, "add --expose");
  check_refusal({model, "--http", "0.0.0.0:0", "--insecure"}, "add --expose");
  check_refusal({model, "--http", "[::]:0"}, "add --expose");
  check_refusal({model, "--http", "localhost:0"}, "is no address in numbers");
  check_refusal({model, "--http", "8000"}, "is not ADDRESS:PORT");
  check_refusal({model, "--frigate", "tcp://0.0.0.0:5555"}, "add --expose");
  check_refusal({model, "--frigate", "ipc://@abstract"}, "name a path");
  check_refusal({model, "--http", "none"}, "nothing would be served");
  check_refusal({}, "there is no model to serve");
  check_refusal({model, "--accept-models", folder.path()}, "needs --frigate");
  check_refusal({model, "--accept-models", folder.path(), "--frigate", "ipc://" + folder / "s",
                 "--cluster", "boards.toml"},
                "is for local workers");
  check_refusal({model, "other=" + model, "--cluster", "boards.toml", "--id", "0", "--open", "16",
                 "--frigate", "ipc://" + folder / "s", "third=" + model},
                "would have 96 frames under way");
  check_refusal({model, "--workers", "0"}, "option 'workers'");
  check_refusal({model, "--frigate-floats", "bytes"}, "--frigate-floats");
  check_refusal({"a b=" + model}, "is no name of a model");
  check_refusal({"--config", folder / "none.toml"}, "none.toml", "exit code 3");
  check_refusal({"--config", folder.with_text("odd.toml", "htpp = \"none\"\n")},
                "did you mean 'http'?", "exit code 3");
}

TEST_CASE("settings come from a file, and SIGHUP reads them again") {
  const ScratchFolder folder;
  const std::string first = tiny_network(folder, 1), second = tiny_network(folder, 2);
  const auto settings = [&](const std::string& models, const std::string& more) {
    return folder.with_text("serve.toml", "model = [" + models + "]\nhttp = \"127.0.0.1:0\"\n" +
                                              "workers = 1\n" + more);
  };
  const std::string one = "\"one=" + first + "\"";
  ServeProgram program({"--config", settings(one, "")});
  program.wait_until_ready();
  const uint16_t port = program.port();
  settings(one + ", \"two=" + second + "\"", "log-level = \"info\"\n");
  program.signal(SIGHUP);
  REQUIRE(becomes_true([&] { return get(port, "/v2/models/two/ready").status == 200; }));
  CHECK(get(port, "/v2/models/one/ready").status == 200);
  settings("\"two=" + second + "\"", "answer-in = \"soon\"\n");
  program.signal(SIGHUP);
  REQUIRE(becomes_true(
      [&] { return program.err().find("the settings stay as they are") != std::string::npos; }));
  CHECK(get(port, "/v2/models/one/ready").status == 200);
  settings("\"two=" + second + "\"", "");
  program.signal(SIGHUP);
  REQUIRE(becomes_true([&] { return get(port, "/v2/models/one").status == 404; }));
  CHECK(program.end() == "exit code 0");
}

TEST_CASE("the service manager hears that it is ready, alive, reading again and stopping") {
  const ScratchFolder folder;
  NotifySocket manager(folder / "notify");
  const Variable socket("NOTIFY_SOCKET", folder / "notify"), watchdog("WATCHDOG_USEC", "400000");
  ServeProgram program({tiny_network(folder), "--workers", "1", "--http", "none", "--frigate",
                        "ipc://" + folder / "socket"});
  const std::string ready = manager.next_like("READY=1");
  CHECK_MESSAGE(ready.find("STATUS=serves tiny1 at ipc://") != std::string::npos, ready);
  CHECK(manager.next_like("WATCHDOG=1") == "WATCHDOG=1");
  program.signal(SIGHUP);
  CHECK(manager.next_like("RELOADING=1") == "RELOADING=1");
  CHECK(manager.next_like("READY=1").starts_with("READY=1"));
  program.signal(SIGTERM);
  CHECK(manager.next_like("STOPPING=1") == "STOPPING=1");
  CHECK(program.end() == "exit code 0");
}

TEST_CASE("the example in Python asks in JSON and in binary, and gets the same") {
  const ScratchFolder folder;
  ServeProgram program({"tiny=" + tiny_network(folder), "--http", "127.0.0.1:0", "--workers", "1"});
  program.wait_until_ready();
  const std::string url = "http://127.0.0.1:" + std::to_string(program.port());
  const std::string example = source_folder() + "/examples/serve/infer.py";
  std::vector<std::string> told;
  for (const bool binary : {false, true}) {
    std::vector<std::string> words{example, url, "tiny"};
    if (binary) words.push_back("--binary");
    Program client(words, {}, "/usr/bin/python3");
    REQUIRE_MESSAGE(client.end() == "exit code 0", client.err());
    told.push_back(client.out());
  }
  CHECK(told[0] == told[1]);
  CHECK_MESSAGE(std::regex_search(told[0], std::regex("\\[1, 8, 16, 16\\] 2048 values")), told[0]);
  Program wrong({example, url, "none"}, {}, "/usr/bin/python3");
  CHECK(wrong.end() == "exit code 1");
  CHECK(wrong.err().find("there is no model 'none'") != std::string::npos);
}
