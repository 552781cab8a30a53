// Deadlines of requests, while nodes compute nothing.
#include <chrono>

#include "tests/library/running_nodes.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

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

// How long a request took to end, which is freed.
milliseconds until_end(shingle_request* request, shingle_code expected) {
  const auto begin = Clock::now();
  CHECK(shingle_wait(request, -1) == expected);
  shingle_request_free(request);
  return std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
}

}  // namespace

TEST_CASE("requests end at their deadline though the nodes hang, more than may be under way too") {
  OnNodes on(OptionTexts{{"deadline", "0.2"}, {"open", "2"}});
  shingle_session* session = on.session.handle;
  const std::vector<float> expected = computed(session, tiny_input(1));
  milliseconds longest{0}, closing{0};
  {
    const StoppedNodes stopped(on.nodes);
    for (int round = 0; round < 3; ++round) {  // later ones find all places taken
      std::vector<shingle_request*> requests;
      for (int i = 0; i < 5; ++i) requests.push_back(submitted(session, tiny_input(1)));
      for (shingle_request* request : requests)
        longest = std::max(longest, until_end(request, SHINGLE_LATE));
    }
  }
  CHECK(longest < milliseconds(600));
  const shingle_submission patient = due_in(60 * second);
  shingle_request* request = submitted(session, tiny_input(1), &patient);
  REQUIRE(shingle_wait(request, -1) == SHINGLE_OK);
  CHECK(first_output(request) == expected);
  shingle_request_free(request);
  {
    const StoppedNodes stopped(on.nodes);
    for (int i = 0; i < 5; ++i) {
      shingle_request* late = submitted(session, tiny_input(1));
      until_end(late, SHINGLE_LATE);
    }
    const auto begin = Clock::now();
    CHECK(shingle_close(session) == SHINGLE_OK);
    closing = std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
  }
  CHECK(closing < milliseconds(3000));
}

TEST_CASE("a request's own deadline holds in the place of the session's, a longer one too") {
  OnNodes on(OptionTexts{{"deadline", "0.2"}, {"open", "2"}});
  shingle_session* session = on.session.handle;
  const shingle_submission patient = due_in(60 * second), hurried = due_in(second / 20);
  std::vector<shingle_request*> requests;
  milliseconds late{0};
  {
    const StoppedNodes stopped(on.nodes);
    for (int i = 0; i < 4; ++i) requests.push_back(submitted(session, tiny_input(1), &patient));
    late = until_end(submitted(session, tiny_input(1), &hurried), SHINGLE_LATE);
    std::this_thread::sleep_for(milliseconds(400));  // longer than the session's
  }
  CHECK(late < milliseconds(300));
  const std::vector<float> expected = alone(session, on.model, tiny_input(1));
  for (shingle_request* request : requests) {
    REQUIRE(shingle_wait(request, -1) == SHINGLE_OK);
    CHECK(first_output(request) == expected);
    shingle_request_free(request);
  }
}
