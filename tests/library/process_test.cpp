// What a session does to the process that it lives in, and what the process's end does to it.
#include <malloc.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "apps/system/reserved_ports.hpp"
#include "tests/apps/broker.hpp"
#include "tests/apps/program.hpp"
#include "tests/library/session_fixture.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {
std::atomic<int> malloc_options_set{0};
bool is_child = false;
}  // namespace

// LeakSanitizer calls this function. A forked child exits with open sessions, which is no leak.
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() { return is_child; }

// In the place of the C library's: counts who changes malloc's settings in this process.
extern "C" int mallopt(int, int) noexcept {
  ++malloc_options_set;
  return 1;
}

namespace {

// What the process does at each signal.
std::array<void (*)(int), 65> signal_handlers() {
  std::array<void (*)(int), 65> handlers{};
  for (int signal = 1; signal <= 64; ++signal) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0)
      handlers[static_cast<size_t>(signal)] = now.sa_handler;
  }
  return handlers;
}

std::string signal_mask() {
  sigset_t mask;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  std::string blocked;
  for (int signal = 1; signal <= 64; ++signal) blocked += ::sigismember(&mask, signal) ? '1' : '0';
  return blocked;
}

std::string affinity() {
  cpu_set_t set;
  ::sched_getaffinity(0, sizeof set, &set);
  std::string cores;
  for (int core = 0; core < 256; ++core) cores += CPU_ISSET(core, &set) ? '1' : '0';
  return cores;
}

