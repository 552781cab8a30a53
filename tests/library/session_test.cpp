// Sessions of the library on local workers: what they compute, and how requests end.
#include <atomic>
#include <thread>

#include "tests/library/session_fixture.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

constexpr int64_t second = 1'000'000'000;

shingle_submission submission() {
  shingle_submission how{};
  how.struct_size = sizeof how;
  return how;
}

// Counts calls; as many threads may look as want to.
struct Told {
  std::atomic<int> calls{0};
  std::atomic<shingle_code> code{-1};
  static void done(shingle_request*, shingle_code code, void* user) {
    auto& told = *static_cast<Told*>(user);
    told.code = code;
    ++told.calls;
  }
};

shingle_counters counters_of(shingle_session* session) {
  shingle_counters counters{};
  counters.struct_size = sizeof counters;
  REQUIRE(shingle_session_counters(session, &counters) == SHINGLE_OK);
  return counters;
}

}  // namespace

TEST_CASE(
    "local workers compute what one machine computes, bit for bit, from tensors of any strides") {
  TinySession tiny;
  shingle_session* session = tiny.session.handle;
  const std::vector<float> values = tiny_input(1);
  const std::vector<float> expected = alone(session, tiny.model, values);
  CHECK(computed(session, values) == expected);
  std::vector<float> channels_last(values.size());
  for (size_t c = 0; c < 3; ++c)
    for (size_t pixel = 0; pixel < 32 * 32; ++pixel)
      channels_last[pixel * 3 + c] = values[c * 32 * 32 + pixel];
  shingle_tensor input = dense(channels_last, {3, 32, 32});
  const int64_t strides[] = {4, 32 * 3 * 4, 3 * 4};
  std::copy(std::begin(strides), std::end(strides), input.strides);
  shingle_request* request = nullptr;
  REQUIRE_MESSAGE(shingle_submit(session, &input, 1, nullptr, &request) == SHINGLE_OK,
                  shingle_error());
  REQUIRE(shingle_wait(request, -1) == SHINGLE_OK);
  CHECK(first_output(request) == expected);
  int64_t took = 0;
  CHECK(shingle_duration(request, &took) == SHINGLE_OK);
  CHECK(took > 0);
  shingle_request_free(request);
  const shingle_counters counters = counters_of(session);
  CHECK(counters.submitted == 2);
  CHECK(counters.computed == 2);
  CHECK(counters.waiting + counters.under_way == 0);
}

TEST_CASE("inputs and outputs have the names, types and dims of the model's file") {
  TinySession tiny;
  size_t count = 0;
  REQUIRE(shingle_input_count(tiny.session.handle, &count) == SHINGLE_OK);
  CHECK(count == 1);
  shingle_tensor input{};
  input.struct_size = sizeof input;
  REQUIRE(shingle_input(tiny.session.handle, 0, &input) == SHINGLE_OK);
  CHECK(input.type == SHINGLE_F32);
  CHECK(std::vector<int64_t>(input.dims, input.dims + input.rank) == tiny_dims());
  CHECK(input.size == 3 * 32 * 32 * sizeof(float));
  CHECK(input.name[0] != '\0');
  REQUIRE(shingle_output_count(tiny.session.handle, &count) == SHINGLE_OK);
  REQUIRE(count == 1);
  shingle_tensor output{};
  output.struct_size = sizeof output;
  REQUIRE(shingle_output_info(tiny.session.handle, 0, &output) == SHINGLE_OK);
  CHECK(output.size == computed(tiny.session.handle, tiny_input(1)).size() * sizeof(float));
}

TEST_CASE("a model that is given as bytes computes as its file does") {
  const ScratchFolder folder;
  const std::string path = tiny_model(folder);
  TestOptions options(OptionTexts{{"workers", "2"}});
  {
    const std::string bytes = text_of(path);
    REQUIRE(shingle_options_set_model(options.handle, bytes.data(), bytes.size()) == SHINGLE_OK);
  }
  const TestSession session(options);
  CHECK(computed(session.handle, tiny_input(2)) == alone(session.handle, path, tiny_input(2)));
}

