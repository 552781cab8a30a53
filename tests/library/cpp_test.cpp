// shingle.hpp: the C++ interface. This file includes nothing of the rooms: both name a Session.
#include <doctest/doctest.h>
#include <shingle/shingle.hpp>

#include <atomic>

#include "tests/library/cpp_fixture.hpp"

namespace {

using namespace shingle::testing;

struct Small {
  Small() : options(), session(prepared(options, folder)) {}
  static const shingle::Options& prepared(shingle::Options& options, const CppFolder& folder) {
    return options.set("model", folder.model())
        .set("workers", "2")
        .set("node-program", node_of_build());
  }
  CppFolder folder;
  shingle::Options options;
  shingle::Session session;
  std::vector<float> values = std::vector<float>(3 * 32 * 32, 0.25F);
  shingle::Input input() const { return shingle::tensor(values, {1, 3, 32, 32}); }
};

}  // namespace

TEST_CASE("a session in C++ gives outputs by waiting, by callback and by future, all the same") {
  Small small;
  REQUIRE(small.session.inputs().size() == 1);
  CHECK(small.session.inputs().front().dims == std::vector<int64_t>{1, 3, 32, 32});
  const shingle::Request waited = small.session.submit({small.input()});
  const auto outputs = waited.outputs();
  REQUIRE(outputs.size() == small.session.outputs().size());
  CHECK(waited.duration().count() > 0);
  const std::vector<float> expected(outputs[0].values.begin(), outputs[0].values.end());
  std::promise<std::vector<float>> told;
  small.session.submit({small.input()}, [&](shingle::Request request) {
    const auto values = request.outputs().front().values;
    told.set_value({values.begin(), values.end()});
  });
  CHECK(told.get_future().get() == expected);
  auto future = small.session.submit_future({small.input()});
  const shingle::Request later = future.get();
  const auto values = later.outputs().front().values;
  CHECK(std::vector<float>(values.begin(), values.end()) == expected);
  CHECK(small.session.counters().computed == 3);
  CHECK(small.session.plan().find("plan") != std::string::npos);
}

TEST_CASE("what goes wrong is thrown with its code and sentence, also by a future") {
  Small small;
  const auto code_of = [](auto action) {
    try {
      action();
    } catch (const shingle::Error& error) {
      CHECK(std::string(error.what()).size() > 10);
      return error.code();
    }
    return shingle_code{SHINGLE_OK};
  };
  CHECK(code_of([] { shingle::Options().set("wrokers", "2"); }) == SHINGLE_USAGE);
  CHECK(code_of([] { const shingle::Session none{shingle::Options()}; }) == SHINGLE_USAGE);
  shingle::Input wrong = small.input();
  wrong.dims = {1, 2, 3};
  CHECK(code_of([&] { small.session.submit({wrong}); }) == SHINGLE_USAGE);
  wrong.dims.assign(9, 1);
  CHECK(code_of([&] { small.session.submit({wrong}); }) == SHINGLE_USAGE);
  auto late =
      small.session.submit_future({small.input()}, {.deadline = std::chrono::nanoseconds(1)});
  CHECK(code_of([&] { late.get(); }) == SHINGLE_LATE);
  const shingle::Request request = small.session.submit({small.input()});
  small.session.close();
  CHECK(request.code(std::chrono::seconds(10)).has_value());
  CHECK(code_of([&] { small.session.submit({small.input()}); }) == SHINGLE_CLOSED);
}

TEST_CASE("a callback that throws in C++ kills nothing, and what it holds is freed once") {
  Small small;
  const auto held = std::make_shared<int>(1);
  std::vector<std::future<void>> ended;
  for (int i = 0; i < 5; ++i) {
    auto promise = std::make_shared<std::promise<void>>();
    ended.push_back(promise->get_future());
    small.session.submit({small.input()}, [held, promise](shingle::Request) {
      promise->set_value();
      throw 17;
    });
  }
  for (auto& each : ended) each.get();
  small.session.close();
  CHECK(small.session.counters().callback_errors == 5);
  CHECK(held.use_count() == 1);
}

TEST_CASE(
    "requests and sessions in C++ can be moved, and a session can be freed before its requests") {
  auto small = std::make_unique<Small>();
  shingle::Session session = std::move(small->session);
  shingle::Request request = session.submit({small->input()});
  shingle::Request moved = std::move(request);
  moved.wait();
  { const shingle::Session gone = std::move(session); }
  CHECK_FALSE(moved.outputs().front().values.empty());
}