// Runs `body` in a forked child; its exit code. The test's own objects are not destroyed there.
template <class Body>
int in_child(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    is_child = true;
    ::_exit(body());
  }
  int status = 0;
  CHECK(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

size_t entries_of(const std::string& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

// Opens a session with the model as bytes; null if it does not open.
shingle_session* opened_with_bytes(const TestOptions& options, const std::string& bytes) {
  shingle_session* session = nullptr;
  shingle_options_set_model(options.handle, bytes.data(), bytes.size());
  shingle_open(options.handle, &session);
  return session;
}

// $TMPDIR is another folder while this lives.
struct OtherTemporaryFolder {
  OtherTemporaryFolder() { ::setenv("TMPDIR", folder.path().c_str(), 1); }
  ~OtherTemporaryFolder() { ::unsetenv("TMPDIR"); }
  ScratchFolder folder;
};

}  // namespace

TEST_CASE("twenty sessions leave no process, thread, descriptor or file behind") {
  const ScratchFolder models;
  const std::string model = tiny_model(models);
  const std::vector<float> values = tiny_input(1);
  const OtherTemporaryFolder temporary;
  { const TestSession warm(OptionTexts{{"model", model}, {"workers", "1"}}); }
  const size_t files = open_files(), running = threads();
  for (int i = 0; i < 20; ++i) {
    const TestSession session(OptionTexts{{"model", model}, {"workers", "1"}});
    CHECK(children().size() == 1);
    CHECK_FALSE(computed(session.handle, values).empty());
  }
  CHECK(children().empty());
  CHECK(becomes_true([&] { return threads() == running; }));  // they end a moment after a join
  CHECK(open_files() == files);
  CHECK(entries_of(temporary.folder.path()) == 0);
}

TEST_CASE("signals, masks, affinity and malloc's options are left as they are") {
  const ScratchFolder models;
  const std::string model = tiny_model(models);
  const auto handlers = signal_handlers();
  const std::string mask = signal_mask(), cores = affinity();
  const int options = malloc_options_set;
  {
    const TestSession session(OptionTexts{{"model", model}, {"workers", "2"}});
    computed(session.handle, tiny_input(1));
    CHECK((signal_handlers() == handlers));
    CHECK(signal_mask() == mask);
    CHECK(affinity() == cores);
  }
  CHECK((signal_handlers() == handlers));
  CHECK(malloc_options_set == options);
  ::mallopt(M_TRIM_THRESHOLD, 1);  // does the test see it?
  CHECK(malloc_options_set == options + 1);
}

TEST_CASE("a model's file may be truncated while a session is open") {
  TinySession tiny;
  const std::vector<float> expected = computed(tiny.session.handle, tiny_input(1));
  std::filesystem::resize_file(tiny.model, 1);
  shingle_tensor input{};
  input.struct_size = sizeof input;
  CHECK(shingle_input(tiny.session.handle, 0, &input) == SHINGLE_OK);
  CHECK(expected.size() > 0);
}

TEST_CASE("local workers do not depend on the thread that opened the session") {
  const ScratchFolder models;
  const std::string model = tiny_model(models);
  std::unique_ptr<TestSession> session;
  std::thread([&] {
    session = std::make_unique<TestSession>(OptionTexts{{"model", model}, {"workers", "2"}});
  }).join();
  CHECK(children().size() == 2);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  CHECK(children().size() == 2);
  CHECK(computed(session->handle, tiny_input(1)) == alone(session->handle, model, tiny_input(1)));
}

TEST_CASE("a worker that dies is replaced by the others, or ends the session with a sentence") {
  TinySession tiny(OptionTexts{{"workers", "1"}});
  computed(tiny.session.handle, tiny_input(1));
  const std::vector<int> workers = children();
  REQUIRE(workers.size() == 1);
  ::kill(workers.front(), SIGKILL);
  shingle_request* request = submitted(tiny.session.handle, tiny_input(1));
  check_refused(shingle_wait(request, -1), SHINGLE_RUNTIME, "ended with signal 9");
  shingle_request_free(request);
  const std::vector<float> values = tiny_input(1);
  const shingle_tensor input = dense(values, tiny_dims());
  check_refused(shingle_submit(tiny.session.handle, &input, 1, nullptr, &request), SHINGLE_RUNTIME,
                "ended with signal 9");
}

TEST_CASE("a forked child is refused, may open a session of its own, and the parent goes on") {
  TinySession tiny;
  shingle_session* session = tiny.session.handle;
  shingle_request* request = submitted(session, tiny_input(1));
  REQUIRE(shingle_wait(request, -1) == SHINGLE_OK);
  const std::string model = tiny.model;
  const int code = in_child([&] {
    size_t count = 0;
    if (shingle_input_count(session, &count) != SHINGLE_FORKED) return 1;
    if (std::string(shingle_error()).find("belongs to the process that forked") ==
        std::string::npos)
      return 2;
    if (shingle_wait(request, -1) != SHINGLE_FORKED) return 3;
    if (shingle_close(session) != SHINGLE_FORKED) return 4;
    if (shingle_session_free(session) != SHINGLE_FORKED) return 5;
    shingle_options* options = nullptr;
    if (shingle_options_new(&options) != SHINGLE_OK) return 6;
    shingle_options_set(options, "model", model.c_str());
    shingle_options_set(options, "workers", "1");
    shingle_options_set(options, "node-program", node_program().c_str());
    shingle_session* own = nullptr;
    if (shingle_open(options, &own) != SHINGLE_OK) return 7;
    if (shingle_input_count(own, &count) != SHINGLE_OK || count != 1) return 8;
    return shingle_session_free(own) == SHINGLE_OK ? 0 : 9;
  });
  CHECK(code == 0);
  CHECK(computed(session, tiny_input(1)) == alone(session, model, tiny_input(1)));
  CHECK(in_child([] {
          std::exit(0);
          return 1;
        }) == 0);  // the end of a child is not that of the parent's
  CHECK(computed(session, tiny_input(2)) == alone(session, model, tiny_input(2)));
  shingle_request_free(request);
}

TEST_CASE("workers end with the process, and exit() leaves no folder behind") {
  const ScratchFolder models;
  const std::string model = tiny_model(models);
  const OtherTemporaryFolder temporary;
  const std::string pids = models / "pids";
  const auto open_and_leave = [&](auto leave) {
    return in_child([&] {
      auto* session = new TestSession(OptionTexts{{"model", model}, {"workers", "2"}});
      computed(session->handle, tiny_input(1));
      std::ofstream list(pids);
      for (const int child : children()) list << child << '\n';
      list.close();
      leave();
      return 1;
    });
  };
  const auto all_ended = [&] {
    std::ifstream list(pids);
    int count = 0;
    for (pid_t worker = 0; list >> worker; ++count)
      if (!becomes_true([&] { return !is_alive(worker); })) return false;
    return count == 2;
  };
  CHECK(open_and_leave([] { std::exit(7); }) == 7);
  CHECK(all_ended());
  CHECK(entries_of(temporary.folder.path()) == 0);
  CHECK(open_and_leave([] { ::_exit(8); }) == 8);
  CHECK(all_ended());
  CHECK(open_and_leave([] { ::kill(::getpid(), SIGKILL); }) == -1);
  CHECK(all_ended());
}

TEST_CASE("exit() leaves no folder of a model that was given as bytes, open or about to open") {
  const ScratchFolder models;
  const std::string bytes = text_of(tiny_model(models));
  const auto ports = ReservedPorts::on_loopback(2).value();
  std::string cluster;
  for (const size_t id : {0U, 1U})
    cluster += "[[node]]\nid = " + std::to_string(id) +
               "\nport = " + std::to_string(ports.ports()[id]) + "\n";
  const std::string nobody = models.with_text("boards.toml", cluster);
  const OtherTemporaryFolder temporary;
  CHECK(in_child([&] {
          const TestOptions options(OptionTexts{{"workers", "1"}});
          if (opened_with_bytes(options, bytes) == nullptr) return 1;
          std::exit(7);
        }) == 7);
  CHECK(entries_of(temporary.folder.path()) == 0);
  const auto begin = std::chrono::steady_clock::now();
  CHECK(
      in_child([&] {
        const auto* options =
            new TestOptions(OptionTexts{{"cluster", nobody}, {"id", "1"}, {"insecure", "yes"}});
        std::thread([&] { opened_with_bytes(*options, bytes); }).detach();  // waits 30 s for node 0
        if (!becomes_true([&] { return entries_of(temporary.folder.path()) > 0; })) return 1;
        std::exit(8);
      }) == 8);
  CHECK(entries_of(temporary.folder.path()) == 0);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}