TEST_CASE("eight threads share one session, and each gets its own results") {
  TinySession tiny(OptionTexts{{"queue", "3"}});
  shingle_session* session = tiny.session.handle;
  std::vector<std::vector<float>> expected;
  for (uint64_t seed = 0; seed < 8; ++seed)
    expected.push_back(alone(session, tiny.model, tiny_input(seed)));
  std::atomic<int> right{0}, refused{0};
  std::vector<std::thread> threads;
  for (uint64_t seed = 0; seed < 8; ++seed)
    threads.emplace_back([&, seed] {
      const std::vector<float> values = tiny_input(seed);
      const shingle_tensor input = dense(values, tiny_dims());
      shingle_submission how = submission();
      how.room_wait_ns = -1;
      for (int i = 0; i < 6; ++i) {
        shingle_request* request = nullptr;
        if (shingle_submit(session, &input, 1, &how, &request) != SHINGLE_OK ||
            shingle_wait(request, -1) != SHINGLE_OK) {
          ++refused;
          continue;
        }
        shingle_tensor output{};
        output.struct_size = sizeof output;
        shingle_output(request, 0, &output);
        const auto* data = static_cast<const float*>(output.data);
        right += std::equal(expected[seed].begin(), expected[seed].end(), data) ? 1 : 0;
        shingle_request_free(request);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(right == 48);
  CHECK(refused == 0);
  CHECK(counters_of(session).computed == 48);
}

TEST_CASE("a full queue refuses at once, or after waiting for room; cancelling makes room") {
  TinySession tiny(OptionTexts{{"queue", "2"}, {"open", "1"}});
  shingle_session* session = tiny.session.handle;
  std::vector<shingle_request*> requests;
  shingle_request* refused = nullptr;
  const std::vector<float> values = tiny_input(1);
  const shingle_tensor input = dense(values, tiny_dims());
  shingle_code code = SHINGLE_OK;
  while (code == SHINGLE_OK && requests.size() < 10'000) {
    shingle_request* request = nullptr;
    code = shingle_submit(session, &input, 1, nullptr, &request);
    if (code == SHINGLE_OK) requests.push_back(request);
  }
  check_refused(code, SHINGLE_BUSY,
                "2 requests wait already, as many as the option 'queue' allows");
  shingle_submission how = submission();
  how.room_wait_ns = 60 * second;
  REQUIRE(shingle_submit(session, &input, 1, &how, &refused) == SHINGLE_OK);
  requests.push_back(refused);
  CHECK(shingle_cancel(requests.back()) == SHINGLE_OK);
  const shingle_code cancelled = shingle_wait(requests.back(), -1);
  CHECK((cancelled == SHINGLE_CANCELLED || cancelled == SHINGLE_OK));  // it may have been quick
  for (shingle_request* request : requests) {
    shingle_wait(request, -1);
    CHECK(shingle_request_free(request) == SHINGLE_OK);
  }
  CHECK(counters_of(session).submitted == requests.size());
}

TEST_CASE(
    "a cancelled request and a late one end at once, with their callbacks, and later ones are "
    "right") {
  TinySession tiny(OptionTexts{{"open", "1"}});
  shingle_session* session = tiny.session.handle;
  Told first, second_told;
  shingle_submission how = submission();
  how.done = Told::done;
  how.user = &first;
  std::vector<shingle_request*> before;
  for (int i = 0; i < 8; ++i) before.push_back(submitted(session, tiny_input(1)));
  shingle_request* cancelled = submitted(session, tiny_input(1), &how);
  CHECK(shingle_cancel(cancelled) == SHINGLE_OK);
  check_refused(shingle_wait(cancelled, -1), SHINGLE_CANCELLED, "the request was cancelled");
  CHECK(first.calls == 1);  // before shingle_wait() returned
  CHECK(first.code == SHINGLE_CANCELLED);
  how.user = &second_told;
  how.deadline_ns = 1;
  shingle_request* late = submitted(session, tiny_input(1), &how);
  check_refused(shingle_wait(late, -1), SHINGLE_LATE, "the request missed its deadline");
  CHECK(second_told.code == SHINGLE_LATE);
  shingle_tensor output{};
  output.struct_size = sizeof output;
  check_refused(shingle_output(late, 0, &output), SHINGLE_LATE, "missed its deadline");
  CHECK(shingle_cancel(late) == SHINGLE_OK);  // no effect
  CHECK(shingle_wait(late, 0) == SHINGLE_LATE);
  CHECK(computed(session, tiny_input(3)) == alone(session, tiny.model, tiny_input(3)));
  const shingle_counters counters = counters_of(session);
  CHECK(counters.cancelled == 1);
  CHECK(counters.late == 1);
  CHECK(counters.computed == 9);
  for (shingle_request* request : before) shingle_request_free(request);
  shingle_request_free(cancelled);
  shingle_request_free(late);
}

TEST_CASE("a closed session refuses, and what was under way ends as closed, with its callbacks") {
  TinySession tiny(OptionTexts{{"open", "1"}});
  shingle_session* session = tiny.session.handle;
  Told told;
  shingle_submission how = submission();
  how.done = Told::done;
  how.user = &told;
  std::vector<shingle_request*> requests;
  for (int i = 0; i < 20; ++i) requests.push_back(submitted(session, tiny_input(1), &how));
  CHECK(shingle_close(session) == SHINGLE_OK);
  CHECK(told.calls == 20);
  int closed = 0;
  for (shingle_request* request : requests) {
    const shingle_code code = shingle_wait(request, -1);
    CHECK((code == SHINGLE_OK || code == SHINGLE_CLOSED));
    closed += code == SHINGLE_CLOSED ? 1 : 0;
    CHECK(shingle_request_free(request) == SHINGLE_OK);
  }
  CHECK(closed > 0);
  CHECK(shingle_close(session) == SHINGLE_OK);  // twice is fine
  const std::vector<float> values = tiny_input(1);
  const shingle_tensor input = dense(values, tiny_dims());
  shingle_request* request = nullptr;
  check_refused(shingle_submit(session, &input, 1, nullptr, &request), SHINGLE_CLOSED,
                "the session is closed");
  CHECK(request == nullptr);
  size_t count = 0;
  CHECK(shingle_input_count(session, &count) == SHINGLE_CLOSED);
  CHECK(counters_of(session).submitted == 20);
}

TEST_CASE("a request that was freed under way is computed, and its callback has no handle") {
  TinySession tiny;
  struct Seen {
    std::atomic<int> calls{0};
    std::atomic<bool> had_handle{true};
  } seen;
  shingle_submission how = submission();
  how.user = &seen;
  how.done = [](shingle_request* request, shingle_code, void* user) {
    static_cast<Seen*>(user)->had_handle = request != nullptr;
    ++static_cast<Seen*>(user)->calls;
  };
  std::vector<shingle_request*> before;
  for (int i = 0; i < 8; ++i) before.push_back(submitted(tiny.session.handle, tiny_input(1)));
  shingle_request* request = submitted(tiny.session.handle, tiny_input(1), &how);
  CHECK(shingle_request_free(request) == SHINGLE_OK);
  shingle_request* last = submitted(tiny.session.handle, tiny_input(1));
  REQUIRE(shingle_wait(last, -1) == SHINGLE_OK);
  CHECK(shingle_close(tiny.session.handle) == SHINGLE_OK);
  CHECK(seen.calls == 1);
  CHECK_FALSE(seen.had_handle);
  shingle_request_free(last);
  for (shingle_request* each : before) shingle_request_free(each);
}

TEST_CASE("nobody sees how a request ended before its callback has returned") {
  TinySession tiny;
  struct Slow {
    std::atomic<bool> returned{false};
    std::atomic<int> looks{0};  // at the request, since the callback began
    std::atomic<shingle_code> in_callback{-1};
  } slow;
  shingle_submission how = submission();
  how.user = &slow;
  how.done = [](shingle_request* request, shingle_code, void* user) {
    auto& seen = *static_cast<Slow*>(user);
    seen.in_callback = shingle_wait(request, 0);
    while (seen.looks < 100) std::this_thread::yield();
    seen.returned = true;
  };
  shingle_request* request = submitted(tiny.session.handle, tiny_input(1), &how);
  shingle_code code = SHINGLE_TIMEOUT;
  while (code == SHINGLE_TIMEOUT) {
    code = shingle_wait(request, 0);
    if (code != SHINGLE_TIMEOUT) CHECK(slow.returned);
    if (slow.in_callback != -1) ++slow.looks;
  }
  slow.looks = 100;  // the callback ends in any case
  CHECK(code == SHINGLE_OK);
  CHECK(slow.in_callback == SHINGLE_OK);
  shingle_request_free(request);
}

TEST_CASE("a log function may read and submit, but not wait, open or close") {
  const ScratchFolder folder;
  struct Codes {
    std::string model;
    std::atomic<shingle_session*> session{nullptr}, other{nullptr};
    std::atomic<shingle_code> submit{-1}, wait{-1}, wait_other{-1}, room{-1}, close{-1},
        close_other{-1}, open{-1}, count{-1};
    void look() {
      const std::vector<float> values = tiny_input(1);
      const shingle_tensor input = dense(values, tiny_dims());
      shingle_submission patient = submission();
      patient.room_wait_ns = -1;
      shingle_request *request = nullptr, *of_other = nullptr, *refused = nullptr;
      size_t inputs = 0;
      count = shingle_input_count(session, &inputs);
      submit = shingle_submit(session, &input, 1, nullptr, &request);
      shingle_submit(other, &input, 1, nullptr, &of_other);
      wait = shingle_wait(request, -1);
      wait_other = shingle_wait(of_other, -1);
      room = shingle_submit(other, &input, 1, &patient, &refused);
      close_other = shingle_close(other);
      const TestOptions options(OptionTexts{{"model", model}, {"workers", "1"}});
      shingle_session* third = nullptr;
      open = shingle_open(options.handle, &third);
      close = shingle_session_free(session);
      shingle_request_free(request);
      shingle_request_free(of_other);
    }
  } codes;
  codes.model = tiny_model(folder);
  TestOptions options(OptionTexts{{"model", codes.model}, {"workers", "1"}});
  const auto log = [](int32_t level, const char*, void* user) {
    if (level == SHINGLE_WARNING) static_cast<Codes*>(user)->look();
  };
  REQUIRE(shingle_options_set_log(options.handle, log, &codes) == SHINGLE_OK);
  const TestSession session(options), other(OptionTexts{{"model", codes.model}, {"workers", "1"}});
  codes.session = session.handle;
  codes.other = other.handle;
  shingle_submission how = submission();
  how.done = [](shingle_request*, shingle_code, void*) { throw std::runtime_error("noted"); };
  shingle_request* request = submitted(session.handle, tiny_input(1), &how);
  REQUIRE(shingle_wait(request, -1) == SHINGLE_OK);
  shingle_request_free(request);
  CHECK(codes.count == SHINGLE_OK);
  CHECK(codes.submit == SHINGLE_OK);
  for (const auto* code :
       {&codes.wait, &codes.wait_other, &codes.room, &codes.close, &codes.close_other, &codes.open})
    CHECK(*code == SHINGLE_USAGE);
  CHECK(computed(other.handle, tiny_input(1)).size() > 0);
}

TEST_CASE("a callback that throws is noted and counted, and the session goes on") {
  const ScratchFolder folder;
  std::string noted;
  std::mutex mutex;
  struct Notes {
    std::string& text;
    std::mutex& mutex;
  } notes{noted, mutex};
  TestOptions options(OptionTexts{{"model", tiny_model(folder)}, {"workers", "1"}});
  REQUIRE(shingle_options_set_log(
              options.handle,
              [](int32_t level, const char* sentence, void* user) {
                auto& kept = *static_cast<Notes*>(user);
                const std::lock_guard lock(kept.mutex);
                if (level == SHINGLE_WARNING) kept.text += sentence;
                throw std::runtime_error("a log that throws");
              },
              &notes) == SHINGLE_OK);
  const TestSession session(options);
  shingle_submission how = submission();
  how.done = [](shingle_request*, shingle_code, void*) { throw std::runtime_error("no"); };
  shingle_request* request = submitted(session.handle, tiny_input(1), &how);
  CHECK(shingle_wait(request, -1) == SHINGLE_OK);
  shingle_request_free(request);
  CHECK(counters_of(session.handle).callback_errors == 1);
  CHECK(computed(session.handle, tiny_input(1)).size() > 0);
  const std::lock_guard lock(mutex);
  CHECK(noted.find("the callback of request 0 threw: no") != std::string::npos);
}

TEST_CASE(
    "in a callback results can be read and frames submitted, but not waited for or the session "
    "closed") {
  TinySession tiny;
  struct Codes {
    shingle_session* session;
    std::atomic<shingle_code> output{-1}, submit{-1}, wait{-1}, close{-1}, free{-1};
  } codes{tiny.session.handle};
  shingle_submission how = submission();
  how.user = &codes;
  how.done = [](shingle_request* request, shingle_code, void* user) {
    auto& seen = *static_cast<Codes*>(user);
    shingle_tensor output{};
    output.struct_size = sizeof output;
    seen.output = shingle_output(request, 0, &output);
    const std::vector<float> values = tiny_input(1);
    const shingle_tensor input = dense(values, tiny_dims());
    shingle_request* next = nullptr;
    seen.submit = shingle_submit(seen.session, &input, 1, nullptr, &next);
    seen.wait = shingle_wait(next, -1);
    shingle_request_free(next);
    seen.close = shingle_close(seen.session);
    seen.free = shingle_session_free(seen.session);
  };
  shingle_request* request = submitted(tiny.session.handle, tiny_input(1), &how);
  REQUIRE(shingle_wait(request, -1) == SHINGLE_OK);
  CHECK(codes.output == SHINGLE_OK);
  CHECK(codes.submit == SHINGLE_OK);
  CHECK(codes.wait == SHINGLE_USAGE);
  CHECK(codes.close == SHINGLE_USAGE);
  CHECK(codes.free == SHINGLE_USAGE);
  shingle_request_free(request);
}
