// Deadlines of requests, while nodes compute nothing.
#include <chrono>

#include "tests/library/running_nodes.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t second = 1'000'000'000;

shingle_submission due_in(int64_t nanoseconds) {
  shingle_submission how{};
  how.struct_size = sizeof how;
  how.deadline_ns = nanoseconds;
  return how;
}

// A session of the tiny model on running nodes.
struct OnNodes {
  explicit OnNodes(const OptionTexts& further)
      : model(tiny_model(folder)), nodes({model}), session(with(further)) {}
  OptionTexts with(OptionTexts texts) const {
    texts.merge(nodes.options(model));
    return texts;
  }
  ScratchFolder folder;
  std::string model;
  RunningNodes nodes;
  TestSession session;
};

// Waits for the end of a request, and frees it.
void check_end(shingle_request* request, shingle_code expected) {
  CHECK(shingle_wait(request, -1) == expected);
  shingle_request_free(request);
}

// Submits one that has a minute; its output.
std::vector<float> computed_in_a_minute(shingle_session* session) {
  const shingle_submission patient = due_in(60 * second);
  shingle_request* request = submitted(session, tiny_input(1), &patient);
  REQUIRE(shingle_wait(request, -1) == SHINGLE_OK);
  std::vector<float> output = first_output(request);
  shingle_request_free(request);
  return output;
}

}  // namespace

// While the nodes are stopped nothing but the deadline ends a request.
TEST_CASE("requests end at their deadline though the nodes hang, more than may be under way too") {
  OnNodes on(OptionTexts{{"deadline", "0.2"}, {"open", "2"}});
  shingle_session* session = on.session.handle;
  const std::vector<float> expected = computed_in_a_minute(session);
  {
    const StoppedNodes stopped(on.nodes);
    for (int round = 0; round < 3; ++round) {  // later ones find all places taken
      std::vector<shingle_request*> requests;
      for (int i = 0; i < 5; ++i) requests.push_back(submitted(session, tiny_input(1)));
      for (shingle_request* request : requests) check_end(request, SHINGLE_LATE);
    }
  }
  CHECK(computed_in_a_minute(session) == expected);
}

TEST_CASE("a session closes while nodes hang with frames that were given up") {
  OnNodes on(OptionTexts{{"deadline", "0.2"}, {"open", "2"}});
  computed_in_a_minute(on.session.handle);
  const StoppedNodes stopped(on.nodes);
  for (int i = 0; i < 5; ++i) check_end(submitted(on.session.handle, tiny_input(1)), SHINGLE_LATE);
  const auto begin = Clock::now();
  CHECK(shingle_close(on.session.handle) == SHINGLE_OK);
  CHECK(Clock::now() - begin < std::chrono::seconds(10));  // less than the nodes' 20 s of patience
}

TEST_CASE("a request's own deadline may be longer than the session's") {
  OnNodes on(OptionTexts{{"deadline", "0.2"}, {"open", "2"}});
  shingle_session* session = on.session.handle;
  const shingle_submission patient = due_in(60 * second);
  std::vector<shingle_request*> requests;
  {
    const StoppedNodes stopped(on.nodes);
    for (int i = 0; i < 4; ++i) requests.push_back(submitted(session, tiny_input(1), &patient));
    check_end(submitted(session, tiny_input(1)), SHINGLE_LATE);  // the session's has passed
  }
  for (shingle_request* request : requests) check_end(request, SHINGLE_OK);
}

TEST_CASE("a request's own deadline may be shorter than the session's") {
  OnNodes on(OptionTexts{{"deadline", "600"}, {"open", "2"}});
  const shingle_submission hurried = due_in(second / 20);
  const StoppedNodes stopped(on.nodes);
  const auto begin = Clock::now();
  for (int i = 0; i < 5; ++i)
    check_end(submitted(on.session.handle, tiny_input(1), &hurried), SHINGLE_LATE);
  CHECK(Clock::now() - begin < std::chrono::seconds(60));
}
