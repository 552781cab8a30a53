// Several sessions of one process on one node of a cluster.
#include <thread>

#include "tests/apps/program.hpp"
#include "tests/library/running_nodes.hpp"
#include "tests/networks/networks.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

// Another network with the tiny one's input.
std::string other_model(const ScratchFolder& folder) {
  const Model model = networks::make("tiny", 32, 2).value();
  return folder.with_text("other.onnx", networks::to_onnx(model));
}

// Without a REQUIRE, which only the test's own thread may have. Empty: it failed.
std::vector<float> output_of(const TestSession& session, uint64_t seed) {
  const std::vector<float> values = tiny_input(seed);
  const shingle_tensor input = dense(values, tiny_dims());
  shingle_request* request = nullptr;
  std::vector<float> output;
  if (shingle_submit(session.handle, &input, 1, nullptr, &request) == SHINGLE_OK &&
      shingle_wait(request, -1) == SHINGLE_OK)
    output = first_output(request);
  shingle_request_free(request);
  return output;
}

shingle_counters counters_of(const TestSession& session) {
  shingle_counters counters{};
  counters.struct_size = sizeof counters;
  CHECK(shingle_session_counters(session.handle, &counters) == SHINGLE_OK);
  return counters;
}

struct TwoModels {
  ScratchFolder folder;
  std::string first = tiny_model(folder), second = other_model(folder);
  RunningNodes nodes{{first, second}};
};

}  // namespace

TEST_CASE("two models and twice the same one compute on one node of a cluster at once") {
  const TwoModels two;
  const TestSession first(two.nodes.options(two.first)), second(two.nodes.options(two.second)),
      again(two.nodes.options(two.first));
  const auto compare = [&](const TestSession& session, const std::string& model) {
    for (uint64_t seed = 1; seed <= 10; ++seed)
      if (output_of(session, seed) != alone(session.handle, model, tiny_input(seed))) return false;
    return true;
  };
  bool equal[3] = {};
  std::thread one([&] { equal[0] = compare(first, two.first); });
  std::thread other([&] { equal[1] = compare(second, two.second); });
  equal[2] = compare(again, two.first);
  one.join();
  other.join();
  CHECK(equal[0]);
  CHECK(equal[1]);
  CHECK(equal[2]);
}

TEST_CASE("sessions on one node open and close while another one computes") {
  const TwoModels two;
  const TestSession stays(two.nodes.options(two.first));
  const std::vector<float> expected = computed(stays.handle, tiny_input(1));
  for (int i = 0; i < 6; ++i) {
    const TestSession passing(two.nodes.options(i % 2 == 0 ? two.second : two.first));
    std::vector<shingle_request*> of_both;
    {
      const StoppedNodes stopped(two.nodes);  // all are under way when it closes
      for (shingle_session* each : {stays.handle, passing.handle})
        for (int frame = 0; frame < 4; ++frame) of_both.push_back(submitted(each, tiny_input(1)));
      CHECK(shingle_close(passing.handle) == SHINGLE_OK);
    }
    for (int frame = 0; frame < 8; ++frame) {
      const shingle_code code = shingle_wait(of_both[static_cast<size_t>(frame)], -1);
      CHECK(code == (frame < 4 ? SHINGLE_OK : SHINGLE_CLOSED));
      shingle_request_free(of_both[static_cast<size_t>(frame)]);
    }
    CHECK(computed(stays.handle, tiny_input(1)) == expected);
  }
}

TEST_CASE("frames that a closed session left do not take the places of the others") {
  const TwoModels two;
  OptionTexts texts = two.nodes.options(two.first);
  texts["open"] = "16";
  std::vector<std::unique_ptr<TestSession>> sessions;
  for (int i = 0; i < 4; ++i) sessions.push_back(std::make_unique<TestSession>(texts));
  std::vector<shingle_request*> under_way, left;
  const auto submit_all = [&](const TestSession& session, std::vector<shingle_request*>& requests) {
    for (int frame = 0; frame < 16; ++frame)
      requests.push_back(submitted(session.handle, tiny_input(1)));
    const bool all = becomes_true([&] { return counters_of(session).under_way == 16; });
    const shingle_counters seen = counters_of(session);
    CHECK_MESSAGE(all, "under way " << seen.under_way << ", waiting " << seen.waiting
                                    << ", computed " << seen.computed << ", failed "
                                    << seen.failed);
  };
  {
    const StoppedNodes stopped(two.nodes);
    for (const auto& session : sessions)
      submit_all(*session, session == sessions.back() ? left : under_way);
    sessions.pop_back();
    sessions.push_back(std::make_unique<TestSession>(texts));  // its plan is ready already
    submit_all(*sessions.back(), under_way);
  }
  for (shingle_request* request : left) shingle_request_free(request);
  for (shingle_request* request : under_way) {
    CHECK(shingle_wait(request, -1) == SHINGLE_OK);
    shingle_request_free(request);
  }
}

TEST_CASE("a session that opens later plans without a node that has gone") {
  const TwoModels two;
  OptionTexts texts = two.nodes.options(two.first);
  texts["patience"] = "1";
  const TestSession first(texts);
  const std::vector<float> expected = computed(first.handle, tiny_input(1));
  ::kill(two.nodes.processes.front(), SIGKILL);
  CHECK(computed(first.handle, tiny_input(1)) == expected);  // by the other one
  texts["model"] = two.second;
  texts["start-patience"] = "10";
  const auto opens = [&] {
    const TestOptions options(texts);
    shingle_session* session = nullptr;
    const bool is_open = shingle_open(options.handle, &session) == SHINGLE_OK;
    if (is_open) shingle_session_free(session);
    return is_open;
  };
  CHECK(becomes_true(opens));  // once it is known to be lost
  CHECK(computed(first.handle, tiny_input(1)) == expected);
}

TEST_CASE("the node is there for the next session once the last one has left") {
  const TwoModels two;
  const size_t before = threads();
  for (const std::string& model : {two.first, two.second}) {
    const TestSession session(two.nodes.options(model));
    CHECK(computed(session.handle, tiny_input(1)) == alone(session.handle, model, tiny_input(1)));
  }
  CHECK(becomes_true([&] { return threads() == before; }));
}

TEST_CASE("sessions on one node that want other rules for it are refused") {
  const TwoModels two;
  const TestSession session(two.nodes.options(two.first));
  for (const auto& [name, value] :
       OptionTexts{{"patience", "5"}, {"audit", "10%"}, {"memory", "1GiB"}}) {
    OptionTexts texts = two.nodes.options(two.second);
    texts[name] = value;
    const TestOptions options(texts);
    shingle_session* refused = nullptr;
    check_refused(shingle_open(options.handle, &refused), SHINGLE_USAGE,
                  "with another value of the option '" + name + "'");
  }
  CHECK_FALSE(computed(session.handle, tiny_input(1)).empty());
}

TEST_CASE("sessions on one node may have 64 frames under way together") {
  const TwoModels two;
  std::vector<std::unique_ptr<TestSession>> sessions;
  OptionTexts texts = two.nodes.options(two.first);
  texts["open"] = "16";
  for (int i = 0; i < 4; ++i) sessions.push_back(std::make_unique<TestSession>(texts));
  const TestOptions options(texts);
  shingle_session* refused = nullptr;
  check_refused(shingle_open(options.handle, &refused), SHINGLE_RUNTIME,
                "80 frames under way, and it was started for 64");
  sessions.pop_back();
  const TestSession fits(texts);
  CHECK_FALSE(computed(fits.handle, tiny_input(1)).empty());
}
